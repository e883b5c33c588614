package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// BenchmarkEdgeAware is forward and backward of one layer, 128 to 128, on 128
// graphs of 39 nodes and 73 edges with four bond types: PROTEINS in size.
func BenchmarkEdgeAware(b *testing.B) {
	const h, types = 128, 4
	r := rng.Stream(1, "bench")
	var gs []*graph.Graph
	for range 128 {
		g := graph.Graph{NumNodes: 39}
		for range 73 {
			u := r.IntN(39)
			g.Ends = append(g.Ends, int32(u), int32((u+1+r.IntN(38))%39))
			g.Edge.Code = append(g.Edge.Code, int32(r.IntN(types)))
		}
		g.Edge.Codes = []int{types}
		g.Node = graph.Features{Dim: h, Dense: random(r, 39, h).Data()}
		gs = append(gs, &g)
	}
	v := must(graph.Collate(gs)).View
	wide := v.WithE(random(r, v.H.NumEdges(), h))
	in := nn.NewInit(1)
	type kind struct {
		name string
		view graph.View
		conv nn.Conv
	}
	for _, c := range []kind{
		{"GCN", v, nn.NewGCN(in, nn.ConvDims{In: h, Out: h}, nn.GCNConfig{})},
		{"EGCN", v, nn.NewEGCN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.EGCNConfig{})},
		{"EGCNLinear", v, nn.NewEGCN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.EGCNConfig{Form: nn.EGCNLinear})},
		{"MPNN", v, nn.NewMPNN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.MPNNConfig{})},
		{"MPNN-hidden32", v, nn.NewMPNN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.MPNNConfig{Hidden: 32})},
		{"RGCN", v, must(nn.NewRGCN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.RGCNConfig{}))},
		{"RGCN-bases2", v, must(nn.NewRGCN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.RGCNConfig{Bases: 2}))},
		{"EGNN", v, must(nn.NewEGNN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.EGNNConfig{}))},
		{"EGNN-attention-neighbours", v, must(nn.NewEGNN(in, nn.ConvDims{In: h, Out: h, Edge: types}, nn.EGNNConfig{Attention: true, Neighbours: true}))},
		{"HyperConv-dual", wide.Dual(), nn.NewHyperConv(in, nn.ConvDims{In: h, Out: h}, nn.HyperConvConfig{})},
		{"HyperAttention-dual", wide.Dual(), must(nn.NewHyperAttention(in, nn.ConvDims{In: h, Out: h, Heads: 1}, nn.HyperAttentionConfig{}))},
		{"HyperAttention4-dual", wide.Dual(), must(nn.NewHyperAttention(in, nn.ConvDims{In: h, Out: h, Heads: 4}, nn.HyperAttentionConfig{}))},
		{"LineGraph-GCN", wide.Dual(), &nn.LineGraph{Conv: nn.NewGCN(in, nn.ConvDims{In: h, Out: h}, nn.GCNConfig{})}},
	} {
		b.Run(c.name, func(b *testing.B) {
			arena := tensor.NewArena(0)
			step := func() {
				tape := arena.Tape()
				defer tape.Close()
				p := &nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, "pass")}
				view := c.view.WithX(tape.Variable(c.view.X))
				wrt := []*tensor.Tensor{view.X}
				for _, w := range c.conv.Params() {
					wrt = append(wrt, p.Var(w))
				}
				tape.Grad(c.conv.Forward(p, view), wrt...)
			}
			step() // structures are built once per batch
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
