package nn_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// recorder keeps the view that a wrapper hands to its convolution.
type recorder struct {
	nn.Conv
	view graph.View
}

func (c *recorder) Forward(p *nn.Pass, v graph.View) *tensor.Tensor {
	c.view = v
	return c.Conv.Forward(p, v)
}

// Fixture line_graph: the line graphs that NetworkX makes.
func TestCaseLineGraph(t *testing.T) {
	for _, c := range golden.Load(t, "layers/line_graph").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "num_nodes")
			h := must(graph.NewPairs(c.Config.Int("num_nodes", 0), interleave(c.Pair("edge_index")), false))
			m := h.NumEdges()
			r := &recorder{Conv: nn.NewGCN(nn.NewInit(1), nn.ConvDims{In: 2, Out: 2}, nn.GCNConfig{})}
			layer := &nn.LineGraph{Conv: r}
			layer.Forward(pass(t, true), graph.View{X: tensor.Full(1, m, 2), H: h.Dual()})
			if got, want := r.view.H.NumEdges(), int(c.Value("outputs.line_edges").Ints[0]); got != want {
				t.Fatalf("%d line edges, want %d", got, want)
			}
			if !c.Has("outputs.line_edge_list") {
				return
			}
			got := pairsOf(r.view.H.Ends())
			want := pairsOf(interleave(c.Pair("outputs.line_edge_list")))
			if !slices.Equal(got, want) {
				t.Errorf("line edges %v, want %v", got, want)
			}
		})
	}
}

func pairsOf(ends []int32) [][2]int32 {
	out := make([][2]int32, len(ends)/2)
	for i := range out {
		out[i] = [2]int32{ends[2*i], ends[2*i+1]}
	}
	slices.SortFunc(out, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return out
}

// The convolution sees a graph: the features of edges and of the nodes they
// share, samples in order, and no weights. The result is what it gives on the
// line graph built by hand.
func TestLineGraphView(t *testing.T) {
	// A triangle 0 1 2 with a doubled edge and a tail to 3; a sample without
	// edges; two edges that meet.
	gs := []*graph.Graph{
		{NumNodes: 4, Ends: []int32{1, 0, 2, 1, 0, 2, 0, 1, 2, 3}},
		{NumNodes: 1},
		{NumNodes: 3, Ends: []int32{2, 1, 1, 0}},
	}
	r := rng.Stream(51, "line")
	for _, g := range gs {
		g.Node = graph.Features{Dim: 2, Dense: random(r, g.NumNodes, 2).Data()}
		g.Edge = graph.Features{Dim: 3, Dense: random(r, g.NumEdges(), 3).Data()}
	}
	v := must(graph.Collate(gs)).View
	rec := &recorder{Conv: nn.NewMPNN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Edge: 2}, nn.MPNNConfig{})}
	layer := &nn.LineGraph{Conv: rec, NodeFeatures: true}
	d := v.Dual()
	got := layer.Forward(pass(t, false), d)

	//                 at node 0          1                 2
	ends := []int32{0, 2, 0, 3, 2, 3, 0, 1, 1, 3, 1, 2, 1, 4, 2, 4, 5, 6}
	shared := [][2]int32{{0, 0}, {0, 1}, {0, 0}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, {6, 6}}
	if !slices.Equal(pairsOf(rec.view.H.Ends()), pairsOf(ends)) || rec.view.H.Directed() || rec.view.W != nil {
		t.Fatalf("line edges %v, want %v", rec.view.H.Ends(), ends)
	}
	if !slices.Equal(rec.view.VertexOf.IDs(), []int32{0, 0, 0, 0, 0, 2, 2}) || !slices.Equal(rec.view.EdgeOf.IDs(), []int32{0, 0, 0, 0, 0, 0, 0, 0, 2}) {
		t.Errorf("samples %v of edges and %v of line edges", rec.view.VertexOf.IDs(), rec.view.EdgeOf.IDs())
	}
	byHand := graph.View{X: v.E, E: tensor.New(9, 2), H: must(graph.NewPairs(7, ends, false))}
	for i, at := range shared {
		for k := range 2 {
			byHand.E.Data()[2*i+k] = (v.X.Data()[int(2*at[0])+k] + v.X.Data()[int(2*at[1])+k]) / 2
		}
	}
	near(t, "output", got.Data(), rec.Conv.Forward(pass(t, false), byHand).Data(), 1e-5)

	first := rec.view.H
	layer.Forward(pass(t, false), d.WithX(d.X.Square()))
	if rec.view.H != first {
		t.Error("the line graph is built again")
	}
}

// Head to tail, an edge of a directed graph sends to those that start where it ends, by way
// of the node that they share.
func TestLineGraphHeadToTail(t *testing.T) {
	// Edges 0: 0→1, 1: 1→2, 2: 1→0, 3: 2→2, 4: 0→1 again.
	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2, 1, 0, 2, 2, 0, 1}, Directed: true}
	g.Node = graph.Features{Dim: 1, Dense: []float32{10, 20, 40}}
	g.Edge = graph.Features{Dim: 1, Dense: make([]float32, 5)}
	want := []int32{0, 1, 0, 2, 1, 3, 2, 0, 2, 4, 4, 1, 4, 2}
	shared := map[[2]int32]float32{{0, 1}: 20, {0, 2}: 15, {1, 3}: 40, {2, 0}: 15, {2, 4}: 15, {4, 1}: 20, {4, 2}: 15}
	for _, directed := range []bool{true, false} {
		g.Directed = directed
		rec := &recorder{Conv: nn.NewGINE(nn.NewInit(1), nn.ConvDims{In: 1, Out: 2}, nn.GINConfig{})}
		layer := &nn.LineGraph{Conv: rec, NodeFeatures: true, HeadToTail: true}
		layer.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g, g})).View.Dual())
		h := rec.view.H
		if h.Directed() != directed {
			t.Errorf("of a directed graph %v: directed %v", directed, h.Directed())
		}
		if !directed {
			continue // as without HeadToTail
		}
		pairs := pairsOf(h.Ends())
		if !slices.Equal(pairs[:7], pairsOf(want)) || len(pairs) != 14 {
			t.Fatalf("line edges %v, want %v and as many of the second sample", pairs, want)
		}
		for i := range 7 {
			pair := [2]int32(h.Ends()[2*i:])
			if got := rec.view.E.Data()[i]; got != shared[pair] {
				t.Errorf("line edge %v has feature %v, want %v", pair, got, shared[pair])
			}
		}
		if !slices.Equal(rec.view.EdgeOf.IDs(), []int32{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1}) {
			t.Errorf("samples %v", rec.view.EdgeOf.IDs())
		}
	}
}
