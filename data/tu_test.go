package data_test

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// toy is a TU set of three graphs: a triangle, an edge and a lone node. Arcs
// are out of order on purpose.
var toy = files{
	"T/T_A.txt":               "2, 3\n1, 2\n2, 1\n3, 2\n1, 3\n3, 1\n5, 4\n4, 5\n",
	"T/T_graph_indicator.txt": "1\n1\n1\n2\n2\n3\n",
	"T/T_graph_labels.txt":    "7\n-1\n7\n",
	"T/T_node_labels.txt":     "3\n5\n3\n3\n6\n5\n",
	"T/T_edge_labels.txt":     "2\n1\n1\n2\n4\n4\n1\n1\n",
}

type files map[string]string

// with returns the files with changes made: name, text, name, text, ... A text
// of "-" removes the file. Names are relative to the folder of the toy set.
func (f files) with(changes ...string) files {
	out := maps.Clone(f)
	for i := 0; i < len(changes); i += 2 {
		if name := "T/" + changes[i]; changes[i+1] == "-" {
			delete(out, name)
		} else {
			out[name] = changes[i+1]
		}
	}
	return out
}

func (f files) fs() fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range f {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func read(t *testing.T, f files, opts data.Options) *data.Dataset {
	t.Helper()
	d, err := data.Read(f.fs(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func rows(f graph.Features, n int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, f.Width())
		f.Row(i, out[i])
	}
	return out
}

func TestTU(t *testing.T) {
	d := read(t, toy, data.Options{})
	want := data.Info{
		Name: "T", Format: data.FormatTU, NumGraphs: 3, NumClasses: 2, ClassNames: []string{"-1", "7"}, ClassCounts: []int{1, 2},
		NodeWidth: 4, EdgeWidth: 4, NodeLabelOffset: []int{3}, EdgeLabelOffset: []int{1},
		MeanNodes: 2, MeanEdges: 4.0 / 3, MaxNodes: 3, MaxEdges: 3, MaxDegree: 2,
		HasNodeLabels: true, HasEdgeLabels: true, Symmetric: true, Checksum: d.Info.Checksum,
	}
	if !reflect.DeepEqual(d.Info, want) {
		t.Errorf("info %+v\nwant %+v", d.Info, want)
	}
	graphs := []*graph.Graph{
		{
			NumNodes: 3, Ends: []int32{0, 1, 0, 2, 1, 2}, Label: 1,
			Node:      graph.Features{Code: []int32{0, 2, 0}, Codes: []int{4}},
			Edge:      graph.Features{Code: []int32{0, 3, 1}, Codes: []int{4}},
			NodeLabel: []int32{0, 2, 0}, EdgeLabel: []int32{0, 3, 1},
		},
		{
			NumNodes: 2, Ends: []int32{0, 1}, Label: 0,
			Node:      graph.Features{Code: []int32{0, 3}, Codes: []int{4}},
			Edge:      graph.Features{Code: []int32{0}, Codes: []int{4}},
			NodeLabel: []int32{0, 3}, EdgeLabel: []int32{0},
		},
		{
			NumNodes: 1, Ends: []int32{}, Label: 1,
			Node:      graph.Features{Code: []int32{2}, Codes: []int{4}},
			Edge:      graph.Features{Code: []int32{}, Codes: []int{4}},
			NodeLabel: []int32{2}, EdgeLabel: []int32{},
		},
	}
	for i, g := range d.Graphs {
		if !reflect.DeepEqual(g, graphs[i]) {
			t.Errorf("graph %d is %+v\nwant %+v", i, g, graphs[i])
		}
	}
	if got, want := d.Labels(), []int32{1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("Labels() = %v, want %v", got, want)
	}

	directed := read(t, toy, data.Options{Edges: data.Directed})
	g := directed.Graphs[0]
	if want := []int32{0, 1, 0, 2, 1, 0, 1, 2, 2, 0, 2, 1}; !slices.Equal(g.Ends, want) || !g.Directed {
		t.Errorf("directed ends %v, want %v", g.Ends, want)
	}
	if want := []int32{0, 3, 0, 1, 3, 1}; !slices.Equal(g.EdgeLabel, want) {
		t.Errorf("directed edge labels %v, want %v", g.EdgeLabel, want)
	}
	if directed.Info.MeanEdges != d.Info.MeanEdges {
		t.Errorf("mean edges %v in the directed form, want %v", directed.Info.MeanEdges, d.Info.MeanEdges)
	}
}

func TestTUFeatures(t *testing.T) {
	bare := toy.with("T_node_labels.txt", "-", "T_edge_labels.txt", "-")
	attributes := "0.5,1\n1,2\n-1e-2, 3\n0,0\n0,0\n0,7\n"
	star := func(leaves int) files {
		var a, ind strings.Builder
		ind.WriteString("1\n")
		for i := range leaves {
			ind.WriteString("1\n")
			a.WriteString("1," + itoa(i+2) + "\n" + itoa(i+2) + ",1\n")
		}
		return files{"S_A.txt": a.String(), "S_graph_indicator.txt": ind.String()}
	}
	tests := []struct {
		name         string
		files        files
		opts         data.Options
		node0, edge0 []float32 // first row of graph 0
		nodeDim      int
		note         string
	}{
		{"labels only", toy, data.Options{}, []float32{1, 0, 0, 0}, []float32{1, 0, 0, 0}, 0, ""},
		{"attributes then labels", toy.with("T_node_attributes.txt", attributes), data.Options{},
			[]float32{0.5, 1, 1, 0, 0, 0}, []float32{1, 0, 0, 0}, 2, ""},
		{"attributes only", bare.with("T_node_attributes.txt", attributes), data.Options{},
			[]float32{0.5, 1}, []float32{1}, 2, "edges have no features: constant 1"},
		{"degree", bare, data.Options{}, []float32{0, 0, 1}, []float32{1}, 0,
			"nodes have no features: one-hot degree, width 3"},
		{"degree, fixed width", bare, data.Options{NodeCodes: 5}, []float32{0, 0, 1, 0, 0}, []float32{1}, 0,
			"nodes have no features: one-hot degree, width 5"},
		{"degree 999", star(999), data.Options{}, append(make([]float32, 999), 1), []float32{1}, 0,
			"nodes have no features: one-hot degree, width 1000"},
		// From 1000 on the degree itself, standardised.
		{"degree 1000", star(1000), data.Options{}, []float32{float32(standardised(1000))}, []float32{1}, 1,
			"nodes have no features: degree, standardised with mean 1.998 and deviation 31.5754"},
		{"fixed codes", toy, data.Options{NodeCodes: 8, EdgeCodes: 5}, []float32{0, 0, 0, 1, 0, 0, 0, 0}, []float32{0, 1, 0, 0, 0}, 0, ""},
		{"edge attributes then labels", toy.with("T_edge_attributes.txt", "1,2\n3,4\n3,4\n1,2\n5,6\n5,6\n0,0\n0,0\n"), data.Options{},
			[]float32{1, 0, 0, 0}, []float32{3, 4, 1, 0, 0, 0}, 0, ""},
		{"two label columns", toy.with("T_node_labels.txt", "3,0\n5,1\n3,0\n3,0\n4,0\n5,0\n"), data.Options{},
			[]float32{1, 0, 0, 1, 0}, []float32{1, 0, 0, 0}, 0, ""},
		{"attributes then two label columns", toy.with("T_node_labels.txt", "3,0\n5,1\n3,0\n3,0\n4,0\n5,0\n", "T_node_attributes.txt", attributes), data.Options{},
			[]float32{0.5, 1, 1, 0, 0, 1, 0}, []float32{1, 0, 0, 0}, 2, ""},
		{"CRLF, blanks, tabs, byte order mark", toy.with("T_node_labels.txt", "\xef\xbb\xbf3\r\n 5\t\r\n3\r\n3\r\n6\r\n5\r\n\r\n\n"), data.Options{},
			[]float32{1, 0, 0, 0}, []float32{1, 0, 0, 0}, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := read(t, test.files, test.opts)
			g := d.Graphs[0]
			if got := rows(g.Node, g.NumNodes)[0]; !slices.Equal(got, test.node0) {
				t.Errorf("first node row %v, want %v", got, test.node0)
			}
			if got := rows(g.Edge, g.NumEdges())[0]; !slices.Equal(got, test.edge0) {
				t.Errorf("first edge row %v, want %v", got, test.edge0)
			}
			if g.Node.Dim != test.nodeDim {
				t.Errorf("%d dense node columns, want %d", g.Node.Dim, test.nodeDim)
			}
			if d.Info.NodeWidth != len(test.node0) || d.Info.EdgeWidth != len(test.edge0) {
				t.Errorf("widths %d, %d, want %d, %d", d.Info.NodeWidth, d.Info.EdgeWidth, len(test.node0), len(test.edge0))
			}
			if d.Info.Scaled != strings.Contains(test.note, "standardised") {
				t.Errorf("scaled is %v with note %q", d.Info.Scaled, test.note)
			}
			if got := strings.Join(d.Info.Notes, "; "); !strings.Contains(got, test.note) {
				t.Errorf("notes %q, want %q", got, test.note)
			}
		})
	}
}

// standardised is the standardised degree of the centre of a star.
func standardised(leaves float64) float64 {
	n := leaves + 1
	mean := 2 * leaves / n
	squares := (leaves-mean)*(leaves-mean) + leaves*(1-mean)*(1-mean)
	return (leaves - mean) / math.Sqrt(squares/(n-1))
}

// TestTUForms covers arcs that do not come in plain pairs.
func TestTUForms(t *testing.T) {
	const labels = "T_edge_labels.txt"
	tests := []struct {
		name       string
		files      files
		symmetric  bool
		ends       []int32 // of graph 0
		edgeLabels []int32
		mean       float64
		note       string
		refused    string // with Undirected
	}{
		{"self-loops", toy.with("T_A.txt", "1,1\n1,2\n2,1\n4,4\n", labels, "9\n1\n1\n9\n"),
			true, []int32{0, 1}, []int32{0}, 1.0 / 3, "2 self-loops dropped", ""},
		{"repeats", toy.with("T_A.txt", "1,2\n2,1\n2,1\n1,2\n", labels, "1\n1\n1\n1\n"),
			true, []int32{0, 1}, []int32{0}, 1.0 / 3,
			"2 repeated arcs dropped, 0 of them with other labels or attributes than the first, which is kept", ""},
		{"conflicting repeats", toy.with("T_A.txt", "1,2\n2,1\n1,2\n", labels, "1\n1\n2\n"),
			true, []int32{0, 1}, []int32{0}, 1.0 / 3,
			"1 repeated arcs dropped, 1 of them with other labels or attributes than the first, which is kept", ""},
		{"conflicting repeats out of order", toy.with("T_A.txt", "1,3\n1,2\n2,1\n1,2\n3,1\n", labels, "3\n1\n1\n2\n3\n"),
			true, []int32{0, 1, 0, 2}, []int32{0, 2}, 2.0 / 3, "1 repeated arcs dropped, 1 of them", ""},
		{"no reverse", toy.with("T_A.txt", "1,2\n2,1\n3,2\n", labels, "1\n1\n1\n"),
			false, []int32{0, 1, 1, 0, 2, 1}, []int32{0, 0, 0}, 2.0 / 3,
			"edges are directed: in graph 0 the arc from node 2 to node 1 has no reverse",
			"data: T: graph 0: arc from node 2 to node 1 has no reverse: graph: arcs do not pair up"},
		{"each once", toy.with("T_A.txt", "1,2\n1,3\n2,3\n5,4\n", labels, "1\n1\n1\n1\n"),
			false, []int32{0, 1, 0, 2, 1, 2}, []int32{0, 0, 0}, 4.0 / 3,
			"edges are directed: in graph 0 the arc from node 0 to node 1 has no reverse",
			"data: T: graph 0: arc from node 0 to node 1 has no reverse: graph: arcs do not pair up"},
		{"only downwards", toy.with("T_A.txt", "3,1\n3,2\n5,4\n", labels, "1\n1\n1\n"),
			false, []int32{2, 0, 2, 1}, []int32{0, 0}, 1,
			"edges are directed: in graph 0 the arc from node 2 to node 0 has no reverse",
			"data: T: graph 0: arc from node 2 to node 0 has no reverse: graph: arcs do not pair up"},
		{"passed over", toy.with("T_A.txt", "1,3\n3,1\n3,2\n", labels, "1\n1\n1\n"),
			false, []int32{0, 2, 2, 0, 2, 1}, []int32{0, 0, 0}, 2.0 / 3,
			"edges are directed: in graph 0 the arc from node 2 to node 1 has no reverse",
			"data: T: graph 0: arc from node 2 to node 1 has no reverse: graph: arcs do not pair up"},
		{"skipped by a later source", toy.with("T_A.txt", "2,3\n3,2\n3,1\n", labels, "1\n1\n1\n"),
			false, []int32{1, 2, 2, 0, 2, 1}, []int32{0, 0, 0}, 2.0 / 3,
			"edges are directed: in graph 0 the arc from node 2 to node 0 has no reverse",
			"data: T: graph 0: arc from node 2 to node 0 has no reverse: graph: arcs do not pair up"},
		{"labels differ", toy.with(labels, "2\n1\n3\n2\n4\n4\n1\n1\n"),
			false, []int32{0, 1, 0, 2, 1, 0, 1, 2, 2, 0, 2, 1}, []int32{0, 3, 2, 1, 3, 1}, 4.0 / 3,
			"edges are directed: in graph 0 the arc from node 0 to node 1 and its reverse differ in label or attributes",
			"data: T: graph 0: arc from node 0 to node 1 and its reverse differ in label or attributes: graph: arcs do not pair up"},
		{"attributes differ", toy.with("T_edge_attributes.txt", "1\n1\n1\n1\n1\n1\n1\n1.5\n"),
			false, []int32{0, 1, 0, 2, 1, 0, 1, 2, 2, 0, 2, 1}, []int32{0, 3, 0, 1, 3, 1}, 4.0 / 3,
			"edges are directed: in graph 1 the arc from node 0 to node 1 and its reverse differ in label or attributes",
			"data: T: graph 1: arc from node 0 to node 1 and its reverse differ in label or attributes: graph: arcs do not pair up"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := read(t, test.files, data.Options{})
			g := d.Graphs[0]
			if d.Info.Symmetric != test.symmetric || d.Info.Directed == test.symmetric || g.Directed == test.symmetric {
				t.Errorf("symmetric %v, directed %v and %v, want symmetric %v", d.Info.Symmetric, d.Info.Directed, g.Directed, test.symmetric)
			}
			if !slices.Equal(g.Ends, test.ends) || !slices.Equal(g.EdgeLabel, test.edgeLabels) {
				t.Errorf("ends %v, labels %v, want %v, %v", g.Ends, g.EdgeLabel, test.ends, test.edgeLabels)
			}
			if math.Abs(d.Info.MeanEdges-test.mean) > 1e-12 {
				t.Errorf("mean edges %v, want %v", d.Info.MeanEdges, test.mean)
			}
			if got := strings.Join(d.Info.Notes, "; "); !strings.Contains(got, test.note) {
				t.Errorf("notes %q, want %q", got, test.note)
			}
			_, err := data.Read(test.files.fs(), data.Options{Edges: data.Undirected})
			if test.refused == "" {
				if err != nil {
					t.Errorf("Undirected: %v", err)
				}
			} else if !errors.Is(err, graph.ErrAsymmetric) || err.Error() != test.refused {
				t.Errorf("Undirected: error %v, want %s", err, test.refused)
			}
		})
	}
}

func TestTUSparse(t *testing.T) {
	t.Run("no edges", func(t *testing.T) {
		d := read(t, toy.with("T_A.txt", "", "T_edge_labels.txt", "-", "T_node_labels.txt", "-"), data.Options{})
		if d.Info.MeanEdges != 0 || d.Info.NodeWidth != 1 || d.Info.EdgeWidth != 1 || !d.Info.Symmetric {
			t.Errorf("info %+v", d.Info)
		}
	})
	t.Run("no edges, empty label file", func(t *testing.T) {
		d := read(t, toy.with("T_A.txt", "", "T_edge_labels.txt", ""), data.Options{})
		if g := d.Graphs[0]; g.NumEdges() != 0 || g.Edge.Width() != d.Info.EdgeWidth {
			t.Errorf("graph %+v", g)
		}
	})
	t.Run("graphs without nodes", func(t *testing.T) {
		d := read(t, files{"T_A.txt": "1,2\n2,1\n", "T_graph_indicator.txt": "2\n2\n5\n", "T_graph_labels.txt": "1\n1\n0\n0\n0\n"}, data.Options{})
		var sizes []int
		for _, g := range d.Graphs {
			sizes = append(sizes, g.NumNodes, g.NumEdges())
		}
		if want := []int{0, 0, 2, 1, 0, 0, 0, 0, 1, 0}; !slices.Equal(sizes, want) {
			t.Errorf("nodes and edges %v, want %v", sizes, want)
		}
	})
}

func TestTUTargets(t *testing.T) {
	d := read(t, toy.with("T_graph_labels.txt", "-", "T_graph_attributes.txt", "1.5, nan\n,2\n-3,\n"), data.Options{})
	nan := float32(math.NaN())
	for i, want := range [][]float32{{1.5, nan}, {nan, 2}, {-3, nan}} {
		g := d.Graphs[i]
		if g.Label != graph.NoLabel || len(g.Targets) != 2 {
			t.Fatalf("graph %d: label %d, targets %v", i, g.Label, g.Targets)
		}
		for j, v := range g.Targets {
			if math.Float32bits(v) != math.Float32bits(want[j]) {
				t.Errorf("graph %d: targets %v, want %v", i, g.Targets, want)
			}
		}
	}
	if d.Info.NumTargets != 2 || d.Info.NumClasses != 0 {
		t.Errorf("%d targets, %d classes, want 2, 0", d.Info.NumTargets, d.Info.NumClasses)
	}
}

func TestClassNames(t *testing.T) {
	d := read(t, toy, data.Options{ClassNames: []string{"7", "3", "-1"}})
	if got, want := d.Labels(), []int32{0, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
	if d.Info.NumClasses != 3 {
		t.Errorf("%d classes, want 3", d.Info.NumClasses)
	}
	// Data without labels keep the classes that a model predicts.
	d = read(t, toy.with("T_graph_labels.txt", "-"), data.Options{ClassNames: []string{"7", "3"}})
	if d.Info.NumClasses != 2 || d.Graphs[0].Label != graph.NoLabel {
		t.Errorf("%d classes, label %d, want 2 and none", d.Info.NumClasses, d.Graphs[0].Label)
	}
}

// Labels of graphs are whole numbers in any spelling, or names.
func TestGraphLabels(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		classes []string
		labels  []int32
	}{
		"whole numbers":     {"7\n-1\n7\n", []string{"-1", "7"}, []int32{1, 0, 1}},
		"fractions of zero": {"0.0\n1.0\n0.0\n", []string{"0", "1"}, []int32{0, 1, 0}},
		"both":              {"1\n10\n1.000\n", []string{"1", "10"}, []int32{0, 1, 0}},
		"exponents":         {"1e0,\n1e1\n -0.0\n", nil, nil},
		"powers":            {"1e0\n1.2e1\n -0.0\n", []string{"0", "1", "12"}, []int32{1, 2, 0}},
		"names":             {"nonmutagen\n mutagen\nnonmutagen\n", []string{"mutagen", "nonmutagen"}, []int32{1, 0, 1}},
		"blanks and commas": {"not toxic, at all\ntoxic\n3-ring\n", []string{"3-ring", "not toxic, at all", "toxic"}, []int32{1, 2, 0}},
	} {
		d, err := data.Read(toy.with("T_graph_labels.txt", test.text).fs(), data.Options{})
		if test.classes == nil {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Info.ClassNames, test.classes) || !slices.Equal(d.Labels(), test.labels) {
			t.Errorf("%s: classes %q, labels %v; want %q, %v", name, d.Info.ClassNames, d.Labels(), test.classes, test.labels)
		}
		again := read(t, toy.with("T_graph_labels.txt", test.text), data.Options{ClassNames: test.classes})
		if !slices.Equal(again.Labels(), test.labels) {
			t.Errorf("%s: with classes that are given, labels %v", name, again.Labels())
		}
	}
	got := read(t, toy.with("T_node_labels.txt", "3.0\n5.0\n3.0\n3\n6.0\n5.0\n", "T_edge_labels.txt", "2.0\n1\n1\n2\n4\n4\n1\n1.0\n"), data.Options{})
	got.Info.Checksum = ""
	want := read(t, toy, data.Options{})
	want.Info.Checksum = ""
	same(t, got, want)
}

func TestSMILES(t *testing.T) {
	d := read(t, toy.with("T_smiles.txt", "C1CC1\nC=C\nC\n"), data.Options{})
	if want := []string{"C1CC1", "C=C", "C"}; !slices.Equal(d.SMILES, want) {
		t.Errorf("SMILES %q, want %q", d.SMILES, want)
	}
}
