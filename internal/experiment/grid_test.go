package experiment

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// oneCell requests one model on one set.
func oneCell(path, model string, threads int, seeds ...uint64) gridRequest {
	return gridRequest{Rows: []modelRow{{Name: model}}, Columns: []DatasetColumn{{Path: path}}, Threads: threads, Overrides: quick(), Seeds: seeds}
}

func mustRun(t *testing.T, r gridRequest) *Grid {
	t.Helper()
	g, err := runGrid(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A cell trains every fold of every seed once, in order, for any number of threads. Its summary is
// that of the paper.
func TestGridCell(t *testing.T) {
	r := oneCell(foldSet(t, "MUTAG", 20), "hyperdrop", 1, 7, 3)
	var calls []int
	r.OnEvent = func(e Event) {
		if e.Grid.Total() != 20 {
			t.Errorf("%d jobs in all, want 20", e.Grid.Total())
		}
		if e.Ended() {
			calls = append(calls, e.Grid.Done())
		}
	}
	g := mustRun(t, r)
	if len(calls) != 20 || !slices.IsSorted(calls) || calls[19] != 20 {
		t.Errorf("progress %v", calls)
	}
	cell := g.gridCells()[0]
	var perSeed [2]float64
	for i, f := range cell.Folds {
		want := JobResult{Job: Job{"hyperdrop", "MUTAG", r.Seeds[i/10], i%10 + 1}, Metric: "accuracy", Epochs: 2, Key: f.Key}
		same(t, fmt.Sprint("result ", i), f, want, cmpopts.IgnoreFields(JobResult{}, "Test", "Valid", "ValidLoss", "BestEpoch", "Seconds"))
		if f.BestEpoch < 1 || f.Seconds <= 0 {
			t.Errorf("result %d: best epoch %d, %v seconds", i, f.BestEpoch, f.Seconds)
		}
		// Two graphs are tested, so that none, one or both are right.
		if f.Test != 0 && f.Test != 50 && f.Test != 100 {
			t.Errorf("accuracy %v of two graphs", f.Test)
		}
		perSeed[i/10] += f.Test / 10
	}
	want := report.Cell{Mean: (perSeed[0] + perSeed[1]) / 2, Std: math.Abs(perSeed[0]-perSeed[1]) / math.Sqrt2, Runs: 2}.WithPaper(84, 0.69)
	same(t, "cell", g.Table().Rows[0].Cells[0].Cell, want, cmpopts.EquateApprox(0, 1e-9), cmpopts.IgnoreFields(report.Cell{}, "Seconds"))
	same(t, "cell", cell, cellJSON{Row: "hyperdrop", Model: "hyperdrop", Dataset: "MUTAG", Protocol: "folds", Metric: "accuracy", StdOver: "seeds",
		Selection: "lowest validation loss, then one look at the test fold", Runs: 2, Jobs: 20, Total: 20, Best: true, PBest: numberOrNil(true, 1)},
		cmpopts.IgnoreFields(cellJSON{}, "Mean", "Std", "Paper", "PaperStd", "Difference", "Seconds", "Folds", "Settings", "PPaper"))
	if g.Seconds <= 0 || cell.PPaper == nil {
		t.Errorf("%v seconds, no test against the paper", g.Seconds)
	}

	r.Threads, r.OnEvent = 3, nil
	same(t, "results with 3 threads", mustRun(t, r).gridCells()[0].Folds, cell.Folds, ignoreSeconds)

	// With one seed the deviation is over folds. A fold does not depend on the other folds or on the
	// number of threads.
	r.Seeds, r.Folds, r.Threads = []uint64{3}, []int{9, 2}, 8
	some := mustRun(t, r).gridCells()[0]
	same(t, "folds 9 and 2 of seed 3 alone", some.Folds, []JobResult{cell.Folds[18], cell.Folds[11]}, ignoreSeconds)
	same(t, "deviation over", some.StdOver, "folds")
	same(t, "values behind it", some.Runs, 2)
	same(t, "p against the paper", some.PPaper, (*float64)(nil))
}

// twoByTwo is a grid of two models on two sets with two folds each.
func twoByTwo(t *testing.T, dir string) gridRequest {
	return gridRequest{Name: "graph-classification", Title: "Test accuracy | in percent", Rows: []modelRow{{Name: "gcn"}, {Name: "hyperdrop"}},
		Columns: []DatasetColumn{{Path: foldSet(t, "MUTAG", 20)}, {Path: foldSet(t, "PROTEINS", 30), Folds: []int{3, 5}}},
		Seeds:   []uint64{1}, Folds: []int{1, 2}, Overrides: quick().Over(settings.Values{"epochs": 1}), Threads: 2, Dir: dir}
}

// Every cell of a grid is trained with its own settings and folds, the largest jobs of a seed
// first. All files are written.
func TestGrid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	r := twoByTwo(t, dir)
	r.Threads, r.Seeds = 1, []uint64{1, 2}
	var started []Job
	r.OnEvent = func(e Event) {
		if !e.Ended() && e.Epoch == nil {
			started = append(started, e.Job)
		}
	}
	g := mustRun(t, r)
	same(t, "jobs", countsOf(g), counts{Total: 16, Done: 16})
	same(t, "seconds left", g.SecondsLeft(), 0.0)
	var order []Job
	for _, seed := range r.Seeds {
		for _, largest := range []Job{{"hyperdrop", "PROTEINS", seed, 3}, {"gcn", "PROTEINS", seed, 3}, {"hyperdrop", "MUTAG", seed, 1}, {"gcn", "MUTAG", seed, 1}} {
			order = append(order, largest)
			largest.Fold += map[string]int{"PROTEINS": 2, "MUTAG": 1}[largest.Dataset]
			order = append(order, largest)
		}
	}
	same(t, "order", started, order)
	var names []string
	for _, c := range g.gridCells() {
		names = append(names, c.Dataset+" "+c.Row)
		folds := []int{1, 2}
		if c.Dataset == "PROTEINS" {
			folds = []int{3, 5}
		}
		for i, f := range c.Folds {
			same(t, "job of a cell", f.Job, Job{c.Row, c.Dataset, uint64(1 + i/2), folds[i%2]})
		}
	}
	same(t, "cells", names, []string{"MUTAG gcn", "MUTAG hyperdrop", "PROTEINS gcn", "PROTEINS hyperdrop"})
	for _, name := range []string{"table.md", "table.csv", "table.json", "report.html", "folds.csv", "folds.jsonl"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A cell has the same result when it is trained alone.
	alone := r
	alone.Rows, alone.Columns, alone.Dir, alone.OnEvent = r.Rows[1:], r.Columns[1:], "", nil
	same(t, "results of a cell alone", mustRun(t, alone).gridCells()[0].Folds, g.gridCells()[3].Folds, ignoreSeconds)
	// The same jobs with other names and in another grid are not trained again.
	renamed := r
	renamed.Rows = []modelRow{{Name: "mine", Model: "hyperdrop"}, {Name: "mlp"}}
	renamed.OnEvent = nil
	g = mustRun(t, renamed)
	same(t, "jobs with another row", countsOf(g), counts{Total: 16, Done: 16, Kept: 8})
	same(t, "row of a job that was kept", g.gridCells()[0].Folds[0].Row, "mine")
}

// Rows with the same settings on a data set are trained once and fail together, for example a ratio
// that HyperDrop has on this set by default.
func TestGridAlike(t *testing.T) {
	rows, err := withRatios([]modelRow{{Name: "hyperdrop"}}, []float64{0.65, 0.9})
	if err != nil {
		t.Fatal(err)
	}
	for name, lr := range map[string]float64{"trained": 1e-3, "failing": 1e30} {
		t.Run(name, func(t *testing.T) {
			r := twoByTwo(t, t.TempDir())
			r.Rows, r.Overrides = rows, r.Overrides.Over(settings.Values{"lr": lr, "epochs": 3})
			r.Choose = []string{"hyperdrop-ratio-0.9", "hyperdrop"}
			var ended []Job
			r.OnEvent = func(e Event) {
				if e.Ended() {
					ended = append(ended, e.Job)
				}
			}
			g, err := runGrid(t.Context(), r) // the default is 0.9 on MUTAG and 0.65 on PROTEINS
			want := counts{Total: 12, Done: 12}
			if name == "failing" {
				want = counts{Total: 12, Failed: 12}
			}
			same(t, "jobs", countsOf(g), want)
			same(t, "trainings", len(ended), 8)
			same(t, "seconds left", g.SecondsLeft(), 0.0)
			if (name == "failing") != (err != nil) {
				t.Errorf("error %v", err)
			}
			cells := g.Table().Rows
			for k, twin := range []int{2, 1} {
				own, other := cells[0].Cells[k], cells[twin].Cells[k]
				if own.Mean != other.Mean || own.Runs != other.Runs || own.Note != other.Note {
					t.Errorf("column %d: %+v and %+v", k, own, other)
				}
			}
			ended = nil
			if again, _ := runGrid(t.Context(), r); name == "trained" && (len(ended) != 0 || keptJobs(again) != 12) {
				t.Errorf("%d jobs again, %d kept", len(ended), keptJobs(again))
			}
		})
	}
}
