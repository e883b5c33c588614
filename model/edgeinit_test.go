package model

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// unfeatured is a random graph whose edges have the constant 1, as data without
// edge features are read.
func unfeatured(seed uint64, n, m int) *graph.Graph {
	g := multigraph(rng.Stream(seed, "unfeatured"), n, m, false)
	g.Edge = graph.Ones(m)
	return must(graph.New(*g))
}

// Without edge features the published scores are all the same but for rounding,
// so that nothing is learned; from their ends edges get scores of their own, and
// the loss reaches the map that makes them.
func TestScoresWithoutEdgeFeatures(t *testing.T) {
	b := must(graph.Collate([]*graph.Graph{unfeatured(1, 9, 16), unfeatured(2, 12, 20)}))
	trunk := map[string]func(m Model) *Trunk{
		"hyperdrop":     func(m Model) *Trunk { return &m.(*HyperDrop).Trunk },
		"ehgnn":         func(m Model) *Trunk { return &m.(*EHGNN).Trunk },
		"randdrop":      func(m Model) *Trunk { return &m.(*RandDrop).Trunk },
		"hyperdrop-gmt": func(m Model) *Trunk { return &m.(*HyperDropGMT).Trunk },
	}
	for name, of := range trunk {
		for _, init := range []string{"", EdgesGiven, EdgesFromEnds} {
			whole := built[Model](name, 5, values{"node_dim": nodeDim, "edge_dim": 1, "out": 2, "hidden": 16, "edge_hidden": 8, "layers": 3,
				"ratio": 0.5, "clusters": 2, "edge_init": init})
			m := of(whole)
			p := pass(t, true)
			out := whole.Forward(p, b)
			for l, d := range out.Drops {
				lo, hi := slices.Min(d.Score.Data()), slices.Max(d.Score.Data())
				if constant := hi-lo < 1e-5; constant != (init != EdgesFromEnds) {
					t.Errorf("%s, edges %q: scores of pool %d from %v to %v", name, init, l, lo, hi)
				}
			}
			if init != EdgesFromEnds {
				if m.EdgeInit != nil {
					t.Errorf("%s, edges %q: a map of ends", name, init)
				}
				continue
			}
			for i, g := range p.Tape.Grad(out.Graph.Square(), p.Var(m.EdgeInit.Map.Weight), p.Var(m.EdgeInit.Map.Bias)) {
				if !finite(g) || slices.Max(g.Data()) == 0 && slices.Min(g.Data()) == 0 {
					t.Errorf("%s: gradient by %s is %v", name, m.EdgeInit.Params()[i].Name, g)
				}
			}
		}
	}
}

// EndpointInit against its equation, with a self-loop, parallel edges and an isolated
// node; the ends in the other order give the same to the bit.
func TestEndInitDefinition(t *testing.T) {
	const n, in, given, width = 6, 4, 2, 3
	ends := []int32{0, 1, 1, 2, 2, 0, 2, 0, 3, 3, 4, 1}
	m := len(ends) / 2
	r := rng.Stream(9, "ends")
	v := graph.View{X: random(r, n, in), E: random(r, m, given), H: must(graph.NewPairs(n, ends, false))}
	settings := small().but(values{"hidden": in, "edge_hidden": width, "edge_dim": given, "edge_init": EdgesFromEnds})
	init := built[*HyperDrop]("hyperdrop", 1, settings).EdgeInit
	got := init.Forward(pass(t, false), v)
	if !slices.Equal(got.Shape(), []int{m, given + 2*width}) {
		t.Fatalf("shape %v", got.Shape())
	}
	y := func(node int32) []float64 {
		out := make([]float64, width)
		for k := range out {
			out[k] = float64(init.Map.Bias.Value.Data()[k])
			for j := range in {
				out[k] += float64(v.X.Data()[int(node)*in+j]) * float64(init.Map.Weight.Value.Data()[k*in+j])
			}
		}
		return out
	}
	var want []float32
	for e := range m {
		a, b := y(ends[2*e]), y(ends[2*e+1])
		want = append(want, v.E.Data()[e*given:(e+1)*given]...)
		for k := range a {
			want = append(want, float32((a[k]+b[k])/2))
		}
		for k := range a {
			want = append(want, float32(math.Abs(a[k]-b[k])))
		}
	}
	near(t, "features of edges", got.Data(), want, 1e-5) // float32 sums of a few products

	turned := slices.Clone(ends)
	for e := range m {
		turned[2*e], turned[2*e+1] = ends[2*e+1], ends[2*e]
	}
	v.H = must(graph.NewPairs(n, turned, false))
	if other := init.Forward(pass(t, false), v); !slices.Equal(other.Data(), got.Data()) {
		t.Error("the order of the ends makes a difference")
	}

	if one := built[*HyperDrop]("hyperdrop", 1, settings.but(values{"layers": 1})); one.EdgeInit != nil {
		t.Error("a model without edge layers has a map for their start")
	}
}

// Edges as bonds or as pairs of arcs: the same scores and predictions where no
// pair is split.
func TestEndInitForms(t *testing.T) {
	m := built[*HyperDrop]("hyperdrop", 3, values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 3, "hidden": 8, "layers": 3, "ratio": 0.5, "edge_init": EdgesFromEnds})
	r := rng.Stream(4, "forms")
	for range 10 {
		var bonds, arcs []*graph.Graph
		for _, edges := range []int{8, 0, 4, 12} {
			g := multigraph(r, 3+r.IntN(5), edges, false)
			bonds, arcs = append(bonds, g), append(arcs, withArcs(g))
		}
		a := m.Forward(pass(t, false), must(graph.Collate(bonds)))
		b := m.Forward(pass(t, false), must(graph.Collate(arcs)))
		near(t, "logits", b.Graph.Data(), a.Graph.Data(), 1e-4)
	}
}

// The published setting is the default, named or not.
func TestEdgeInitGivenIsDefault(t *testing.T) {
	const name = "hypercluster-graph"
	b := must(graph.Collate([]*graph.Graph{multigraph(rng.Stream(6, "given"), 7, 9, false)}))
	var want []float32
	for _, init := range []string{"", EdgesGiven} {
		got := built[*EdgeCluster](name, 1, small().but(values{"edge_init": init})).Forward(pass(t, false), b).Graph.Data()
		if want != nil && !slices.Equal(got, want) {
			t.Errorf("%v given, %v by default", got, want)
		}
		want = slices.Clone(got)
	}
	if got := built[*EdgeCluster](name, 1, small().but(values{"edge_init": EdgesFromEnds})).Forward(pass(t, false), b).Graph.Data(); slices.Equal(got, want) {
		t.Error("edges from their ends make no difference")
	}
}
