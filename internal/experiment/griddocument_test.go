package experiment

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// knownGrid is a grid with given results, without training.
func knownGrid(t *testing.T, dir string, r gridRequest) *Grid {
	t.Helper()
	r.Dir = dir
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	log, err := atomicfile.OpenLines(filepath.Join(dir, jobsFile), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g.cells {
		for k, c := range row {
			for n, j := range c.pending(g.Seeds) {
				// Cells differ by five points, and the folds of a cell by up to two.
				score := 70 + float64(5*i+10*k) + float64(n%3) - 0.125*float64(n)
				if err := log.Append(JobResult{Job: j, Metric: "accuracy", Test: score, Valid: score + 1, ValidLoss: 0.5, BestEpoch: 40 + n, Epochs: 91 + n, Seconds: 12.5, Key: c.key}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	r.OnEvent = func(e Event) { t.Errorf("%v was started", e.Job) }
	return mustRun(t, r)
}

// The tables of known results, as files.
func TestGridFiles(t *testing.T) {
	dir := t.TempDir()
	r := twoByTwo(t, "")
	r.Folds, r.Columns[1].Folds = nil, nil
	r.Seeds = []uint64{1, 2, 3}
	r.Rows = append(r.Rows, modelRow{Name: "mine", Title: "mine <b>&", Model: "mlp"})
	r.Notes = []string{"A note."}
	g := knownGrid(t, dir, r)
	for _, name := range []string{"table.md", "table.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "grid-"+name+".golden")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != string(text) {
			t.Errorf("%s differs (%v); if that is meant, run go test ./experiment -run TestGridFiles -update\n--- have\n%s", golden, err, text)
		}
	}

	f, err := os.Open(filepath.Join(dir, "folds.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+6*30 {
		t.Fatalf("folds.csv has %d rows (%v)", len(rows), err)
	}
	if want := "MUTAG,gcn,1,2,accuracy,70.875,71.875,0.5,41,92,12.5"; strings.Join(rows[2], ",") != want {
		t.Errorf("folds.csv has %v, want %s", rows[2], want)
	}

	text, err := os.ReadFile(filepath.Join(dir, "table.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc gridJSON
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	same(t, "table.json", &doc, g.asJSON(), cmpopts.IgnoreFields(train.Config{}, "Threads"), cmpopts.IgnoreFields(settings.Settings{}, "Kind")) // not written
	same(t, "cells, jobs and averages", [3]int{len(doc.Cells), doc.Jobs, len(doc.Averages)}, [3]int{6, 180, 3})
	if doc.Averages[2].Paper != nil {
		t.Error("a row that the paper lacks has its average")
	}
	first, c := g.gridCells()[0], doc.Cells[0]
	same(t, "cell", c, cellJSON{Dataset: "MUTAG", Row: "gcn", Model: "gcn", Protocol: "folds", Metric: "accuracy", Mean: first.Mean, Std: first.Std, StdOver: "seeds",
		Runs: 3, Jobs: 30, Total: 30, Paper: new(69.5), PaperStd: new(1.78), Difference: new(*first.Mean - 69.5), Seconds: 375, Selection: first.Selection},
		cmpopts.IgnoreFields(cellJSON{}, "PBest", "PPaper", "Folds", "Settings"))
	if c.PBest == nil || c.PPaper == nil || len(c.Folds) != 30 || c.Settings.Train.Epochs != 1 {
		t.Errorf("p %v and %v, %d jobs, settings %+v", c.PBest, c.PPaper, len(c.Folds), c.Settings)
	}

	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mine &lt;b&gt;&amp;", "<b>79.19 ± 1.15</b>", "84.00 ± 0.69", "A note."} {
		if !strings.Contains(string(page), want) {
			t.Errorf("report.html has no %q", want)
		}
	}
}
