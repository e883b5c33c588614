package model

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// rewired is g with its edges, and what they carry, between other nodes.
func rewired(seed uint64, g *graph.Graph) *graph.Graph {
	r := rng.Stream(seed, "rewired")
	h := *g
	h.Ends = make([]int32, len(g.Ends))
	for i := range h.Ends {
		h.Ends[i] = int32(r.IntN(g.NumNodes))
	}
	return must(graph.New(h))
}

// The MLP sees no structure: how nodes are joined makes no difference to the bit,
// nor does the number of edges where these have no features. What graphs are made
// of does.
func TestMLPIsBlind(t *testing.T) {
	r := rng.Stream(21, "blind")
	m := build[*MLP]("mlp", valid("mlp"))
	predict := func(m Model, g *graph.Graph) []float32 {
		return slices.Clone(m.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g}))).Graph.Data())
	}
	gine := build[*Residual]("gine-residual", valid("gine-residual"))
	for trial := range 20 {
		g := multigraph(r, 5+r.IntN(9), 4+r.IntN(12), true)
		want := predict(m, g)
		if got := predict(m, rewired(uint64(trial), g)); !slices.Equal(got, want) {
			t.Errorf("%v, rewired %v", want, got)
		}
		if slices.Equal(predict(gine, g), predict(gine, rewired(uint64(trial), g))) {
			t.Error("rewiring does nothing that a model of graphs sees")
		}
		other := *g
		other.Node.Dense = random(r, g.NumNodes, nodeDim).Data()
		if got := predict(m, must(graph.New(other))); slices.Equal(got, want) {
			t.Error("other nodes, the same prediction")
		}
	}
	m = built[*MLP]("mlp", 1, small().but(values{"edge_dim": 1}))
	few := unfeatured(3, 8, 4)
	many := *unfeatured(3, 8, 19)
	many.Node = few.Node
	if a, b := predict(m, few), predict(m, must(graph.New(many))); !slices.Equal(a, b) {
		t.Errorf("4 edges without features %v, 19 of them %v", a, b)
	}
}

// MLP against its equation on graphs with and without edges.
func TestMLPInput(t *testing.T) {
	r := rng.Stream(22, "input")
	const hidden = 8
	m := built[*MLP]("mlp", 1, small().but(values{"hidden": hidden, "layers": 1}))
	weight, width := m.Hidden[0].Weight.Value.Data(), nodeDim+edgeDim
	clear(weight)
	clear(m.Hidden[0].Bias.Value.Data())
	for k := range width { // hidden unit k is ReLU of input k
		weight[k*width+k] = 1
	}
	gs := []*graph.Graph{multigraph(r, 5, 7, true), multigraph(r, 3, 0, true), multigraph(r, 0, 0, true), multigraph(r, 1, 2, true)}
	got := m.Forward(pass(t, false), must(graph.Collate(gs))).GraphVec
	for i, g := range gs {
		want := make([]float64, hidden)
		for k, a := range g.Node.Dense {
			want[k%nodeDim] += float64(a)
		}
		for k := range nodeDim {
			want[k] = math.Copysign(math.Log1p(math.Abs(want[k])), want[k])
		}
		for k, a := range g.Edge.Dense {
			want[nodeDim+k%edgeDim] += float64(a) / float64(g.NumEdges())
		}
		for k, w := range want {
			want[k] = max(w, 0)
			if d := math.Abs(float64(got.Data()[i*hidden+k]) - want[k]); d > 1e-5 {
				t.Errorf("graph %d, input %d: %v, want %v", i, k, got.Data()[i*hidden+k], want[k])
			}
		}
	}
}

// The gated model reports a vector per edge, the mean of those of its arcs, and
// the same predictions for both forms of the edges.
func TestGatedGCNForms(t *testing.T) {
	r := rng.Stream(23, "forms")
	m := build[*Residual]("gatedgcn", valid("gatedgcn"))
	var bonds, arcs []*graph.Graph
	for _, edges := range []int{8, 0, 5} {
		g := multigraph(r, 6, edges, false)
		bonds, arcs = append(bonds, g), append(arcs, withArcs(g))
	}
	u, d := must(graph.Collate(bonds)), must(graph.Collate(arcs))
	a, b := m.Forward(pass(t, false), u), m.Forward(pass(t, false), d)
	near(t, "logits", b.Graph.Data(), a.Graph.Data(), 1e-4)
	edges, both := a.EdgeVecs[0].Rows, b.EdgeVecs[0].Rows
	if edges.Dim(0) != 13 || both.Dim(0) != 26 || a.EdgeVecs[0].IDs != nil {
		t.Fatalf("vectors of shape %v and %v", edges.Shape(), both.Shape())
	}
	mean := make([]float32, edges.Size())
	width := edges.Dim(1)
	base := []int32{0, 8, 8}
	for k, e := range d.EdgeLabels {
		at := int(base[d.EdgeOf.IDs()[k]] + e)
		for j := range width {
			mean[at*width+j] += both.Data()[k*width+j] / 2
		}
	}
	near(t, "vectors of edges", edges.Data(), mean, 1e-4)
}

// Without edge features the residual GINE is a GIN.
func TestGINEResidualWithoutEdges(t *testing.T) {
	g := multigraph(rng.Stream(24, "gin"), 6, 8, true)
	g.Edge = graph.Features{}
	if out := built[*Residual]("gine-residual", 1, small().but(values{"edge_dim": 0})).Forward(pass(t, false), must(graph.Collate([]*graph.Graph{must(graph.New(*g))}))); !finite(out.Graph) {
		t.Errorf("prediction %v", out.Graph)
	}
}
