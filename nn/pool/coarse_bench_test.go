package pool_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// BenchmarkCoarsen is a step of a dense pool and of the pooling of GMT, forward
// and backward, without convolutions, on one thread: batches of the sizes of the
// data sets they are named after, a quarter of the mean number of nodes being
// kept.
func BenchmarkCoarsen(b *testing.B) {
	for _, size := range []struct {
		name                              string
		graphs, nodes, edges, width, kept int
	}{{"PROTEINS", 128, 39, 73, 128, 10}, {"COLLAB", 128, 75, 2458, 128, 19}, {"DD", 10, 284, 716, 32, 72}} {
		r := rng.Stream(1, "bench")
		gs := make([]*graph.Graph, size.graphs)
		for i := range gs {
			gs[i] = multigraph(r, size.nodes, size.edges, 0, false)
		}
		v := must(graph.Collate(gs)).View
		x, logits := random(r, v.VertexOf.Len(), size.width), random(r, v.VertexOf.Len(), size.kept)
		gmt := must(pool.NewGMTPool(nn.NewInit(1), nn.Dims{In: size.width, Out: size.width}, pool.GMTPoolConfig{
			Blocks: pool.GMTBlocks(size.kept), MAB: pool.MABConfig{Cluster: true}}))
		for name, run := range map[string]func(p *nn.Pass, v graph.View, l *tensor.Tensor) *tensor.Tensor{
			"DiffPool": func(p *nn.Pass, v graph.View, l *tensor.Tensor) *tensor.Tensor {
				return squared(pool.DiffPoolConfig{}.Coarsen(p, v, l))
			},
			"MinCutPool": func(p *nn.Pass, v graph.View, l *tensor.Tensor) *tensor.Tensor {
				return squared(pool.MinCutConfig{}.Coarsen(p, v, l))
			},
			"GMT": func(p *nn.Pass, v graph.View, _ *tensor.Tensor) *tensor.Tensor {
				y, _ := gmt.Forward(p, v)
				return y.Square().Sum()
			},
		} {
			b.Run(name+"/"+size.name, func(b *testing.B) {
				arena := tensor.NewArena(1)
				b.ReportAllocs()
				for b.Loop() {
					tape := arena.Tape()
					in, l := tape.Variable(x), tape.Variable(logits)
					tape.Grad(run(&nn.Pass{Tape: tape, Train: true}, v.WithX(in), l), in, l)
					tape.Close()
				}
			})
		}
	}
}
