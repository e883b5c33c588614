package pool_test

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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func random(r *rand.Rand, dims ...int) *tensor.Tensor {
	x := tensor.New(dims...)
	for i := range x.Data() {
		x.Data()[i] = float32(r.NormFloat64())
	}
	return x
}

// graphConv builds PyTorch Geometric's GraphConv, which is SAGE with the sum under
// parameter names of its own (Morris et al. 2019, equation 4).
func graphConv(in nn.Init, d nn.ConvDims) (nn.Conv, error) {
	maps := nn.Dims{In: d.In, Out: d.Out}
	s := &nn.SAGE{SAGEConfig: nn.SAGEConfig{Aggregate: nn.AggregateSum},
		Neighbours: nn.NewLinear(in.In("lin_rel"), maps), Root: nn.NewLinear(in.In("lin_root"), maps)}
	s.Root.Bias = nil
	return s, nil
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

// multigraph is a random graph without self-loops, with edge features.
func multigraph(r *rand.Rand, n, m, de int, directed bool) *graph.Graph {
	g := graph.Graph{NumNodes: n, Directed: directed, Node: graph.Ones(n)}
	for len(g.Ends) < 2*m {
		if u, v := int32(r.IntN(n)), int32(r.IntN(n)); u != v {
			g.Ends = append(g.Ends, u, v)
		}
	}
	g.Edge = graph.Features{Dim: de, Dense: random(r, m, de).Data()}
	return must(graph.New(g))
}
