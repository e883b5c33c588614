package task

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// partsFolder writes a set in three parts of which none shows every label: the
// training graphs lack the smallest edge type and the largest class, those to
// validate the largest kind of node.
func partsFolder(t *testing.T) (dir string, graphs []*graph.Graph) {
	t.Helper()
	graphs = edgeClass(t, 16)
	dir = t.TempDir()
	part := func(ending string, graphs []*graph.Graph, change func(g *graph.Graph, i int)) {
		for i, g := range graphs {
			g.Node.Code, g.Edge.Code = slices.Clone(g.Node.Code), slices.Clone(g.Edge.Code)
			change(g, i)
		}
		writeSet(t, dir, "SET"+ending, tuFiles(graphs))
	}
	part("_train", graphs[:10], func(g *graph.Graph, i int) {
		for e, c := range g.Edge.Code {
			g.Edge.Code[e] = max(c, 1)
		}
	})
	part("_val", graphs[10:13], func(g *graph.Graph, i int) {
		g.Label = int32(i) // 0, 1 and 2
		for v, c := range g.Node.Code {
			g.Node.Code[v] = min(c, 1)
		}
	})
	part("_test", graphs[13:], func(g *graph.Graph, i int) { g.Label = 2 })
	return dir, graphs
}

// readGraphs reads a collection of graphs.
func readGraphs(t *testing.T, path string) *graphData {
	t.Helper()
	in, err := Read(t.Context(), Request{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return in.Data.(*graphData)
}

// The parts of a set have one encoding of labels and classes.
func TestParts(t *testing.T) {
	dir, graphs := partsFolder(t)
	p := readGraphs(t, dir)
	all := slices.Concat(p.train.Graphs, p.valid.Graphs, p.test.Graphs)
	if len(all) != len(graphs) || p.whole != nil {
		t.Fatalf("%d graphs, want %d in parts", len(all), len(graphs))
	}
	for i, g := range all {
		// Codes of a set whose width is fixed are labels as they stand: 1 to 3 here.
		for v, c := range graphs[i].Node.Code {
			if g.Node.Code[v] != c+1 || g.Node.NumCodes() != 4 {
				t.Fatalf("graph %d, node %d: code %d of %d, want %d of 4", i, v, g.Node.Code[v], g.Node.NumCodes(), c+1)
			}
		}
		for e, c := range graphs[i].Edge.Code {
			if g.Edge.Code[e] != c+1 || g.Edge.NumCodes() != 4 {
				t.Fatalf("graph %d, edge %d: code %d of %d, want %d of 4", i, e, g.Edge.Code[e], g.Edge.NumCodes(), c+1)
			}
		}
		if g.Label != graphs[i].Label {
			t.Errorf("graph %d is of class %d, want %d", i, g.Label, graphs[i].Label)
		}
	}
	var parts, names []string
	for _, i := range p.Summary().(graphSummary) {
		parts, names = append(parts, i.Part), append(names, i.Name)
		if !slices.Equal(i.ClassNames, []string{"0", "1", "2"}) {
			t.Errorf("classes of %s are %v", i.Part, i.ClassNames)
		}
	}
	if !slices.Equal(parts, []string{"train", "valid", "test"}) || !slices.Equal(names, []string{"SET_train", "SET_val", "SET_test"}) {
		t.Errorf("parts %v of %v", parts, names)
	}
	if p.Name() != "SET" {
		t.Errorf("the set is called %q", p.Name())
	}
}

// A run on parts trains on one, is chosen by one and tested on one, and can be
// used on the folder, on a part by itself, and on nothing else under its split.
func TestPartsRun(t *testing.T) {
	dir, graphs := partsFolder(t)
	run, res := trained(t, Request{Path: dir, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick()})
	if res.Dataset != "SET" || len(res.Test) != 2 {
		t.Errorf("result %+v", res)
	}
	s, err := Load(t.Context(), run, LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Settings.Split, Split{Kind: SplitGiven, Seed: 1}) || s.Settings.Model.Out != 3 {
		t.Errorf("settings %+v", s.Settings)
	}
	for part, want := range map[string]int{PartTrain: 10, PartValid: 3, PartTest: 3} {
		e, err := s.Evaluate(t.Context(), part)
		if err != nil || e.Graphs != want || e.Data != "SET" {
			t.Errorf("Evaluate(%s) = %+v, %v; want %d graphs of SET", part, e, err, want)
		}
	}
	_, err = s.Evaluate(t.Context(), PartAll)
	if fails(t, err, "the data come as train, valid and test; --split names one of them"); !IsUsage(err) {
		t.Error("not marked as the user's to mend")
	}
	test, err := s.Predict(t.Context(), PartTest)
	if err != nil {
		t.Fatal(err)
	}

	// The parts alone, the one of the training too.
	for name, n := range map[string]int{"SET_train": 10, "SET_test": 3} {
		one, err := Load(t.Context(), run, LoadOptions{Data: filepath.Join(dir, name), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		table, err := one.Predict(t.Context(), PartAll)
		if err != nil || table.Rows() != n {
			t.Fatalf("%s: %v rows, %v; want %d", name, table.Rows(), err, n)
		}
		if name == "SET_test" && !slices.Equal(csvRows(t, table), csvRows(t, test)) {
			t.Errorf("%s alone is predicted as\n%q\nas a part\n%q", name, csvRows(t, table), csvRows(t, test))
		}
	}

	// A run on one set can be used on parts.
	whole := writeSet(t, t.TempDir(), "WHOLE", tuFiles(append(slices.Clone(graphs), graphs...)))
	run, _ = trained(t, Request{Path: whole, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick()})
	s, err = Load(t.Context(), run, LoadOptions{Data: dir, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := s.Evaluate(t.Context(), PartTest); err != nil || e.Graphs != 3 {
		t.Errorf("a run on one set, used on parts: %+v, %v", e, err)
	}
}

// A folder is a set in parts only with exactly one of each.
func TestFindParts(t *testing.T) {
	tests := []struct {
		names []string
		want  map[string]string
	}{
		{[]string{"ZINC_train.zip", "ZINC_val.zip", "ZINC_test.zip", "README.md"},
			map[string]string{"train": "ZINC_train.zip", "valid": "ZINC_val.zip", "test": "ZINC_test.zip"}},
		{[]string{"a_Train", "a_valid", "a_TEST"}, map[string]string{"train": "a_Train", "valid": "a_valid", "test": "a_TEST"}},
		{[]string{"a_train", "a_val"}, nil},
		{[]string{"a_train", "a_val", "a_test", "b_train"}, nil},
		{[]string{"a_train", "a_val", "a_valid", "a_test"}, nil},
		{[]string{"train", "val", "test"}, nil},
		{nil, nil},
	}
	for _, test := range tests {
		dir := t.TempDir()
		for _, name := range test.names {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := findParts(dir)
		for part, path := range got {
			got[part] = filepath.Base(path)
		}
		if !maps.Equal(got, test.want) {
			t.Errorf("parts of %v are %v, want %v", test.names, got, test.want)
		}
	}
	if got := findParts(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Errorf("parts of no folder are %v", got)
	}
}

// A mistake in any part is told with its file; other splits are refused.
func TestPartsErrors(t *testing.T) {
	dir, _ := partsFolder(t)
	_, err := Open(t.Context(), Request{Path: dir, Model: "hyperdrop", Given: Values{"split": SplitRandom}})
	fails(t, err, `the data come as train, valid and test; split "random", expected given or none`)
	file := filepath.Join(dir, "SET_val", "SET_val_A.txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "\n", "\n1, 999\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Read(t.Context(), Request{Path: dir})
	fails(t, err, "data: SET_val: SET_val_A.txt:2: node 999 of ")
	if !IsUsage(err) {
		t.Errorf("%v is not marked as the user's to mend", err)
	}
}

// Widths of a known set are the published ones, whatever its parts show.
func TestKnownCodes(t *testing.T) {
	dir := t.TempDir()
	for _, ending := range []string{"_train", "_val", "_test"} {
		writeSet(t, dir, "ZINC"+ending, tuFiles(edgeClass(t, 4)))
	}
	p := readGraphs(t, dir)
	for _, i := range p.Summary().(graphSummary) {
		if i.NodeWidth != 28 || i.EdgeWidth != 5 {
			t.Errorf("%s is %d and %d wide, want 28 and 5", i.Name, i.NodeWidth, i.EdgeWidth)
		}
	}
}

// Several label columns have codes that hang on the set, so a run on them is not
// used on another.
func TestLabelColumns(t *testing.T) {
	files := tuFiles(edgeClass(t, 20))
	var b strings.Builder
	for line := range strings.Lines(files["node_labels"]) {
		b.WriteString("1, " + line)
	}
	files["node_labels"] = b.String()
	path := writeSet(t, t.TempDir(), "SET", files)
	run, _ := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick()})
	if _, err := Load(t.Context(), run, LoadOptions{}); err != nil {
		t.Errorf("on its own data: %v", err)
	}
	o := quick()
	o["encode"] = true
	encoded := mustOpen(t, Request{Path: path, Model: "hyperdrop", Given: o}).Settings.Model
	if !slices.Equal(encoded.NodeBlocks, []int{1, encoded.Node - 1}) || !slices.Equal(encoded.EdgeBlocks, []int{encoded.Edge}) {
		t.Errorf("encoders for blocks %v and %v of %d and %d columns, want one per label column", encoded.NodeBlocks, encoded.EdgeBlocks, encoded.Node, encoded.Edge)
	}
	files["node_labels"] = strings.ReplaceAll(files["node_labels"], "1, ", "2, ")
	_, err := Load(t.Context(), run, LoadOptions{Data: writeSet(t, t.TempDir(), "SET", files)})
	fails(t, err, "has several label columns; their codes depend on the data set")
}

// The form of the edges is a decision of the run, kept for other data.
func TestEdgeForm(t *testing.T) {
	path := foldSet(t, "SET", 20)
	run, _ := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick().Over(Values{"edges": "directed"})})
	s, err := Load(t.Context(), run, LoadOptions{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Settings.Data.Directed() || !s.Data.(*graphData).whole.Info.Directed {
		t.Error("a run on directed edges is used on undirected ones")
	}
	for name, want := range map[string]data.Edges{"": data.Auto, "auto": data.Auto, "directed": data.Directed, "undirected": data.Undirected} {
		if got := (DataSettings{Edges: name}).form(); got != want {
			t.Errorf("edges %q are read as %v, want %v", name, got, want)
		}
	}
	_, err = Open(t.Context(), Request{Path: path, Given: Values{"edges": "both"}})
	fails(t, err, `--edges is "both", expected one of ["auto" "undirected" "directed"]`)
}
