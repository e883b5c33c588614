package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// twoSets is a data folder with sets that have the names of two of the paper's sets.
func twoSets(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	for _, name := range []string{"MUTAG", "PROTEINS"} {
		newSet(name, edgeClass(t, smallGraphs)).folds(smallGraphs).write(t, filepath.Join(data, "tu", name))
	}
	return data
}

type gridDocument struct {
	Experiment string
	Columns    []string
	Rows       []string
	Notes      []string
	Jobs       int
	Total      int
	Cells      []struct {
		Dataset, Row string
		Mean, Paper  *float64
		Folds        []struct {
			Fold    int
			Seconds float64
		}
		Failures []struct{ Error string }
	}
}

// A grid has the requested rows and columns, or those that exist, and says what is missing and what
// is shortened.
func TestGrid(t *testing.T) {
	data, out := twoSets(t), filepath.Join(t.TempDir(), "out")
	args := []string{"reproduce", "graph-classification", "--data-dir", data, "--model", "gcn", "--model", "mlp,hyperdrop", "--folds", "1,4",
		"--epochs", "1", "--hidden", "4", "--constant-lr", "--out", out}
	var doc gridDocument
	r := run(t, append(args, "--json")...)
	document(t, r.stdout, &doc)
	if r.code != 0 || !slices.Equal(doc.Columns, []string{"PROTEINS", "MUTAG"}) || !slices.Equal(doc.Rows, []string{"gcn", "mlp", "hyperdrop"}) || doc.Jobs != 12 || doc.Total != 12 {
		t.Fatalf("code %d, %+v\n%s", r.code, doc, r.stderr)
	}
	notes := strings.Join(doc.Notes, "\n")
	for _, want := range []string{"Left out, because they are not in the data folder: DD, IMDB-BINARY,", "--epochs 1", "--hidden 4", "lowest validation loss, then one look at the test fold", "of these 2, not 10: 1, 4", "p > 0.05"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes have no %q:\n%s", want, notes)
		}
	}
	if !strings.Contains(r.stderr, "job 12/12  ") || !strings.Contains(r.stderr, "are left out") {
		t.Errorf("progress %q", r.stderr)
	}
	if *doc.Cells[0].Paper != 73.24 || doc.Cells[1].Paper != nil || len(doc.Cells[5].Folds) != 2 {
		t.Errorf("cells %+v", doc.Cells)
	}
	for _, name := range []string{"table.md", "table.csv", "table.json", "report.html", "folds.csv", "folds.jsonl"} {
		if !exists(filepath.Join(out, name)) {
			t.Errorf("no %s", name)
		}
	}
	text := succeed(t, args...)
	for _, want := range []string{"PROTEINS", "MUTAG", "average", "HyperDrop", "GCN", "mlp", "*", "Left out", "Written to " + out} {
		if !strings.Contains(text, want) {
			t.Errorf("the table has no %q:\n%s", want, text)
		}
	}
	// Options of the user win over those of a preset.
	doc = gridDocument{}
	document(t, succeed(t, "reproduce", "ablation", "--data-dir", data, "--preset", "quick", "--json", "--epochs", "1", "--hidden", "4", "--folds", "2", "--out", out), &doc)
	if len(doc.Rows) != 5 || doc.Total != 10 || doc.Experiment != "ablation" || !strings.HasPrefix(doc.Notes[0], "Shortened (preset quick)") {
		t.Errorf("ablation: %+v", doc)
	}
	if *doc.Cells[1].Paper != 84.5 { // HyperCluster on MUTAG
		t.Errorf("ablation: %+v", doc.Cells[1])
	}
	// With one set, the result is HyperDrop's cell.
	var single struct{ Model string }
	document(t, succeed(t, "reproduce", "graph-classification", "--data-dir", data, "--dataset", "MUTAG", "--json", "--epochs", "1", "--hidden", "4", "--folds", "2"), &single)
	if single.Model != "hyperdrop" {
		t.Errorf("%+v", single)
	}
}

// Ratios become rows, and validation chooses one of them.
func TestGridRatios(t *testing.T) {
	args := []string{"reproduce", "graph-classification", "--data-dir", twoSets(t), "--dataset", "MUTAG", "--folds", "2", "--epochs", "1", "--hidden", "4", "--quiet"}
	var doc struct {
		gridDocument
		Choices []struct{ Dataset, Row string }
	}
	document(t, succeed(t, append(args, "--ratios", "0.25,0.5", "--out", filepath.Join(t.TempDir(), "out"), "--json")...), &doc)
	want := []string{"hyperdrop", "hyperdrop-ratio-0.25", "hyperdrop-ratio-0.5"}
	if !slices.Equal(doc.Rows, want) || len(doc.Choices) != 1 || doc.Choices[0].Dataset != "MUTAG" || !slices.Contains(want, doc.Choices[0].Row) {
		t.Errorf("%+v", doc)
	}
	refused(t, "none of the models asked for has a ratio", append(args, "--model", "gcn,mlp", "--ratios", "0.25")...)
	refused(t, "--ratio is 1.5, expected above 0 and at most 1", append(args, "--ratios", "1.5")...)
}

// The experiment on nodes has a column for each depth.
func TestGridDepths(t *testing.T) {
	args := []string{"reproduce", "node-classification", "--dataset", tinyNodes, "--epochs", "2", "--constant-lr", "--quiet"}
	var doc gridDocument
	document(t, succeed(t, append(args, "--depths", "2,3", "--model", "deep-gcn,deep-hyperdrop", "--carry-gradients", "--out", filepath.Join(t.TempDir(), "out"), "--json")...), &doc)
	if !slices.Equal(doc.Columns, []string{"tiny, 2 layers", "tiny, 3 layers"}) || doc.Jobs != 4 || doc.Cells[0].Mean == nil {
		t.Errorf("%+v", doc)
	}
	if notes := strings.Join(doc.Notes, "\n"); !strings.Contains(notes, "prints no numbers") || !strings.Contains(notes, "--carry-gradients true") {
		t.Errorf("notes %s", notes)
	}
	doc = gridDocument{}
	document(t, succeed(t, append(args, "--preset", "quick", "--model", "deep-gcn", "--out", filepath.Join(t.TempDir(), "out"), "--json")...), &doc)
	if !slices.Equal(doc.Columns, []string{"tiny, 2 layers", "tiny, 8 layers", "tiny, 16 layers"}) {
		t.Errorf("%+v", doc)
	}
	refused(t, "depths is 0", append(args, "--depths", "0")...)
	refused(t, "unknown flag --layers", append(args, "--layers", "3")...)
}

// If a job fails, the others continue, the exit code is 1, and the document is complete.
func TestGridFails(t *testing.T) {
	data, out := twoSets(t), filepath.Join(t.TempDir(), "out")
	// The jobs of one row need more memory than those of the other row.
	args := []string{"reproduce", "graph-classification", "--data-dir", data, "--model", "gcn,hyperdrop", "--folds", "1", "--epochs", "1",
		"--batch-size", "8", "--lr", "1e30", "--constant-lr", "--out", out, "--json"}
	r := run(t, args...)
	var doc gridDocument
	document(t, r.stdout, &doc)
	if r.code != cli.ExitFailed || doc.Jobs != 0 || len(doc.Cells) != 4 || len(doc.Cells[0].Failures) != 1 {
		t.Errorf("code %d, %+v", r.code, doc)
	}
	if !strings.Contains(r.stderr, " failed: train: the ") || !strings.Contains(r.stderr, "\nehgnn: ") {
		t.Errorf("standard error %q", r.stderr)
	}
	if text := read(t, out, "table.md"); strings.Count(text, "| failed (0/1)") < 4 {
		t.Errorf("table.md:\n%s", text)
	}
	r = run(t, "reproduce", "graph-classification", "--data-dir", data, "--dataset", "MUTAG", "--folds", "1", "--epochs", "1", "--memory-limit", "1MB", "--json", "--quiet")
	if r.code != cli.ExitFailed || !strings.Contains(r.stderr, "the memory limit is 976.6 KiB") || !json.Valid([]byte(r.stdout)) {
		t.Errorf("%+v", r)
	}
}

// A grid that is killed continues where it stopped, and ends like a grid that was not killed.
func TestGridKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	t.Parallel()
	data, work := twoSets(t), t.TempDir()
	args := func(out string) []string {
		return []string{"reproduce", "graph-classification", "--data-dir", data, "--model", "gcn,hyperdrop", "--folds", "1,2", "--epochs", "10", "--patience", "0",
			"--hidden", "16", "--constant-lr", "--out", filepath.Join(work, out)}
	}
	kept := func() int {
		text, _ := os.ReadFile(filepath.Join(work, "killed", "folds.jsonl"))
		return bytes.Count(text, []byte("\n"))
	}
	for n := 1; n <= 5; n += 2 {
		s := stop{Kill: true, File: filepath.Join(work, "killed", "folds.jsonl"), Lines: n}
		if r := stopped(t, s, args("killed")...); r.code != -1 {
			t.Fatalf("it was not killed: %+v", r)
		}
	}
	before := read(t, work, "killed", "folds.jsonl")
	if n := kept(); n != 5 {
		t.Fatalf("%d jobs were done before the last kill", n)
	}
	if exists(filepath.Join(work, "killed", "table.md")) {
		t.Error("there are tables of a run that was killed")
	}
	succeed(t, args("killed")...)
	succeed(t, args("whole")...)
	if after := read(t, work, "killed", "folds.jsonl"); !strings.HasPrefix(after, before[:strings.LastIndex(before, "\n")+1]) || kept() != 8 {
		t.Errorf("folds.jsonl has %d jobs:\n%s\nbefore\n%s", kept(), after, before)
	}
	// Everything except times is the same.
	times := regexp.MustCompile(`(?m),[0-9.e-]+$`)
	if have, want := times.ReplaceAllString(read(t, work, "killed", "folds.csv"), ""), times.ReplaceAllString(read(t, work, "whole", "folds.csv"), ""); have != want {
		t.Errorf("folds.csv is\n%s\nwant\n%s", have, want)
	}
	head := func(text string) string { text, _, _ = strings.Cut(text, "### Every cell"); return text }
	if have, want := head(read(t, work, "killed", "table.md")), head(read(t, work, "whole", "table.md")); have != want {
		t.Errorf("table.md is\n%s\nwant\n%s", have, want)
	}
}

// On a terminal the table is redrawn in place and removed at the end.
func TestGridLive(t *testing.T) {
	data := twoSets(t)
	args := []string{"reproduce", "graph-classification", "--data-dir", data, "--model", "gcn,mlp", "--folds", "1,2", "--epochs", "1", "--hidden", "4", "--constant-lr",
		"--threads", "1", "--out", filepath.Join(t.TempDir(), "out")}
	r := runIn(t.Context(), true, args...)
	if r.code != 0 {
		t.Fatal(r.stderr)
	}
	for _, want := range []string{"PROTEINS", "1/2", "0/2", "job 7/8", "\x1b[J", "so far\n"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("the display has no %q:\n%q", want, r.stderr)
		}
	}
	if !regexp.MustCompile(`\x1b\[\d+A\r\x1b\[J$`).MatchString(r.stderr) {
		t.Errorf("the display ends in %q, want it cleared", r.stderr[max(0, len(r.stderr)-40):])
	}
	if strings.Contains(r.stdout, "\x1b") {
		t.Error("the display is on standard output")
	}
	if r := runIn(t.Context(), true, append(args, "--quiet")...); r.stderr != "" {
		t.Errorf("--quiet prints %q", r.stderr)
	}
}

// The experiment on labels of edges takes tables by path and sets of the folder edges by name, and
// generates ratings and relations.
func TestEdgesExperiment(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	data, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	var table strings.Builder
	table.WriteString("source,target,rating,label,time,part\n")
	for i := range 200 {
		fmt.Fprintf(&table, "%d,%d,1,%s,%d,%d\n", i*7%23, i*i%19, []string{"trust", "trust", "distrust"}[i*i%19%3], i, []int{0, 0, 0, 1, 2}[i%5])
	}
	set := filepath.Join(data, "edges", "bitcoin_alpha")
	if err := os.MkdirAll(set, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, table.String(), set, "edges.csv")
	args := []string{"reproduce", "edges", "--data-dir", data, "--model", "mlp-edge,labels", "--protocol", "inductive", "--seeds", "2", "--epochs", "2", "--hidden", "4", "--out", out}
	var doc struct {
		Trainings []struct {
			Model string
			Test  map[string]float64
		}
		Published []struct{ Model, Source string }
		Notes     []string
	}
	document(t, succeed(t, append(args, "--json")...), &doc)
	if len(doc.Trainings) != 8 || doc.Trainings[2].Model != "labels" || doc.Trainings[0].Test["roc_auc"] == 0 || doc.Published[0].Model != "SiGAT" {
		t.Errorf("%+v", doc)
	}
	if notes := strings.Join(doc.Notes, "\n"); !strings.Contains(notes, "Left out, because they are not in the data folder: wn18rr, alfabet_bde.") ||
		!strings.Contains(notes, "Left out: labels on relations, inductive: it reads ten columns of each class, and its time grows with the fourth power of their number, 200.") || !strings.Contains(notes, "--epochs 2") {
		t.Errorf("notes %q", notes)
	}
	text := succeed(t, args...)
	for _, want := range []string{"bitcoin_alpha ROC-AUC", "mlp-edge", "the same fold", "Written to " + out} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	refused(t, "no data set \"nothing\"", append(args, "--dataset", "nothing")...)
	refused(t, "--ratio does not apply to model mlp-edge", append(args, "--ratio", "0.5")...)
}
