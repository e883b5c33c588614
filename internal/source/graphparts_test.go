package source

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// All parts of a set have the same encoding of labels and classes.
func TestParts(t *testing.T) {
	dir, graphs := testsets.PartsFolder(t)
	p := readGraphs(t, dir)
	all := slices.Concat(p.Train.Graphs, p.Valid.Graphs, p.Test.Graphs)
	if len(all) != len(graphs) || p.Whole != nil {
		t.Fatalf("%d graphs, want %d in parts", len(all), len(graphs))
	}
	for i, g := range all {
		// In a set with a fixed width, codes equal the labels: 1 to 3 here.
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
	for _, i := range p.Summary().(GraphSummary) {
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

// A folder is recognised as a set in parts only if it has exactly one of each part.
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
		got := FindParts(dir)
		for part, path := range got {
			got[part] = filepath.Base(path)
		}
		if !maps.Equal(got, test.want) {
			t.Errorf("parts of %v are %v, want %v", test.names, got, test.want)
		}
	}
	if got := FindParts(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Errorf("parts of no folder are %v", got)
	}
}

// Known sets have the published widths, even if the parts have fewer codes.
func TestKnownCodes(t *testing.T) {
	dir := t.TempDir()
	for _, ending := range []string{"_train", "_val", "_test"} {
		testsets.WriteSet(t, dir, "ZINC"+ending, testsets.TUFiles(testsets.EdgeClass(t, 4)))
	}
	p := readGraphs(t, dir)
	for _, i := range p.Summary().(GraphSummary) {
		if i.NodeWidth != 28 || i.EdgeWidth != 5 {
			t.Errorf("%s is %d and %d wide, want 28 and 5", i.Name, i.NodeWidth, i.EdgeWidth)
		}
	}
}

// readGraphs reads a collection of graphs.
func readGraphs(t *testing.T, path string) *GraphData {
	t.Helper()
	set := settings.DataSettings{Path: path, Edges: settings.EdgesAuto}
	graphSource.InitSettings(&set)
	d, err := graphSource.Read(t.Context(), &set, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d.(*GraphData)
}
