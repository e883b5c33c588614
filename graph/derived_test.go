package graph_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

type derivedTestKey struct{ kind int }

// A structure is built once per key, side and convention for loops, whoever asks
// and however many at once.
func TestDerived(t *testing.T) {
	h := must(graph.NewPairs(2, []int32{0, 1}, false))
	var built atomic.Int32
	get := func(h *graph.Incidence, kind int) int32 {
		return graph.Derived(h, derivedTestKey{kind}, func() int32 { return built.Add(1) })
	}
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			if got := get(h, 0); got != 1 {
				t.Errorf("built %d, want the first", got)
			}
		}()
	}
	group.Wait()
	if get(h.Dual(), 0) != 2 || get(h, 1) != 3 || get(h.WithLoops(graph.LoopsNone), 0) != 4 {
		t.Error("another side, key or convention for loops shares a structure")
	}
	if get(h.Dual().Dual(), 0) != 1 || get(h.WithLoops(h.Loops()), 0) != 1 || get(h.Dual(), 0) != 2 {
		t.Error("the same side, key and convention for loops builds again")
	}
}

// A directed graph is turned around once; what has no direction is left as it is.
func TestReversed(t *testing.T) {
	h := must(graph.NewPairs(3, []int32{0, 1, 2, 2, 2, 0}, true)).WithLoops(graph.LoopsKeep)
	r := h.Reversed()
	if !slices.Equal(r.Ends(), []int32{1, 0, 2, 2, 0, 2}) || !r.Directed() || r.NumVertices() != 3 || r.Loops() != h.Loops() || h.Reversed() != r {
		t.Errorf("turned around: %v of %d nodes", r.Ends(), r.NumVertices())
	}
	undirected := must(graph.NewPairs(3, []int32{0, 1}, false))
	for name, h := range map[string]*graph.Incidence{"undirected": undirected, "dual": h.Dual(), "hypergraph": must(graph.NewIncidence(2, 1, []int32{0, 1}, []int32{0, 0}))} {
		if h.Reversed() != h {
			t.Errorf("%s: not itself", name)
		}
	}
}

func TestLoops(t *testing.T) {
	h := must(graph.NewPairs(2, []int32{0, 1}, false))
	for _, l := range []graph.Loops{graph.LoopsNone, graph.LoopsKeep, graph.LoopsReplaceSingletons} {
		if got := h.WithLoops(l).Loops(); got != l {
			t.Errorf("loops %v, want %v", got, l)
		}
		if got := h.WithLoops(l).Dual().Loops(); got != l {
			t.Errorf("loops %v of the dual, want %v", got, l)
		}
	}
}

// Messages with self-loop edges are those without, and one per self-loop edge.
func TestAdjacencyWithLoops(t *testing.T) {
	r := rng.Stream(11, "loop edges")
	for trial := range 200 {
		g := randomGraph(r, trial%2 == 0)
		n, m := g.NumNodes, g.NumEdges()
		h := must(graph.NewPairs(n, g.Ends, g.Directed))
		a, ok := h.AdjacencyWithLoops()
		if !ok {
			t.Fatal("a graph has no adjacency")
		}
		plain, _ := h.Adjacency()
		weight := func(e int) float64 { return float64(e*e + 1) }
		want, in := messages(n, g.Ends, g.Directed, weight), zeros(n, m)
		loops := false
		for e := range m {
			u, v := g.Ends[2*e], g.Ends[2*e+1]
			in[v][e]++
			if u == v {
				want[v][v] += weight(e)
				loops = true
			} else if !g.Directed {
				in[u][e]++
			}
		}
		if loops == (a == plain) {
			t.Errorf("self-loops %v, but the structure of its own %v", loops, a != plain)
		}
		s := a.Messages
		near(t, "messages", dense(s, func(k int) float64 { return weight(int(s.Weight[k])) }), want, 0)
		tr := s.T()
		near(t, "transposed messages", dense(tr, func(k int) float64 { return weight(int(tr.Weight[k])) }), want.transpose(n), 0)
		near(t, "edges behind the messages", dense(a.InEdges, nil), in, 0)
		arcs := a.Arcs(false)
		if !slices.Equal(arcs.Src.IDs(), s.Col) || !slices.Equal(arcs.Edge.IDs(), s.Weight) {
			t.Error("arcs are not the messages")
		}
		if !slices.Equal(a.Ends.IDs(), g.Ends) {
			t.Error("ends differ")
		}
		if t.Failed() {
			t.Fatalf("trial %d: %d nodes, directed %v, edges %v", trial, n, g.Directed, g.Ends)
		}
	}
	if _, ok := must(graph.NewPairs(2, []int32{0, 1}, false)).Dual().AdjacencyWithLoops(); ok {
		t.Error("a dual has an adjacency")
	}
}

// What could not be built is built at the next call.
func TestDerivedPanic(t *testing.T) {
	h := must(graph.NewPairs(2, []int32{0, 1}, false))
	calls := 0
	get := func() (v int, panicked any) {
		defer func() { panicked = recover() }()
		return graph.Derived(h, derivedTestKey{7}, func() int {
			if calls++; calls == 1 {
				panic("given up")
			}
			return calls
		}), nil
	}
	if _, p := get(); p != "given up" {
		t.Errorf("panic %v", p)
	}
	for range 2 {
		if v, p := get(); v != 2 || p != nil {
			t.Errorf("%d, panic %v; want 2 from the second call on", v, p)
		}
	}
}
