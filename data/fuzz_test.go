package data_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// FuzzTU reads any text as a TU set. Seeds are in testdata/fuzz/FuzzTU. An
// optional file whose text is "-" is left out.
func FuzzTU(f *testing.F) {
	f.Add(toy["T/T_A.txt"], toy["T/T_graph_indicator.txt"], toy["T/T_graph_labels.txt"], toy["T/T_node_labels.txt"], toy["T/T_edge_labels.txt"], "0.5,1\n1,2\n-1e-2,3\n0,0\n0,0\n0,7\n")
	f.Add(toy["T/T_A.txt"], toy["T/T_graph_indicator.txt"], "0.0\n1.0\n0.0\n", "3.0\n5\n3\n3\n6\n5\n", toy["T/T_edge_labels.txt"], "-")
	f.Add(toy["T/T_A.txt"], toy["T/T_graph_indicator.txt"], "not toxic\ntoxic\ntoxic\n", toy["T/T_node_labels.txt"], "-", "-")
	f.Fuzz(func(t *testing.T, arcs, indicator, labels, nodeLabels, edgeLabels, attributes string) {
		checkAny(t, files{"T/T_A.txt": arcs, "T/T_graph_indicator.txt": indicator}.with(
			"T_graph_labels.txt", labels, "T_node_labels.txt", nodeLabels,
			"T_edge_labels.txt", edgeLabels, "T_node_attributes.txt", attributes))
	})
}

// FuzzDGCNN reads any text as a DGCNN set. Seeds are in testdata/fuzz/FuzzDGCNN.
func FuzzDGCNN(f *testing.F) {
	f.Add("2\n3 1\n0 2 2 1\n0 1 0\n0 1 0\n1 0\n0 0\n")
	f.Fuzz(func(t *testing.T, text string) { checkAny(t, files{"T.txt": text}) })
}

// FuzzArchive reads any bytes as a zip or a tar with a set.
func FuzzArchive(f *testing.F) {
	packed := toy.with("T_A.txt", "-")
	packed["T/T_A.txt.gz"] = gz(toy["T/T_A.txt"])
	for _, set := range []files{toy, molecules, packed} {
		f.Add(set.zipped(f))
	}
	var entries []string
	for name, text := range toy {
		entries = append(entries, name, text)
	}
	f.Add(tarred(f, entries...))
	f.Add([]byte(gz(string(tarred(f, entries...)))))
	f.Fuzz(func(t *testing.T, archive []byte) {
		name := writeFile(t, "x.tar", archive)
		opts := data.Options{MaxMemory: 1 << 20}
		for range 2 {
			d, err := data.Open(name, opts)
			if err == nil && (len(d.Graphs) != d.Info.NumGraphs || len(d.Graphs) == 0) {
				t.Fatalf("%d graphs, info says %d", len(d.Graphs), d.Info.NumGraphs)
			}
			opts.Edges = data.Undirected
		}
	})
}

// checkAny reads a set that may be anything: it must be refused with an error
// that says where, or hold together.
func checkAny(t *testing.T, f files) {
	opts := data.Options{MaxMemory: 1 << 20}
	d, err := data.Read(f.fs(), opts)
	if err != nil {
		if d != nil || !strings.HasPrefix(err.Error(), "data: T: ") {
			t.Fatalf("%v, %v", d, err)
		}
		return
	}
	if len(d.Graphs) != d.Info.NumGraphs || len(d.Graphs) == 0 {
		t.Fatalf("%d graphs, info says %d", len(d.Graphs), d.Info.NumGraphs)
	}
	opts.Edges = data.Directed
	directed, err := data.Read(f.fs(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range d.Graphs {
		if int(g.Label) >= max(d.Info.NumClasses, 1) {
			t.Fatalf("graph %d has class %d of %d", i, g.Label, d.Info.NumClasses)
		}
		if g.Node.Width() != d.Info.NodeWidth || g.Edge.Width() != d.Info.EdgeWidth {
			t.Fatalf("graph %d has widths %d, %d, info says %d, %d", i, g.Node.Width(), g.Edge.Width(), d.Info.NodeWidth, d.Info.EdgeWidth)
		}
		arcs := directed.Graphs[i]
		for e := 2; e < len(arcs.Ends); e += 2 {
			u, v, w, x := arcs.Ends[e-2], arcs.Ends[e-1], arcs.Ends[e], arcs.Ends[e+1]
			if u > w || u == w && v >= x {
				t.Fatalf("graph %d: arc (%d,%d) before (%d,%d)", i, u, v, w, x)
			}
		}
		if d.Info.Symmetric && arcs.NumEdges() != 2*g.NumEdges() {
			t.Fatalf("graph %d: %d arcs, %d edges", i, arcs.NumEdges(), g.NumEdges())
		}
		if got := g.Arcs(); !slices.Equal(got.Ends, arcs.Ends) || !slices.Equal(got.EdgeLabel, arcs.EdgeLabel) {
			t.Fatalf("graph %d: arcs %v %v, directed form %v %v", i, got.Ends, got.EdgeLabel, arcs.Ends, arcs.EdgeLabel)
		}
	}
}
