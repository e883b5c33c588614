package pool_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// benchBatch is 128 graphs of the size of PROTEINS (39 nodes, 73 edges), or 16 of
// COLLAB's (74 nodes, 2457 edges).
func benchBatch(collab bool) graph.View {
	samples, n, m := 128, 39, 73
	if collab {
		samples, n, m = 16, 74, 2457
	}
	r := rng.Stream(1, "bench")
	var gs []*graph.Graph
	for range samples {
		gs = append(gs, multigraph(r, n, m, 1, false))
	}
	v := must(graph.Collate(gs)).View
	return v.WithX(random(r, v.H.NumVertices(), 128))
}

// Forward and backward at width 128, ratio 0.25, as in the paper's setting.
func BenchmarkNodePools(b *testing.B) {
	in := nn.NewInit(1)
	keep := pool.Keep{Fraction: 0.25}
	gate := pool.GateConfig{Keep: keep}
	for name, layer := range map[string]pool.Pool{
		"TopKPool": must(pool.NewTopKPool(in, 128, gate)),
		"SAGPool":  must(pool.NewSAGPool(in, 128, pool.SAGPoolConfig{GateConfig: gate})),
		"ASAPool":  must(pool.NewASAPool(in, 128, pool.ASAPConfig{Keep: keep})),
		"EdgePool": pool.NewEdgePool(in, 128, pool.EdgePoolConfig{}),
		"HaarPool": pool.NewHaarPool(pool.HaarPoolConfig{}),
	} {
		for set, collab := range map[string]bool{"PROTEINS": false, "COLLAB": true} {
			b.Run(name+"/"+set, func(b *testing.B) {
				v := benchBatch(collab)
				arena := tensor.NewArena(0)
				step := func() {
					tape := arena.Tape()
					defer tape.Close()
					p := &nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, "step")}
					x := tape.Variable(v.X)
					res := layer.Forward(p, v.WithX(x))
					loss := res.View.X.Square().Sum()
					if res.View.W != nil {
						loss = loss.Add(res.View.W.Sum())
					}
					wrt := []*tensor.Tensor{x}
					for _, w := range layer.Params() {
						wrt = append(wrt, p.Var(w))
					}
					tape.Grad(loss, wrt...)
				}
				step() // builds what is built once
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
			})
		}
	}
}
