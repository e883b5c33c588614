package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// messages is the dense weighted adjacency without its diagonal: row v sums the
// weights of the edges that send to v.
func messages(n int, ends []int32, directed bool, weight func(e int) float64) matrix {
	a := zeros(n, n)
	for e := range len(ends) / 2 {
		u, v := ends[2*e], ends[2*e+1]
		if u == v {
			continue
		}
		a[v][u] += weight(e)
		if !directed {
			a[u][v] += weight(e)
		}
	}
	return a
}

func TestAdjacencyAgainstDense(t *testing.T) {
	r := rng.Stream(7, "adjacency")
	for trial := range 200 {
		g := randomGraph(r, trial%2 == 0)
		n, m := g.NumNodes, g.NumEdges()
		h := must(graph.NewPairs(n, g.Ends, g.Directed))
		a, ok := h.Adjacency()
		if !ok {
			t.Fatal("a graph has no adjacency")
		}
		weight := func(e int) float64 { return float64(e*e + 1) }
		s := a.Messages
		want := messages(n, g.Ends, g.Directed, weight)
		near(t, "messages", dense(s, func(k int) float64 { return weight(int(s.Weight[k])) }), want, 0)
		tr := s.T()
		near(t, "transposed messages", dense(tr, func(k int) float64 { return weight(int(tr.Weight[k])) }), want.transpose(n), 0)
		if s.NumWeights != m || s.Symmetric == g.Directed {
			t.Errorf("%d weights for %d edges, symmetric %v", s.NumWeights, m, s.Symmetric)
		}
		in := zeros(n, m)
		loops := make([]int32, n)
		for v := range loops {
			loops[v] = -1
		}
		for e := range m {
			u, v := g.Ends[2*e], g.Ends[2*e+1]
			if u == v {
				loops[v] = int32(e)
				continue
			}
			in[v][e]++
			if !g.Directed {
				in[u][e]++
			}
		}
		near(t, "edges behind the messages", dense(a.InEdges, nil), in, 0)
		if a.LoopEdge == nil && slices.Max(append(loops, -1)) >= 0 || a.LoopEdge != nil && !slices.Equal(a.LoopEdge, loops) {
			t.Errorf("self-loop edges %v, want %v", a.LoopEdge, loops)
		}
		checkEnds(t, a, g)
		near(t, "normalised adjacency", gcnMatrix(h), normalised(n, g), 1e-6)
		if t.Failed() {
			t.Fatalf("trial %d: %d nodes, directed %v, edges %v", trial, n, g.Directed, g.Ends)
		}
	}
}

func checkEnds(t *testing.T, a *graph.Adjacency, g *graph.Graph) {
	t.Helper()
	if !slices.Equal(a.Ends.IDs(), g.Ends) || a.Ends.Slots() != g.NumNodes {
		t.Errorf("ends are %v of %d", a.Ends.IDs(), a.Ends.Slots())
	}
	ptr, perm := a.Ends.Segments()
	for v := range g.NumNodes {
		var want []int32
		for k, u := range g.Ends {
			if int(u) == v {
				want = append(want, int32(k))
			}
		}
		if got := perm[ptr[v]:ptr[v+1]]; !slices.Equal(got, want) {
			t.Errorf("entries of node %d are %v, want %v", v, got, want)
		}
	}
}

// gcnMatrix is D^-1/2·(A+I)·D^-1/2 as the package computes it.
func gcnMatrix(h *graph.Incidence) matrix {
	m, self, ok := h.GCN()
	if !ok {
		return nil
	}
	a := dense(m, nil)
	for i, s := range self.Data() {
		a[i][i] += float64(s)
	}
	return a
}

// normalised is the same from the definition: parallel edges count, a self-loop
// of the graph stands for the added one, the degree is counted at the target.
func normalised(n int, g *graph.Graph) matrix {
	a := messages(n, g.Ends, g.Directed, func(int) float64 { return 1 })
	inv := make([]float64, n)
	for v := range n {
		a[v][v] = 1
		for _, x := range a[v] {
			inv[v] += x
		}
		inv[v] = 1 / math.Sqrt(inv[v])
	}
	for v := range n {
		for u := range n {
			a[v][u] *= inv[v] * inv[u]
		}
	}
	return a
}

// Arcs lists the entries of Messages one by one, sorted by target, and where
// asked for one loop per node after them.
func TestArcsOfAdjacency(t *testing.T) {
	r := rng.Stream(11, "arcs")
	for trial := range 100 {
		g := randomGraph(r, trial%2 == 0)
		n, m := g.NumNodes, g.NumEdges()
		a, _ := must(graph.NewPairs(n, g.Ends, g.Directed)).Adjacency()
		for _, loops := range []bool{false, true} {
			arcs := a.Arcs(loops)
			var want [][3]int32 // target, source, edge
			for v := range int32(n) {
				for e := range int32(m) {
					switch s, d := g.Ends[2*e], g.Ends[2*e+1]; {
					case s == d:
					case d == v:
						want = append(want, [3]int32{v, s, e})
					case s == v && !g.Directed:
						want = append(want, [3]int32{v, d, e})
					}
				}
				if loops {
					want = append(want, [3]int32{v, v, int32(m) + v})
				}
			}
			var got [][3]int32
			for k := range arcs.Dst.Len() {
				got = append(got, [3]int32{arcs.Dst.IDs()[k], arcs.Src.IDs()[k], arcs.Edge.IDs()[k]})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("trial %d: edges %v give arcs %v, want %v", trial, g.Ends, got, want)
			}
			slots := m
			if loops {
				slots += n
			}
			if arcs.Edge.Slots() != slots || arcs.Src.Slots() != n || arcs.Dst.Slots() != n || arcs.Sum.NumWeights != len(want) {
				t.Errorf("%d slots for %d edges and %d nodes", arcs.Edge.Slots(), m, n)
			}
			sum := zeros(n, n)
			for k, w := range want {
				sum[w[0]][w[1]] += float64(k + 1)
			}
			near(t, "sum over arcs", dense(arcs.Sum, func(k int) float64 { return float64(k + 1) }), sum, 0)
			if a.Arcs(loops) != arcs {
				t.Error("arcs are built twice")
			}
		}
	}
}

// In a clique every node has the mean of all: neighbours must weigh exactly as
// much as the node itself, or maxima over nodes that tie get the gradient of one.
func TestGCNClique(t *testing.T) {
	for n := range 12 {
		var ends []int32
		for u := range int32(n) {
			for v := range u {
				ends = append(ends, v, u)
			}
		}
		m, self, _ := must(graph.NewPairs(n, ends, false)).GCN()
		for _, c := range m.Coef {
			if c != self.Data()[0] {
				t.Fatalf("clique of %d: a neighbour weighs %v, the node %v", n, c, self.Data()[0])
			}
		}
	}
}

func TestAdjacencyNeedsPairs(t *testing.T) {
	pairs := must(graph.NewPairs(2, []int32{0, 1}, true))
	for name, h := range map[string]*graph.Incidence{
		"dual":       pairs.Dual(),
		"hypergraph": must(graph.NewIncidence(2, 1, []int32{0, 1}, []int32{0, 0})),
	} {
		if _, ok := h.Adjacency(); ok {
			t.Errorf("%s has an adjacency", name)
		}
		if _, _, ok := h.GCN(); ok {
			t.Errorf("%s has a normalised adjacency", name)
		}
		if _, _, ok := h.Pairs(); ok {
			t.Errorf("%s has pairs", name)
		}
	}
	src, dst, ok := pairs.Pairs()
	if !ok || src.IDs()[0] != 0 || dst.IDs()[0] != 1 || src.Slots() != 2 {
		t.Error("pairs of an arc are wrong")
	}
	if !pairs.Directed() || !pairs.Dual().Directed() {
		t.Error("the direction is lost")
	}
}
