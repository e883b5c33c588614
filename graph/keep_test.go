package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// someVertices draws distinct vertices of v, sample by sample, in random order
// inside each.
func someVertices(r *rand.Rand, of *tensor.Index) []int32 {
	ptr, _ := of.Segments()
	var ids []int32
	for g := range of.Slots() {
		for _, i := range r.Perm(int(ptr[g+1] - ptr[g])) {
			if r.IntN(3) > 0 {
				ids = append(ids, ptr[g]+int32(i))
			}
		}
	}
	return ids
}

// numbered gives each edge of g its number as feature.
func numbered(g *graph.Graph) *graph.Graph {
	h := *g
	h.Edge = graph.Features{Dim: 1}
	for e := range g.NumEdges() {
		h.Edge.Dense = append(h.Edge.Dense, float32(e))
	}
	return &h
}

// The induced subgraph by its definition, on multigraphs of either kind.
func TestKeepVertices(t *testing.T) {
	r := rng.Stream(20, "keep")
	for trial := range 200 {
		var gs []*graph.Graph
		for range 1 + r.IntN(3) {
			gs = append(gs, numbered(randomGraph(r, trial%2 == 0)))
		}
		v := must(graph.Collate(gs)).View
		if trial%3 == 0 {
			w := tensor.New(v.H.NumEdges())
			for e := range w.Data() {
				w.Data()[e] = float32(e) / 2
			}
			v = v.WithW(w)
		}
		ids := someVertices(r, v.VertexOf)
		k := v.KeepVertices(ids)
		var ends, samples []int32
		var features, weights []float32
		for e := range v.H.NumEdges() {
			a, b := slices.Index(ids, v.H.Ends()[2*e]), slices.Index(ids, v.H.Ends()[2*e+1])
			if a < 0 || b < 0 {
				continue
			}
			ends, samples = append(ends, int32(a), int32(b)), append(samples, v.EdgeOf.IDs()[e])
			features, weights = append(features, v.E.Data()[e]), append(weights, float32(e)/2)
		}
		if !slices.Equal(k.H.Ends(), ends) || !slices.Equal(k.E.Data(), features) || !slices.Equal(k.EdgeOf.IDs(), samples) {
			t.Fatalf("vertices %v of %v keep edges %v of %v", ids, v.H.Ends(), k.H.Ends(), ends)
		}
		if v.W == nil && k.W != nil || v.W != nil && !slices.Equal(k.W.Data(), weights) {
			t.Errorf("weights %v, want %v", k.W, weights)
		}
		if k.H.NumVertices() != len(ids) || k.H.Directed() != v.H.Directed() || k.H.Loops() != v.H.Loops() ||
			k.VertexOf.Slots() != len(gs) || k.EdgeOf.Slots() != len(gs) {
			t.Errorf("%d vertices, %d samples", k.H.NumVertices(), k.VertexOf.Slots())
		}
		d := v.X.Dim(1)
		for i, u := range ids {
			if !slices.Equal(k.X.Data()[i*d:(i+1)*d], v.X.Data()[int(u)*d:int(u+1)*d]) || k.VertexOf.IDs()[i] != v.VertexOf.IDs()[u] {
				t.Errorf("vertex %d is not vertex %d", i, u)
			}
		}
	}
}

// On a dual it is the graph with the listed edges.
func TestKeepVerticesOfDual(t *testing.T) {
	r := rng.Stream(21, "dual")
	for trial := range 60 {
		gs := []*graph.Graph{randomGraph(r, trial%2 == 0), randomGraph(r, trial%2 == 0)}
		v := must(graph.Collate(gs)).View
		ids := someVertices(r, v.EdgeOf)
		k, want := v.Dual().KeepVertices(ids).Dual(), v.KeepEdges(ids)
		if !slices.Equal(k.H.Ends(), want.H.Ends()) || !slices.Equal(k.E.Data(), want.E.Data()) || k.X != v.X ||
			!slices.Equal(k.EdgeOf.IDs(), want.EdgeOf.IDs()) || k.VertexOf != v.VertexOf || k.H.Loops() != v.H.Loops() {
			t.Errorf("edges %v of %v give %v", ids, v.H.Ends(), k.H.Ends())
		}
	}
}

// On a hypergraph, and on the dual of one, rows of the incidence matrix vanish
// and columns stay.
func TestKeepVerticesOfHypergraph(t *testing.T) {
	r := rng.Stream(22, "hypergraph")
	for trial := range 100 {
		n, m, vertex, edge := randomHypergraph(r)
		h := must(graph.NewIncidence(n, m, vertex, edge))
		if trial%2 == 0 {
			h = h.WithLoops(graph.LoopsKeep)
		}
		of := func(n int) *tensor.Index { return tensor.MustIndex(make([]int32, n), 1) }
		v := graph.View{H: h, VertexOf: of(n), EdgeOf: of(m), E: tensor.New(m, 1)}
		if trial%3 == 0 {
			v, n, m = v.Dual(), m, n
		}
		w := tensor.New(m)
		v = v.WithW(w)
		ids := someVertices(r, v.VertexOf)
		k := v.KeepVertices(ids)
		before, after := zeros(n, m), zeros(len(ids), m)
		vertex, edge = v.H.List()
		for i := range vertex {
			before[vertex[i]][edge[i]]++
		}
		vertex, edge = k.H.List()
		for i := range vertex {
			after[vertex[i]][edge[i]]++
		}
		for i, u := range ids {
			if !slices.Equal(after[i], before[u]) {
				t.Errorf("row %d is %v, want %v", i, after[i], before[u])
			}
		}
		if k.H.NumVertices() != len(ids) || k.H.NumEdges() != m || k.E != v.E || k.W != w || k.EdgeOf != v.EdgeOf || k.H.Loops() != v.H.Loops() {
			t.Error("hyperedges changed")
		}
	}
}

func TestKeepVerticesErrors(t *testing.T) {
	g := &graph.Graph{NumNodes: 2, Ends: []int32{0, 1}, Edge: graph.Ones(1), Node: graph.Ones(2)}
	v := must(graph.Collate([]*graph.Graph{g})).View
	for name, ids := range map[string][]int32{"twice": {1, 1}, "too large": {2}, "negative": {-1}} {
		mustPanic(t, name, func() { v.KeepVertices(ids) })
		mustPanic(t, name+", dual", func() { v.Dual().KeepVertices(append([]int32{0}, ids...)) })
	}
	none := v.WithX(nil).WithE(nil).KeepVertices(nil)
	if none.H.NumVertices() != 0 || none.H.NumEdges() != 0 || none.X != nil || none.E != nil || none.VertexOf.Slots() != 1 {
		t.Error("keeping no vertex fails")
	}
	// A graph without edges is a graph, also one made from a nil list.
	h := must(graph.NewPairs(3, nil, false))
	lone := graph.View{H: h, VertexOf: tensor.MustIndex([]int32{0, 0, 0}, 1), EdgeOf: tensor.MustIndex(nil, 1)}
	if k := lone.KeepVertices([]int32{2, 0}); k.H.NumVertices() != 2 || k.H.NumEdges() != 0 {
		t.Errorf("%d vertices", k.H.NumVertices())
	}
}

// Gradients of kept features and weights go to where they come from.
func TestKeepVerticesGradient(t *testing.T) {
	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2, 2, 1}, Edge: graph.Ones(3), Node: graph.Ones(3)}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	v := must(graph.Collate([]*graph.Graph{g})).View
	x, e, w := tape.Variable(v.X), tape.Variable(v.E), tape.Variable(tensor.Full(1, 3))
	k := v.WithX(x).WithE(e).WithW(w).KeepVertices([]int32{2, 1})
	loss := k.X.Mul(tensor.FromSlice([]float32{5, 7}, 2, 1)).Sum().
		Add(k.E.Mul(tensor.FromSlice([]float32{3, 4}, 2, 1)).Sum()).
		Add(k.W.Mul(tensor.FromSlice([]float32{8, 9}, 2)).Sum())
	for i, d := range tape.Grad(loss, x, e, w) {
		if want := [][]float32{{0, 7, 5}, {0, 3, 4}, {0, 8, 9}}[i]; !slices.Equal(d.Data(), want) {
			t.Errorf("gradient %d is %v, want %v", i, d, want)
		}
	}
}
