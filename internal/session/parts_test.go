package session

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// A run on parts trains on the first, chooses its best epoch by the second and is tested on the
// third. It can be used on the folder or on one part alone. With its split it can be used on
// nothing else.
func TestPartsRun(t *testing.T) {
	dir, graphs := testsets.PartsFolder(t)
	run, res := trained(t, Request{Path: dir, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick()})
	if res.Dataset != "SET" || len(res.Test) != 2 {
		t.Errorf("result %+v", res)
	}
	s, err := Load(t.Context(), run, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Settings.Split, settings.Split{Kind: settings.SplitGiven, Seed: 1}) || s.Settings.Model.Out != 3 {
		t.Errorf("settings %+v", s.Settings)
	}
	for part, want := range map[string]int{source.PartTrain: 10, source.PartValid: 3, source.PartTest: 3} {
		e, err := s.Evaluate(t.Context(), part)
		if err != nil || e.Graphs != want || e.Data != "SET" {
			t.Errorf("Evaluate(%s) = %+v, %v; want %d graphs of SET", part, e, err, want)
		}
	}
	_, err = s.Evaluate(t.Context(), source.PartAll)
	if testsets.Fails(t, err, "the data come as train, valid and test; --split names one of them"); !settings.IsUsage(err) {
		t.Error("not marked as the user's to mend")
	}
	test, err := s.Predict(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}

	// Each part alone, also the training part.
	for name, n := range map[string]int{"SET_train": 10, "SET_test": 3} {
		one, err := Load(t.Context(), run, source.LoadOptions{Data: filepath.Join(dir, name), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		table, err := one.Predict(t.Context(), source.PartAll)
		if err != nil || table.Rows() != n {
			t.Fatalf("%s: %v rows, %v; want %d", name, table.Rows(), err, n)
		}
		if name == "SET_test" && !slices.Equal(testsets.CSVRows(t, table), testsets.CSVRows(t, test)) {
			t.Errorf("%s alone is predicted as\n%q\nas a part\n%q", name, testsets.CSVRows(t, table), testsets.CSVRows(t, test))
		}
	}

	// A run on one set can be used on parts.
	whole := testsets.WriteSet(t, t.TempDir(), "WHOLE", testsets.TUFiles(append(slices.Clone(graphs), graphs...)))
	run, _ = trained(t, Request{Path: whole, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick()})
	s, err = Load(t.Context(), run, source.LoadOptions{Data: dir, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := s.Evaluate(t.Context(), source.PartTest); err != nil || e.Graphs != 3 {
		t.Errorf("a run on one set, used on parts: %+v, %v", e, err)
	}
}

// A mistake in any part is reported with its file. Other splits are refused.
func TestPartsErrors(t *testing.T) {
	dir, _ := testsets.PartsFolder(t)
	_, err := Open(t.Context(), Request{Path: dir, Model: "hyperdrop", Given: settings.Values{"split": settings.SplitRandom}})
	testsets.Fails(t, err, `the data come as train, valid and test; split "random", expected given or none`)
	file := filepath.Join(dir, "SET_val", "SET_val_A.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "\n", "\n1, 999\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Read(t.Context(), Request{Path: dir})
	testsets.Fails(t, err, "data: SET_val: SET_val_A.txt:2: node 999 of ")
	if !settings.IsUsage(err) {
		t.Errorf("%v is not marked as the user's to mend", err)
	}
}

// With several label columns the codes depend on the set. So a run on them cannot be used on
// another set.
func TestLabelColumns(t *testing.T) {
	files := testsets.TUFiles(testsets.EdgeClass(t, 20))
	var b strings.Builder
	for line := range strings.Lines(files["node_labels"]) {
		b.WriteString("1, " + line)
	}
	files["node_labels"] = b.String()
	path := testsets.WriteSet(t, t.TempDir(), "SET", files)
	run, _ := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick()})
	if _, err := Load(t.Context(), run, source.LoadOptions{}); err != nil {
		t.Errorf("on its own data: %v", err)
	}
	o := quick()
	o["encode"] = true
	encoded := mustOpen(t, Request{Path: path, Model: "hyperdrop", Given: o}).Settings.Model
	if !slices.Equal(encoded.NodeBlocks, []int{1, encoded.Node - 1}) || !slices.Equal(encoded.EdgeBlocks, []int{encoded.Edge}) {
		t.Errorf("encoders for blocks %v and %v of %d and %d columns, want one per label column", encoded.NodeBlocks, encoded.EdgeBlocks, encoded.Node, encoded.Edge)
	}
	files["node_labels"] = strings.ReplaceAll(files["node_labels"], "1, ", "2, ")
	_, err := Load(t.Context(), run, source.LoadOptions{Data: testsets.WriteSet(t, t.TempDir(), "SET", files)})
	testsets.Fails(t, err, "has several label columns; their codes depend on the data set")
}

// The edge form belongs to the run and is used for other data.
func TestEdgeForm(t *testing.T) {
	path := foldSet(t, "SET", 20)
	run, _ := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick().Over(settings.Values{"edges": "directed"})})
	s, err := Load(t.Context(), run, source.LoadOptions{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Settings.Data.Directed() || !s.Data.(*source.GraphData).Whole.Info.Directed {
		t.Error("a run on directed edges is used on undirected ones")
	}
	for name, want := range map[string]data.Edges{"": data.Auto, "auto": data.Auto, "directed": data.Directed, "undirected": data.Undirected} {
		if got := (settings.DataSettings{Edges: name}).Form(); got != want {
			t.Errorf("edges %q are read as %v, want %v", name, got, want)
		}
	}
	_, err = Open(t.Context(), Request{Path: path, Given: settings.Values{"edges": "both"}})
	testsets.Fails(t, err, `--edges is "both", expected one of ["auto" "undirected" "directed" "bipartite"]`)
}
