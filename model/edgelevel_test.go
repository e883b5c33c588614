package model

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// edgeOutputs are the predictions of a new model for the edges of a graph, with
// gradients checked to be there and finite.
func edgeOutputs(t *testing.T, s Spec, g *graph.Graph) []float32 {
	t.Helper()
	config := configOf(s.Name, values{"node_dim": g.Node.Width(), "edge_dim": g.Edge.Width(), "out": 2, "hidden": 8, "edge_hidden": 6, "layers": 2})
	config.Seed = 7
	m, err := s.New(config)
	if err != nil {
		t.Fatal(err)
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, "test")}
	out := m.Forward(p, must(graph.Collate([]*graph.Graph{g}))).Edge
	if got := out.Shape(); !slices.Equal(got, []int{g.NumEdges(), 2}) {
		t.Fatalf("%s: output of shape %v for %d edges", s.Name, got, g.NumEdges())
	}
	for _, w := range m.Params() {
		for _, v := range tape.Grad(out.Square().Sum(), tape.Watch(w))[0].Data() {
			if math.IsNaN(float64(v)) {
				t.Fatalf("%s: the gradient of %s is NaN", s.Name, w.Name)
			}
		}
	}
	return slices.Clone(out.Data())
}

// TestEdgeLevel: predictions follow their edges, an undirected edge may be written
// in either direction, a directed one may not, and parallel edges are predicted one
// by one.
func TestEdgeLevel(t *testing.T) {
	r := rng.Stream(3, "edge level")
	const n, m = 6, 11
	ends := make([]int32, 0, 2*m)
	for range m - 1 {
		ends = append(ends, r.Int32N(n), r.Int32N(n))
	}
	ends = append(ends, ends[0], ends[1]) // parallel to the first
	for _, s := range ofTask(edgeClass) {
		for _, directed := range []bool{false, true} {
			g := graph.Graph{NumNodes: n, Ends: ends, Directed: directed, Label: graph.NoLabel,
				Node: graph.Features{Dim: 3, Dense: random(r, n, 3).Data()}, Edge: graph.Features{Dim: 2, Dense: random(r, m, 2).Data()}}
			want := edgeOutputs(t, s, must(graph.New(g)))
			if slices.Equal(want[:2], want[2*(m-1):]) {
				t.Errorf("%s: parallel edges with other features have one prediction", s.Name)
			}
			back, flipped := g, g // edges in the opposite order; and turned around
			back.Ends, back.Edge.Dense = nil, nil
			for e := m - 1; e >= 0; e-- {
				back.Ends = append(back.Ends, ends[2*e:2*e+2]...)
				back.Edge.Dense = append(back.Edge.Dense, g.Edge.Dense[2*e:2*e+2]...)
			}
			got := edgeOutputs(t, s, must(graph.New(back)))
			for e := range m {
				for k := range 2 {
					if a, b := want[2*e+k], got[2*(m-1-e)+k]; math.Abs(float64(a-b)) > 1e-5 {
						t.Fatalf("%s, directed %v: edge %d has %v, and in another order %v", s.Name, directed, e, a, b)
					}
				}
			}
			flipped.Ends = slices.Clone(ends)
			slices.Reverse(flipped.Ends) // turns every edge around, and their order
			flipped.Edge.Dense = back.Edge.Dense
			got = edgeOutputs(t, s, must(graph.New(flipped)))
			far := 0.0
			for i := range want {
				e, k := i/2, i%2
				far = max(far, math.Abs(float64(want[i]-got[2*(m-1-e)+k])))
			}
			if !directed && far > 1e-5 || directed && far < 1e-5 {
				t.Errorf("%s, directed %v: turning edges around changes predictions by %g", s.Name, directed, far)
			}
		}
		// Categories only, which a batch may keep as a sparse matrix.
		g := graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2}, Label: graph.NoLabel,
			Node: graph.Features{Code: []int32{0, 5, 9}, Codes: []int{10}}, Edge: graph.Features{Code: []int32{3, -1}, Codes: []int{12}}}
		edgeOutputs(t, s, must(graph.New(g)))
	}
	for _, s := range ofTask(edgeClass) {
		if _, err := s.New(configOf(s.Name, values{"out": 1})); err == nil {
			t.Errorf("%s: no error without a width", s.Name)
		}
	}
}
