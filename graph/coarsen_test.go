package graph_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCoarsen(t *testing.T) {
	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1}, Edge: graph.Ones(1), Node: graph.Ones(3)}
	for _, directed := range []bool{false, true} {
		one := *g
		one.Directed = directed
		v := must(graph.Collate([]*graph.Graph{&one, &one, &one})).View.WithLoops(graph.LoopsNone)
		of := tensor.MustIndex([]int32{0, 0, 2}, 3)
		c := v.Coarsen(of, []int32{0, 0, 0, 1, 2, 2})
		if c.H.NumVertices() != 3 || !slices.Equal(c.H.Ends(), []int32{0, 0, 0, 1, 2, 2}) || c.H.Directed() != directed ||
			c.H.Loops() != graph.LoopsNone || c.VertexOf != of || !slices.Equal(c.EdgeOf.IDs(), []int32{0, 0, 2}) ||
			c.EdgeOf.Slots() != 3 || c.X != nil || c.E != nil || c.W != nil {
			t.Errorf("directed %v: %+v", directed, c)
		}
		if e := v.Coarsen(of, nil); e.H.NumEdges() != 0 || e.EdgeOf.Slots() != 3 {
			t.Error("no edges fail")
		}
		for name, f := range map[string]func(){
			"dual":             func() { v.Dual().Coarsen(of, nil) },
			"other samples":    func() { v.Coarsen(tensor.MustIndex([]int32{0}, 2), nil) },
			"unsorted nodes":   func() { v.Coarsen(tensor.MustIndex([]int32{1, 0}, 3), nil) },
			"odd ends":         func() { v.Coarsen(of, []int32{0}) },
			"end out of range": func() { v.Coarsen(of, []int32{0, 3}) },
			"negative end":     func() { v.Coarsen(of, []int32{-1, 0}) },
			"across samples":   func() { v.Coarsen(of, []int32{1, 2}) },
			"unsorted edges":   func() { v.Coarsen(of, []int32{2, 2, 0, 1}) },
		} {
			mustPanic(t, name, f)
		}
	}
}

// Arcs of a view are the arcs of its graphs, in another order.
func TestViewArcs(t *testing.T) {
	r := rng.Stream(23, "arcs")
	for range 60 {
		gs := []*graph.Graph{numbered(randomGraph(r, false)), numbered(randomGraph(r, false))}
		v := must(graph.Collate(gs)).View
		m := v.H.NumEdges()
		w := tensor.New(m)
		for e := range w.Data() {
			w.Data()[e] = float32(e)
		}
		a, edge := v.WithW(w).Arcs()
		want := must(graph.Collate([]*graph.Graph{gs[0].Arcs(), gs[1].Arcs()})).View
		if !a.H.Directed() || a.H.Loops() != want.H.Loops() || a.X != v.X || a.VertexOf != v.VertexOf || a.EdgeOf.Slots() != 2 {
			t.Errorf("%+v", a)
		}
		if got, want := arcRows(a), arcRows(want); !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
		last := int32(-1)
		for k, e := range edge {
			if a.W.Data()[k] != float32(e) || e < last {
				t.Errorf("arc %d belongs to edge %d", k, e)
			}
			last = e
		}
		if len(edge) != a.H.NumEdges() || m > 0 && !slices.Equal(a.H.Ends()[:2], v.H.Ends()[:2]) {
			t.Errorf("%d arcs", len(edge))
		}
	}
	d := must(graph.Collate([]*graph.Graph{randomGraph(r, true)})).View
	if a, edge := d.Arcs(); a != d || edge != nil {
		t.Error("a directed view changed")
	}
	mustPanic(t, "arcs of a dual", func() { d.Dual().Arcs() })
}

// arcRows are source, target, sample and feature of each arc, sorted.
func arcRows(v graph.View) [][4]int {
	var out [][4]int
	for k := range v.H.NumEdges() {
		out = append(out, [4]int{int(v.H.Ends()[2*k]), int(v.H.Ends()[2*k+1]),
			int(v.EdgeOf.IDs()[k]), int(v.E.Data()[k])})
	}
	slices.SortFunc(out, func(a, b [4]int) int { return slices.Compare(a[:], b[:]) })
	return out
}
