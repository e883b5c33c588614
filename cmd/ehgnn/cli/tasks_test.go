package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tinyNodes is a generated set of 90 nodes in Planetoid format, 30 of them to test.
var tinyNodes = filepath.Join("..", "..", "..", "testdata", "planetoid")

// labelledMolecules writes n molecules in the layout of OGB. The bonds determine label "double",
// and label "rare" is missing in every other graph.
func labelledMolecules(t *testing.T, n int) string {
	t.Helper()
	files := map[string]*strings.Builder{}
	add := func(file, format string, args ...any) {
		if files[file] == nil {
			files[file] = &strings.Builder{}
		}
		fmt.Fprintf(files[file], format, args...)
	}
	add("mapping/mol.csv", "double,rare,smiles,mol_id\n")
	for i := range n {
		double := i / 2 % 2
		rare := ""
		if i%2 == 0 {
			rare = strconv.Itoa(1 - double)
		}
		add("raw/num-node-list.csv", "4\n")
		add("raw/num-edge-list.csv", "3\n")
		for v := range 4 {
			add("raw/node-feat.csv", "%d,0,2,5,1,0,2,0,0\n", 5+(i+v)%3)
		}
		for v := range 3 {
			add("raw/edge.csv", "%d,%d\n", v, v+1)
			add("raw/edge-feat.csv", "%d,0,0\n", double)
		}
		add("raw/graph-label.csv", "%d,%s\n", double, rare)
		add("mapping/mol.csv", "%d,%s,CCCC,m%d\n", double, rare, i)
		add("split/scaffold/"+[]string{"train", "train", "train", "train", "valid", "valid", "test", "test"}[i/4%8]+".csv", "%d\n", i)
	}
	dir := filepath.Join(t.TempDir(), "ogbg_molmine")
	for file, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exits0 runs the real program, which must succeed, and returns standard output.
func exits0(t *testing.T, args ...string) string {
	t.Helper()
	r := program(t, args...)
	if r.code != 0 {
		t.Fatalf("ehgnn %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// Molecules with several labels, with the real program: the test trains a run and uses it in every
// way.
func TestMolecules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	path, dir := labelledMolecules(t, 64), filepath.Join(t.TempDir(), "run")
	var trained struct {
		Test map[string]float64
	}
	document(t, exits0(t, "train", path, "--model", "hyperdrop", "--out", dir, "--epochs", "10", "--hidden", "16", "--batch-size", "8",
		"--lr", "0.01", "--constant-lr", "--quiet", "--json"), &trained)
	if trained.Test["roc_auc"] < 0.95 || trained.Test["labels_counted"] != 2 {
		t.Errorf("scores %v", trained.Test)
	}
	var e evaluation
	document(t, exits0(t, "evaluate", dir, "--json"), &e)
	if e.Graphs != 16 || e.Scores["roc_auc"] != trained.Test["roc_auc"] || e.Scores["loss"] != trained.Test["loss"] {
		t.Errorf("evaluate: %+v, train: %v", e, trained.Test)
	}
	if text := exits0(t, "evaluate", dir, "--split", "valid"); !strings.Contains(text, "labels counted 2\n") {
		t.Errorf("evaluate prints %q", text)
	}
	rows := table(t, exits0(t, "predict", dir, path))
	if len(rows) != 64 || rows[1]["label_rare"] != "" || rows[0]["label_rare"] != "1" || rows[0]["label_double"] != "0" {
		t.Errorf("%d predictions, the first two %v", len(rows), rows[:2])
	}
	highest := map[string]float64{}
	for _, row := range rows {
		p, err := strconv.ParseFloat(row["probability_double"], 64)
		if err != nil || !(p > 0 && p < 1) {
			t.Errorf("probability in %v", row)
		}
		highest[row["label_double"]] = max(highest[row["label_double"]], p)
	}
	if len(highest) != 2 || !(highest["1"] > highest["0"]) {
		t.Errorf("highest probabilities by label: %v", highest)
	}
	for level, want := range map[string]int{"graph": 64, "node": 256, "edge": 192} {
		if rows := table(t, exits0(t, "embed", dir, path, "--level", level)); len(rows) != want {
			t.Errorf("%d vectors of %ss, want %d", len(rows), level, want)
		}
	}
	if r := program(t, "train", path, "--members", "2", "--out", dir+"3", "--epochs", "1", "--hidden", "8", "--constant-lr", "--quiet"); r.code != 0 || !strings.Contains(read(t, dir+"3", "config.yaml"), "members: 2") {
		t.Errorf("two members: %+v", r)
	}
	if rows := table(t, exits0(t, "predict", dir+"3", path)); len(rows) != 64 {
		t.Errorf("two members predict for %d graphs", len(rows))
	}
	if r := program(t, "train", path, "--task", "graph-regression", "--out", dir+"2", "--epochs", "1", "--hidden", "8", "--constant-lr", "--quiet"); r.code != 0 || !strings.Contains(r.stdout, "MAE and RMSE of each number, in its own unit, are in the report") {
		t.Errorf("graph-regression: %+v", r)
	}
}

// The nodes of a graph, with the real program. The model is the default of the task.
func TestNodes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	for _, gain := range []string{"0", "NaN"} {
		refused(t, "--init-gain is "+gain+", expected a number above 0", "train", tinyNodes, "--task", "node-classification", "--init-gain", gain, "--out", dir)
	}
	text := exits0(t, "train", tinyNodes, "--task", "node-classification", "--layers", "4", "--epochs", "30", "--constant-lr", "--quiet", "--out", dir)
	if !strings.HasPrefix(text, "deep-hyperdrop on tiny: ") {
		t.Errorf("train prints %q", text)
	}
	if text := exits0(t, "evaluate", dir); !strings.HasPrefix(text, "tiny, test, 30 nodes: loss ") {
		t.Errorf("evaluate prints %q", text)
	}
	rows := table(t, exits0(t, "predict", dir, tinyNodes, "--name", "tiny", "--split", "test"))
	if len(rows) != 30 || rows[0]["node"] != "60" || rows[0]["label"] != "0" {
		t.Errorf("%d predictions, the first %v", len(rows), rows[0])
	}
	refused(t, "no data set", "predict", dir, tinyNodes, "--name", "none")
}
