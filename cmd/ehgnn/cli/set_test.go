package cli_test

import (
	"archive/zip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
)

// set is a data set in TU layout: from file name to text, in the folder of the set.
type set struct {
	name  string
	files map[string]string
}

// Labels in the files are codes plus these offsets, so that a reader that forgets to subtract them
// fails a test.
const (
	nodeOffset = 5
	edgeOffset = 1
)

// newSet writes graphs, with each bond as two arcs. Classes 0 and 1 are written as -1 and 1.
func newSet(name string, graphs []*graph.Graph) set {
	var arcs, edges, indicator, nodes, labels strings.Builder
	base := int32(1)
	for i, g := range graphs {
		for e := range g.NumEdges() {
			u, v := base+g.Ends[2*e], base+g.Ends[2*e+1]
			fmt.Fprintf(&arcs, "%d, %d\n%d, %d\n", u, v, v, u)
			fmt.Fprintf(&edges, "%d\n%d\n", g.Edge.Code[e]+edgeOffset, g.Edge.Code[e]+edgeOffset)
		}
		for _, c := range g.Node.Code {
			fmt.Fprintf(&indicator, "%d\n", i+1)
			fmt.Fprintf(&nodes, "%d\n", c+nodeOffset)
		}
		fmt.Fprintln(&labels, 2*g.Label-1)
		base += int32(g.NumNodes)
	}
	return set{name, map[string]string{
		name + "_A.txt": arcs.String(), name + "_edge_labels.txt": edges.String(),
		name + "_graph_indicator.txt": indicator.String(), name + "_node_labels.txt": nodes.String(),
		name + "_graph_labels.txt": labels.String(),
	}}
}

// with returns the set with other files: ending, text, ending, text, ... The text "-" removes the
// file.
func (s set) with(changes ...string) set {
	out := set{s.name, maps.Clone(s.files)}
	for i := 0; i < len(changes); i += 2 {
		if name := s.name + "_" + changes[i]; changes[i+1] == "-" {
			delete(out.files, name)
		} else {
			out.files[name] = changes[i+1]
		}
	}
	return out
}

// folds adds ten fixed folds that test two graphs each.
func (s set) folds(graphs int) set {
	out := set{s.name, maps.Clone(s.files)}
	for k := range 10 {
		var test, train strings.Builder
		for i := range graphs {
			if i/2 == k {
				fmt.Fprintln(&test, i)
			} else {
				fmt.Fprintln(&train, i)
			}
		}
		out.files[fmt.Sprintf("10fold_idx/test_idx-%d.txt", k+1)] = test.String()
		out.files[fmt.Sprintf("10fold_idx/train_idx-%d.txt", k+1)] = train.String()
	}
	return out
}

// folder writes the set and returns its path.
func (s set) folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), s.name)
	s.write(t, dir)
	return dir
}

func (s set) write(t *testing.T, dir string) {
	t.Helper()
	for name, text := range s.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// zip writes the set as a zip with one folder, as sets are published.
func (s set) zip(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), s.name+".zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		w, err := z.Create(s.name + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(s.files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// edgeClass returns graphs whose edges determine their class.
func edgeClass(t *testing.T, n int) []*graph.Graph {
	t.Helper()
	graphs, err := synth.EdgeClass(n, 7)
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}

// special is graph number specialID of the small set. It lacks the smallest node label and the
// smallest edge label. So a set with only this graph is read correctly only in the encoding of the
// small set.
var special = &graph.Graph{
	NumNodes: 4, Ends: []int32{0, 1, 1, 2, 2, 3}, Label: 1,
	Node: graph.Features{Code: []int32{1, 2, 2, 1}, Codes: []int{3}},
	Edge: graph.Features{Code: []int32{1, 2, 1}, Codes: []int{3}},
}

const (
	smallGraphs = 24
	specialID   = 3
)

// small is a set of 24 graphs with labels on nodes and edges and ten folds.
func small(t *testing.T) set {
	t.Helper()
	return newSet("SMALL", smallList(t)).folds(smallGraphs)
}

func smallList(t *testing.T) []*graph.Graph {
	graphs := edgeClass(t, smallGraphs)
	graphs[specialID] = special
	return graphs
}

func count(graphs []*graph.Graph) (nodes, edges int) {
	for _, g := range graphs {
		nodes += g.NumNodes
		edges += g.NumEdges()
	}
	return nodes, edges
}
