package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Where the direction is 0 there is none: every score is act(0), the first nodes
// stay, and no gradient is NaN.
func TestTopKPoolNoDirection(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	for act, want := range map[pool.ScoreAct]float32{pool.ScoreTanh: 0, pool.ScoreSigmoid: 0.5, pool.ScoreIdentity: 0} {
		layer := must(pool.NewTopKPool(nn.NewInit(1), v.X.Dim(1), pool.GateConfig{Keep: pool.Keep{Count: 2}, Act: act}))
		clear(layer.Direction.Value.Data())
		p := pass(t, true)
		x := p.Tape.Variable(v.X)
		res := layer.Forward(p, v.WithX(x))
		for i, s := range res.Score.Data() {
			if s != want {
				t.Errorf("act %d: score %d is %v, want %v", act, i, s, want)
			}
		}
		if !slices.IsSorted(res.Keep) {
			t.Errorf("ties kept %v", res.Keep)
		}
		for _, g := range p.Tape.Grad(res.View.X.Square().Sum(), x, p.Var(layer.Direction)) {
			near(t, "gradient", g.Data(), fromNaN(g.Data()), 0)
		}
	}
}

// Equal nodes have equal scores at any position, and the lower index is kept. Sizes are
// on both sides of the block size of the matrix product.
func TestTopKPoolTwins(t *testing.T) {
	r := rng.Stream(41, "twins")
	for _, n := range []int{2, 7, 33, 200} {
		for _, d := range []int{1, 3, 16, 37} {
			one := random(r, 1, d)
			v := lone(tensor.FromSlice(slices.Repeat(one.Data(), n), n, d))
			res := must(pool.NewTopKPool(nn.NewInit(2), d, pool.GateConfig{Keep: pool.Keep{Fraction: 0.5}})).Forward(pass(t, false), v)
			for i, u := range res.Keep {
				if int(u) != i {
					t.Fatalf("%d twins of width %d: kept %v, scores %v", n, d, res.Keep, res.Score)
				}
			}
		}
	}
}

// lone is one sample without edges.
func lone(x *tensor.Tensor) graph.View {
	n := x.Dim(0)
	return graph.View{X: x, H: must(graph.NewPairs(n, nil, false)), VertexOf: tensor.MustIndex(make([]int32, n), 1),
		EdgeOf: tensor.MustIndex(nil, 1)}
}

// On a dual the pools keep edges: all nodes stay, as hyperedges.
func TestDropPoolsOnDual(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	gate := pool.GateConfig{Keep: pool.Keep{Fraction: 0.5}}
	hyper := must(nn.FindConv("hyper")).New
	for name, layer := range map[string]pool.Pool{
		"TopKPool": must(pool.NewTopKPool(nn.NewInit(1), 3, gate)),
		"SAGPool":  must(pool.NewSAGPool(nn.NewInit(1), 3, pool.SAGPoolConfig{GateConfig: gate, Scorer: hyper})),
	} {
		res := layer.Forward(pass(t, true), v.Dual())
		kept := v.KeepEdges(res.Keep)
		if got := res.View.Dual(); !slices.Equal(got.H.Ends(), kept.H.Ends()) || got.X != v.X || got.E.Dim(0) != len(res.Keep) {
			t.Errorf("%s: edges %v, want %v", name, got.H.Ends(), kept.H.Ends())
		}
	}
	// With the same scorer SAGPool finds the edges that HyperDrop does.
	sag := must(pool.NewSAGPool(nn.NewInit(1), 3, pool.SAGPoolConfig{GateConfig: gate, Scorer: hyper}))
	drop := must(pool.NewHyperDropPool(nn.NewInit(1), 3, pool.HyperDropPoolConfig{Keep: gate.Keep}))
	drop.Score = sag.Scorer.(*nn.HyperConv)
	if a, b := sag.Forward(pass(t, false), v.Dual()).Keep, drop.Forward(pass(t, false), v).Keep; !slices.Equal(a, b) {
		t.Errorf("SAGPool kept %v, HyperDrop %v", a, b)
	}
}
