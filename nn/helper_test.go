package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// pass starts a forward pass on a new tape, which is closed with the test.
func pass(t *testing.T, train bool) *nn.Pass {
	t.Helper()
	tape := tensor.NewArena(1).Tape()
	t.Cleanup(tape.Close)
	return &nn.Pass{Tape: tape, Train: train, Rand: rng.Stream(1, "pass")}
}

func interleave(src, dst []int32) []int32 {
	var ends []int32
	for e := range src {
		ends = append(ends, src[e], dst[e])
	}
	return ends
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mustPanic runs f and reports whether it panicked with *tensor.ShapeError.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if _, ok := recover().(*tensor.ShapeError); !ok {
			t.Errorf("%s: no panic with *tensor.ShapeError", what)
		}
	}()
	f()
}

func random(r *rand.Rand, dims ...int) *tensor.Tensor {
	x := tensor.New(dims...)
	for i := range x.Data() {
		x.Data()[i] = float32(r.NormFloat64())
	}
	return x
}

// near compares elements with tolerance tol·max(1, |want|).
func near(t *testing.T, what string, got, want []float32, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		d := math.Abs(float64(got[i]) - float64(w))
		if !(d <= tol*max(1, math.Abs(float64(w)))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}

// multigraph is a random graph of n nodes and m edges with features of the
// given widths; self-loops only where allowed.
func multigraph(r *rand.Rand, n, m, dx, de int, directed, loops bool) *graph.Graph {
	g := graph.Graph{NumNodes: n, Directed: directed}
	for len(g.Ends) < 2*m {
		u, v := int32(r.IntN(n)), int32(r.IntN(n))
		if u != v || loops {
			g.Ends = append(g.Ends, u, v)
		}
	}
	g.Node = graph.Features{Dim: dx, Dense: random(r, n, dx).Data()}
	g.Edge = graph.Features{Dim: de, Dense: random(r, m, de).Data()}
	return must(graph.New(g))
}

// gradients of the sum of out∘upstream.
func gradients(p *nn.Pass, out, upstream *tensor.Tensor, wrt ...*tensor.Tensor) []*tensor.Tensor {
	return p.Tape.Grad(out.Mul(upstream).Sum(), wrt...)
}
