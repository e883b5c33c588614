package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Samples without nodes or edges keep their place wherever they stand.
func TestCollate(t *testing.T) {
	r := rng.Stream(10, "collate")
	empty := func(nodes int) *graph.Graph {
		return must(graph.New(graph.Graph{NumNodes: nodes, Label: graph.NoLabel,
			Node: randomFeatures(r, nodes, 2, 3), Edge: randomFeatures(r, 0, 1, 2)}))
	}
	full := func() *graph.Graph {
		g := randomGraph(r, false)
		for g.NumEdges() == 0 {
			g = randomGraph(r, false)
		}
		return g
	}
	for name, gs := range map[string][]*graph.Graph{
		"one":          {full()},
		"three":        {full(), full(), full()},
		"empty first":  {empty(0), empty(2), full()},
		"empty inside": {full(), empty(0), empty(1), full()},
		"empty last":   {full(), full(), empty(3), empty(0)},
		"all empty":    {empty(0), empty(0)},
		"only nodes":   {empty(1), empty(2)},
	} {
		t.Run(name, func(t *testing.T) {
			b := must(graph.Collate(gs))
			if b.N != len(gs) || b.VertexOf.Slots() != len(gs) || b.EdgeOf.Slots() != len(gs) || len(b.Labels) != len(gs) {
				t.Fatalf("%d samples of %d", b.N, len(gs))
			}
			n, m := 0, 0
			row := make([]float32, 5)
			for i, g := range gs {
				for k, v := range g.Ends {
					if got := b.H.Ends()[2*m+k]; got != v+int32(n) {
						t.Errorf("end %d of sample %d is %d, want %d", k, i, got, v+int32(n))
					}
				}
				for v := range g.NumNodes {
					g.Node.Row(v, row)
					if got := b.X.Data()[(n+v)*5 : (n+v+1)*5]; !slices.Equal(got, row) || b.VertexOf.IDs()[n+v] != int32(i) {
						t.Errorf("node %d of sample %d is %v, want %v", v, i, got, row)
					}
				}
				for e := range g.NumEdges() {
					g.Edge.Row(e, row[:3])
					if got := b.E.Data()[(m+e)*3 : (m+e+1)*3]; !slices.Equal(got, row[:3]) || b.EdgeOf.IDs()[m+e] != int32(i) {
						t.Errorf("edge %d of sample %d is %v, want %v", e, i, got, row[:3])
					}
				}
				if b.Labels[i] != g.Label {
					t.Errorf("label of sample %d is %d, want %d", i, b.Labels[i], g.Label)
				}
				n, m = n+g.NumNodes, m+g.NumEdges()
			}
			if !slices.Equal(b.X.Shape(), []int{n, 5}) || !slices.Equal(b.E.Shape(), []int{m, 3}) ||
				b.H.NumVertices() != n || b.H.NumEdges() != m || b.W != nil {
				t.Errorf("sizes %v %v, want %d nodes and %d edges", b.X.Shape(), b.E.Shape(), n, m)
			}
		})
	}
}

// Rows of samples without rows, with unknown codes and with other columns of the
// same width.
func TestCollateFeatures(t *testing.T) {
	gs := []*graph.Graph{
		{NumNodes: 2, Node: graph.Features{Codes: []int{2, 3}, Code: []int32{1, 0, -1, 2}}},
		{Node: graph.Features{Codes: []int{2, 3}}},
		{NumNodes: 2, Node: graph.Features{Dim: 2, Dense: []float32{5, 6, 7, 8}, Codes: []int{3}, Code: []int32{-1, 1}}},
	}
	b := must(graph.Collate(gs))
	want := []float32{
		0, 1, 1, 0, 0,
		0, 0, 0, 0, 1,
		5, 6, 0, 0, 0,
		7, 8, 0, 1, 0,
	}
	if !slices.Equal(b.X.Data(), want) || !slices.Equal(b.X.Shape(), []int{4, 5}) {
		t.Errorf("features %v of shape %v, want %v", b.X.Data(), b.X.Shape(), want)
	}
	if !slices.Equal(b.E.Shape(), []int{0, 0}) {
		t.Errorf("features of no edges have the shape %v", b.E.Shape())
	}
}

// Wide features that are mostly zero get a sparse form; others do not.
func TestCollateSparse(t *testing.T) {
	bag := func(nodes, words, each int) *graph.Graph {
		x := make([]float32, nodes*words)
		for i := range nodes {
			for k := range each {
				x[i*words+(7*i+3*k)%words] += float32(k + 1)
			}
		}
		return must(graph.New(graph.Graph{NumNodes: nodes, Node: graph.Features{Dim: words, Dense: x}, Edge: graph.Ones(0)}))
	}
	for _, c := range []struct{ words, each, entries int }{{64, 4, 20}, {64, 5, -1}, {63, 1, -1}, {300, 0, 0}} {
		a, b := bag(3, c.words, c.each), bag(2, c.words, c.each)
		batch := must(graph.Collate([]*graph.Graph{a, b}))
		if n := batch.X.SparseEntries(); n != c.entries {
			t.Errorf("%d of %d words: %d entries, want %d", c.each, c.words, n, c.entries)
		}
		if want := slices.Concat(a.Node.Dense, b.Node.Dense); !slices.Equal(batch.X.Data(), want) {
			t.Errorf("%d of %d words: rows changed", c.each, c.words)
		}
	}
}

func TestCollateLabelsAndTargets(t *testing.T) {
	nan := float32(math.NaN())
	a := &graph.Graph{NumNodes: 2, Ends: []int32{0, 1}, Label: 1, Targets: []float32{1, nan}, NodeLabel: []int32{3, 4}, EdgeLabel: []int32{5}}
	b := &graph.Graph{NumNodes: 1, Label: graph.NoLabel, Targets: []float32{2, 3}, NodeLabel: []int32{6}}
	c := must(graph.Collate([]*graph.Graph{a, b}))
	if !slices.Equal(c.Labels, []int32{1, -1}) || !slices.Equal(c.NodeLabels, []int32{3, 4, 6}) || !slices.Equal(c.EdgeLabels, []int32{5}) {
		t.Errorf("labels %v %v %v", c.Labels, c.NodeLabels, c.EdgeLabels)
	}
	if y := c.Targets.Data(); !slices.Equal(c.Targets.Shape(), []int{2, 2}) || y[0] != 1 || y[1] == y[1] || y[2] != 2 || y[3] != 3 {
		t.Errorf("targets %v", c.Targets)
	}
	if c.EdgeTargets != nil {
		t.Errorf("edge targets %v from nothing", c.EdgeTargets)
	}
	a.EdgeTargets = []float32{nan}
	two := *a
	two.EdgeTargets = []float32{7}
	both := must(graph.Collate([]*graph.Graph{a, b, &two})) // b has no edges, so lacks no target
	if y := both.EdgeTargets; y == nil || !slices.Equal(y.Shape(), []int{2, 1}) || y.Data()[0] == y.Data()[0] || y.Data()[1] != 7 {
		t.Errorf("edge targets %v, want NaN and 7", y)
	}
	two.EdgeTargets, a.NodeTargets, b.NodeTargets = []float32{7, 8}, []float32{1, 2, 3, 4}, []float32{5, 6}
	two.NodeTargets = a.NodeTargets
	if both = must(graph.Collate([]*graph.Graph{a, b, &two})); both.EdgeTargets != nil {
		t.Errorf("edge targets %v, of which one sample has more than another", both.EdgeTargets)
	}
	if y := both.NodeTargets; y == nil || !slices.Equal(y.Shape(), []int{5, 2}) || !slices.Equal(y.Data(), []float32{1, 2, 3, 4, 5, 6, 1, 2, 3, 4}) {
		t.Errorf("node targets %v", y)
	}
	two.EdgeTargets = nil
	if both = must(graph.Collate([]*graph.Graph{a, b, &two})); both.EdgeTargets != nil {
		t.Errorf("edge targets %v, known for some samples only", both.EdgeTargets)
	}
	b.NodeLabel, a.EdgeLabel = nil, nil // known for some samples only: left out
	if c = must(graph.Collate([]*graph.Graph{a, b})); c.NodeLabels != nil || c.EdgeLabels != nil {
		t.Errorf("labels %v %v, want none", c.NodeLabels, c.EdgeLabels)
	}
	a.Targets, b.Targets = nil, nil
	if c = must(graph.Collate([]*graph.Graph{a, b})); c.Targets != nil {
		t.Error("targets from nothing")
	}
}

func TestCollateErrors(t *testing.T) {
	plain := &graph.Graph{NumNodes: 1, Node: graph.Ones(1), Edge: graph.Ones(0)}
	wideNode, wideEdge, directed, target := *plain, *plain, *plain, *plain
	wideNode.Node = graph.Features{Dim: 2, Dense: make([]float32, 2)}
	wideEdge.Edge = graph.Features{Codes: []int{3}}
	directed.Directed = true
	target.Targets = []float32{1}
	for _, c := range []struct {
		gs   []*graph.Graph
		want string
	}{
		{nil, "graph: collate: no samples"},
		{[]*graph.Graph{plain, &wideNode}, "graph: collate: sample 1 has node features of width 2, the first has 1"},
		{[]*graph.Graph{plain, plain, &wideEdge}, "graph: collate: sample 2 has edge features of width 3, the first has 1"},
		{[]*graph.Graph{plain, &directed}, "graph: collate: sample 1 has directed true, the first false"},
		{[]*graph.Graph{&directed, plain}, "graph: collate: sample 1 has directed false, the first true"},
		{[]*graph.Graph{plain, &target}, "graph: collate: sample 1 has 1 targets, the first has 0"},
	} {
		b, err := graph.Collate(c.gs)
		if err == nil || err.Error() != c.want || b != nil {
			t.Errorf("Collate gave %v, error %v, want %q", b, err, c.want)
		}
	}
}

// The conventions of a batch follow from what its samples are.
func TestCollateLoops(t *testing.T) {
	for _, directed := range []bool{false, true} {
		g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2}, Directed: directed}
		b := must(graph.Collate([]*graph.Graph{g}))
		want := float32(1. / 3)
		if directed {
			want = 1. / 2 // the leaf's singleton hyperedge is replaced
		}
		if got := b.H.Dual().Hyper().Self.Data()[0]; got != want || b.H.Directed() != directed {
			t.Errorf("directed %v: share of a leaf edge is %v, want %v", directed, got, want)
		}
	}
}

func TestKeepEdges(t *testing.T) {
	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2, 2, 2}, Directed: true,
		Edge: graph.Features{Dim: 2, Dense: []float32{0, 1, 2, 3, 4, 5}}, Node: graph.Ones(3)}
	v := must(graph.Collate([]*graph.Graph{g, g})).View.WithW(tensor.FromSlice([]float32{10, 11, 12, 13, 14, 15}, 6))
	k := v.KeepEdges([]int32{2, 0, 4})
	if !slices.Equal(k.H.Ends(), []int32{2, 2, 0, 1, 4, 5}) || k.H.NumVertices() != 6 || !k.H.Directed() {
		t.Errorf("kept edges %v of %d nodes", k.H.Ends(), k.H.NumVertices())
	}
	if !slices.Equal(k.E.Data(), []float32{4, 5, 0, 1, 2, 3}) || !slices.Equal(k.W.Data(), []float32{12, 10, 14}) {
		t.Errorf("features %v, weights %v", k.E, k.W)
	}
	if !slices.Equal(k.EdgeOf.IDs(), []int32{0, 0, 1}) || k.EdgeOf.Slots() != 2 || k.X != v.X || k.VertexOf != v.VertexOf {
		t.Errorf("sample of each edge %v", k.EdgeOf.IDs())
	}
	// LoopsReplaceSingletons of a directed batch is kept: a single edge averages
	// over itself only.
	if got := k.H.Dual().Hyper().Self.Data()[1]; got != 1 {
		t.Errorf("share of an edge between two leaves is %v, want 1", got)
	}
	none := v.WithW(nil).WithE(nil).KeepEdges(nil)
	if none.H.NumEdges() != 0 || none.E != nil || none.W != nil || none.EdgeOf.Slots() != 2 {
		t.Error("keeping no edge fails")
	}
	mustPanic(t, "edges of a dual", func() { v.WithW(nil).Dual().KeepEdges([]int32{0}) })
	h := must(graph.NewIncidence(2, 1, []int32{0, 1}, []int32{0, 0}))
	mustPanic(t, "edges of a hypergraph", func() {
		graph.View{H: h, EdgeOf: tensor.MustIndex([]int32{0}, 1)}.KeepEdges([]int32{0})
	})
}

// Gradients of kept features and weights go to the edges they come from.
func TestKeepEdgesGradient(t *testing.T) {
	g := &graph.Graph{NumNodes: 2, Ends: []int32{0, 1, 1, 0, 0, 0}, Edge: graph.Ones(3), Node: graph.Ones(2)}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	v := must(graph.Collate([]*graph.Graph{g})).View
	e, w := tape.Variable(v.E), tape.Variable(tensor.Full(1, 3))
	k := v.WithE(e).WithW(w).KeepEdges([]int32{2, 0})
	loss := k.E.Mul(tensor.FromSlice([]float32{5, 7}, 2, 1)).Sum().Add(k.W.Mul(tensor.FromSlice([]float32{2, 3}, 2)).Sum())
	for i, d := range tape.Grad(loss, e, w) {
		if want := [][]float32{{7, 0, 5}, {3, 0, 2}}[i]; !slices.Equal(d.Data(), want) {
			t.Errorf("gradient %d is %v, want %v", i, d, want)
		}
	}
}
