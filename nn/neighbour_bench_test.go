package nn_test

import (
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// BenchmarkNeighbours is a step of one layer, forward and backward, on a batch of
// 128 graphs of the mean size of PROTEINS (39 nodes, 73 edges) and a width of
// 128. Like a batch of training it is new in every step, structures included.
func BenchmarkNeighbours(b *testing.B) {
	const d, de = 128, 16
	r := rng.Stream(1, "bench")
	var gs []*graph.Graph
	for range 128 {
		gs = append(gs, multigraph(r, 39, 73, d, de, false, false))
	}
	in := nn.NewInit(1)
	for _, c := range []struct {
		name string
		conv nn.Conv
	}{
		{"GCN", nn.NewGCN(in, nn.ConvDims{In: d, Out: d}, nn.GCNConfig{})},
		{"SAGE-mean", nn.NewSAGE(in, nn.ConvDims{In: d, Out: d}, nn.SAGEConfig{})},
		{"SAGE-max", nn.NewSAGE(in, nn.ConvDims{In: d, Out: d}, nn.SAGEConfig{Aggregate: nn.AggregateMax})},
		{"GIN", nn.NewGIN(in, nn.ConvDims{In: d, Out: d}, nn.GINConfig{TrainEps: true})},
		{"GINE", nn.NewGINE(in, nn.ConvDims{In: d, Out: d, Edge: de}, nn.GINConfig{})},
		{"GAT-1", must(nn.NewGAT(in, nn.ConvDims{In: d, Out: d, Heads: 1}, nn.GATConfig{}))},
		{"GAT-4", must(nn.NewGAT(in, nn.ConvDims{In: d, Out: d, Heads: 4}, nn.GATConfig{}))},
		{"GAT-4-edge", must(nn.NewGAT(in, nn.ConvDims{In: d, Out: d, Edge: de, Heads: 4}, nn.GATConfig{}))},
		{"GATv2-4", must(nn.NewGATv2(in, nn.ConvDims{In: d, Out: d, Heads: 4}, nn.GATv2Config{}))},
		{"GATv2-4-edge", must(nn.NewGATv2(in, nn.ConvDims{In: d, Out: d, Edge: de, Heads: 4}, nn.GATv2Config{}))},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(b *testing.B) {
				arena := tensor.NewArena(threads)
				for b.Loop() {
					b.StopTimer()
					v := must(graph.Collate(gs)).View
					b.StartTimer()
					tape := arena.Tape()
					p := &nn.Pass{Tape: tape, Train: true}
					x := tape.Variable(v.X)
					y := c.conv.Forward(p, v.WithX(x))
					wrt := []*tensor.Tensor{x}
					for _, w := range c.conv.Params() {
						if !w.Buffer {
							wrt = append(wrt, p.Var(w))
						}
					}
					tape.Grad(y.Square(), wrt...)
					tape.Close()
				}
				b.ReportMetric(float64(arena.Bytes())/(1<<20), "arena-MiB")
			})
		}
	}
}
