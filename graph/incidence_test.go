package graph_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

func TestIncidenceErrors(t *testing.T) {
	_, err := graph.NewPairs(2, []int32{0, 1, 1}, false)
	contains(t, err, "graph: edge list has 3 ends, expected two per edge")
	_, err = graph.NewPairs(2, []int32{0, 1, 1, -1}, false)
	contains(t, err, "graph: edge 1 ends in node -1, expected 0 to 1")
	_, err = graph.NewPairs(2, []int32{2, 1}, true)
	contains(t, err, "graph: edge 0 ends in node 2, expected 0 to 1")
	_, err = graph.NewIncidence(2, 2, []int32{0, 1}, []int32{0})
	contains(t, err, "graph: incidence: 2 vertices for 1 hyperedges, expected one pair per entry")
	_, err = graph.NewIncidence(2, 2, []int32{0, 2}, []int32{0, 1})
	contains(t, err, "graph: incidence: vertices: tensor: index: row 1 has id 2, expected 0 to 1")
	_, err = graph.NewIncidence(2, 2, []int32{0, 1}, []int32{0, -1})
	contains(t, err, "graph: incidence: hyperedges: tensor: index: row 1 has id -1, expected 0 to 1")
}

// Entries may come in any order; List groups them by hyperedge and keeps their
// order inside one.
func TestIncidenceList(t *testing.T) {
	h := must(graph.NewIncidence(4, 3, []int32{3, 0, 1, 3, 0}, []int32{2, 0, 2, 0, 2}))
	vertex, edge := h.List()
	if !slices.Equal(vertex, []int32{0, 3, 3, 1, 0}) || !slices.Equal(edge, []int32{0, 0, 2, 2, 2}) {
		t.Errorf("list is %v %v", vertex, edge)
	}
	if h.Entries() != 5 || h.NumVertices() != 4 || h.NumEdges() != 3 || h.Dual().NumVertices() != 3 {
		t.Errorf("%d entries, %d×%d", h.Entries(), h.NumVertices(), h.NumEdges())
	}
	if h.Ends() != nil || h.Dual().Ends() != nil {
		t.Error("a hypergraph has an edge list")
	}
	if _, _, ok := h.Pairs(); ok {
		t.Error("a hypergraph has pairs")
	}
}

// randomHypergraph has repeated entries, empty and singleton hyperedges and
// isolated vertices.
func randomHypergraph(r *rand.Rand) (n, m int, vertex, edge []int32) {
	n, m = 1+r.IntN(6), 1+r.IntN(6)
	for range r.IntN(14) {
		vertex = append(vertex, int32(r.IntN(n)))
		edge = append(edge, int32(r.IntN(m)))
	}
	return n, m, vertex, edge
}

// Up, Down and Self against D⁻¹·H·B⁻¹·Hᵀ from the definition, in every
// convention for loops, on hypergraphs, graphs and the duals of both.
func TestHyperAgainstDense(t *testing.T) {
	r := rng.Stream(4, "hyper")
	all := []graph.Loops{graph.LoopsNone, graph.LoopsKeep, graph.LoopsReplaceSingletons}
	for trial := range 200 {
		var h *graph.Incidence
		if trial%2 == 0 {
			h = must(graph.NewIncidence(randomHypergraph(r)))
		} else {
			g := randomGraph(r, trial%4 == 1)
			h = must(graph.NewPairs(g.NumNodes, g.Ends, g.Directed))
		}
		for _, side := range []*graph.Incidence{h, h.Dual()} {
			n, m := side.NumVertices(), side.NumEdges()
			vertex, edge := side.List()
			dense := incidence(n, m, vertex, edge)
			for _, loops := range all {
				want := meanOperator(dense, m, loops)
				got := hyperOperator(side.WithLoops(loops).Hyper())
				near(t, "operator", got, want, 1e-6)
				if t.Failed() {
					t.Fatalf("trial %d, loops %d, %d×%d, entries %v %v", trial, loops, n, m, vertex, edge)
				}
				// Row-stochastic wherever a vertex is in a hyperedge that counts.
				for v, row := range got {
					sum := 0.0
					for _, x := range row {
						sum += x
					}
					if sum > 1+1e-6 || loops != graph.LoopsNone && sum < 1-1e-6 {
						t.Fatalf("row %d of trial %d sums to %v", v, trial, sum)
					}
				}
			}
		}
	}
}

func TestRows(t *testing.T) {
	r := rng.Stream(5, "rows")
	for range 50 {
		h := must(graph.NewIncidence(randomHypergraph(r)))
		vertex, edge := h.List()
		want := incidence(h.NumVertices(), h.NumEdges(), vertex, edge)
		down, up := h.Rows()
		near(t, "down", dense(down, nil), want, 0)
		near(t, "up", dense(up, nil), want.transpose(h.NumEdges()), 0)
		down, up = h.Dual().Rows()
		near(t, "down of the dual", dense(down, nil), want.transpose(h.NumEdges()), 0)
		near(t, "up of the dual", dense(up, nil), want, 0)
	}
}

// A leaf edge averages over three hyperedges where it keeps its leaf's, over
// two where that singleton is replaced (reconstruction of the authors' form).
func TestLeafEdge(t *testing.T) {
	path := must(graph.NewPairs(3, []int32{0, 1, 1, 2}, false)).Dual()
	for loops, want := range map[graph.Loops]float32{graph.LoopsKeep: 1. / 3, graph.LoopsReplaceSingletons: 1. / 2} {
		if got := path.WithLoops(loops).Hyper().Self.Data()[0]; got != want {
			t.Errorf("loops %d: the share of a leaf edge is %v, want %v", loops, got, want)
		}
	}
	if path.Hyper().Self == nil {
		t.Error("a pair incidence has no loops by default")
	}
}

func TestWithLoops(t *testing.T) {
	h := must(graph.NewPairs(2, []int32{0, 1}, false))
	if h.WithLoops(graph.LoopsKeep) != h {
		t.Error("the same convention gives another incidence")
	}
	o := h.WithLoops(graph.LoopsNone)
	if o.Dual().Dual() != o || o.Dual().NumVertices() != 1 || h.Dual().WithLoops(graph.LoopsNone).Dual().NumVertices() != 2 {
		t.Error("changing the convention loses the side")
	}
	if &o.Ends()[0] != &h.Ends()[0] {
		t.Error("changing the convention copies the edge list")
	}
}

// Derived structures are built once, whoever asks first; run with -race.
func TestConcurrentUse(t *testing.T) {
	g := randomGraph(rng.Stream(6, "race"), false)
	h := must(graph.NewPairs(g.NumNodes, g.Ends, false))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for _, l := range []graph.Loops{graph.LoopsKeep, graph.LoopsNone} {
				h.Dual().WithLoops(l).Hyper().Up.T()
				h.WithLoops(l).Hyper().Down.T()
			}
			if i%2 == 0 {
				h.GCN()
			}
			a, _ := h.Adjacency()
			a.Messages.T()
			a.Arcs(i%2 == 1)
		})
	}
	wg.Wait()
}
