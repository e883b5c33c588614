// Package bench measures the program's own speed on the machine it runs on:
// what memory and processor can do at most, what the kernels reach of it, and
// how long an epoch of each model takes.
//
// Every figure is the least time of several repetitions: what the work takes
// when nothing disturbs it. Figures are for comparing versions and machines;
// no test depends on them.
package bench

import (
	"context"
	"math"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Result is one measurement.
type Result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	// Rate is what the work comes to per second, in Unit; 0 without one.
	Rate float64 `json:"rate,omitempty"`
	Unit string  `json:"unit,omitempty"`
}

// least is the least time of one call over at least five calls and a tenth of a
// second.
func least(f func()) float64 {
	best := math.Inf(1)
	start := time.Now()
	for i := 0; i < 5 || time.Since(start) < 100*time.Millisecond; i++ {
		t := time.Now()
		f()
		best = min(best, time.Since(t).Seconds())
	}
	return best
}

// Kernels measures copying, matrix products, and the layers of the paper on its
// sizes, forward and, where it says so, backward.
func Kernels(ctx context.Context, threads int) ([]Result, error) {
	k := &kernels{ctx: ctx, arena: tensor.NewArena(threads), pool: par.New(threads)}
	k.copying()
	k.gemm("matmul 5000x128x128", 5000, 128, 128)
	k.gemm("matmul 2048x2048x2048", 2048, 2048, 2048)
	k.gather(20000, 80000, 128)
	k.convs(1000, 5000, 32)
	return k.results, ctx.Err()
}

type kernels struct {
	ctx     context.Context
	arena   *tensor.Arena
	pool    *par.Pool
	results []Result
}

// add measures f, which does the given amount of work in units of 1e9.
func (k *kernels) add(name string, work float64, unit string, f func()) {
	if k.ctx.Err() != nil {
		return
	}
	r := Result{Name: name, Seconds: least(f), Unit: unit}
	if work > 0 {
		r.Rate = work / r.Seconds
	}
	k.results = append(k.results, r)
}

// step runs f on a tape of its own.
func (k *kernels) step(f func(t *tensor.Tape)) func() {
	return func() {
		t := k.arena.Tape()
		f(t)
		t.Close()
	}
}

func (k *kernels) copying() {
	const n = 1 << 24
	src, dst := make([]float32, n), make([]float32, n)
	k.add("copy 64 MiB", 2*4*n/1e9, "GB/s", func() {
		k.pool.Rows(n, 1<<16, func(lo, hi int) { copy(dst[lo:hi], src[lo:hi]) })
	})
}

func (k *kernels) gemm(name string, m, n, d int) {
	a, b := random(m, d), random(d, n)
	k.add(name, 2*float64(m)*float64(n)*float64(d)/1e9, "GFLOP/s", k.step(func(t *tensor.Tape) {
		t.Constant(a).MatMul(b)
	}))
}

func (k *kernels) gather(rows, ids, d int) {
	r := rng.Stream(1, "gather")
	list := make([]int32, ids)
	for i := range list {
		list[i] = int32(r.IntN(rows))
	}
	ix := tensor.MustIndex(list, rows)
	ix.Segments()
	x, g := random(rows, d), random(ids, d)
	bytes := 2 * 4 * float64(ids) * float64(d) / 1e9
	k.add("gather 80000x128 of 20000", bytes, "GB/s", k.step(func(t *tensor.Tape) { tensor.Gather(t.Constant(x), ix) }))
	k.add("segment sum of the same", bytes, "GB/s", k.step(func(t *tensor.Tape) { tensor.SegmentSum(t.Constant(g), ix) }))
}

// convs times a layer on a graph of 5,000 undirected edges, 10,000 arcs, and on
// its dual, with gradients.
func (k *kernels) convs(nodes, edges, width int) {
	r := rng.Stream(1, "graph")
	ends := make([]int32, 0, 2*edges)
	for range edges {
		u := r.IntN(nodes)
		ends = append(ends, int32(u), int32((u+1+r.IntN(nodes-1))%nodes))
	}
	h, err := graph.NewPairs(nodes, ends, false)
	if err != nil {
		panic(err) // the ends are in range by construction
	}
	v := graph.View{H: h, X: random(nodes, width), E: random(edges, width)}
	in := nn.NewInit(1)
	train := func(c nn.Conv, v graph.View) func() {
		return k.step(func(t *tensor.Tape) {
			p := &nn.Pass{Tape: t, Train: true}
			y := c.Forward(p, v.WithX(t.Variable(v.X)))
			wrt := make([]*tensor.Tensor, 0, 2)
			for _, w := range c.Params() {
				wrt = append(wrt, p.Var(w))
			}
			t.Grad(y, wrt...)
		})
	}
	k.add("GCN layer, 1000 nodes, 10000 arcs, forward and backward", 0, "", train(nn.NewGCN(in.In("gcn"), width, width, nn.GCNConfig{}), v))
	k.add("hypergraph layer on its dual, forward and backward", 0, "", train(nn.NewHyperConv(in.In("hyper"), width, width, nn.HyperConvConfig{}), v.Dual()))
}

func random(n, d int) *tensor.Tensor {
	x := tensor.New(n, d)
	r := rng.Stream(1, n, d)
	for i := range x.Data() {
		x.Data()[i] = r.Float32() - 0.5
	}
	return x
}
