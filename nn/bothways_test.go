package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Along and against are the convolution on the edge list and on the edge list turned
// around; an undirected edge is two arcs.
func TestBothWays(t *testing.T) {
	r := rng.Stream(43, "both ways")
	for trial := range 40 {
		g := sample(r, trial%2 == 0)
		layer := nn.NewBothWays(nn.NewInit(1), func(in nn.Init) nn.Conv {
			return nn.NewGINE(in, nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}, nn.GINConfig{})
		})
		v := must(graph.Collate([]*graph.Graph{g})).View
		got := layer.Forward(pass(t, false), v)
		if !g.Directed {
			arcs, _ := v.Arcs()
			near(t, "arcs", layer.Forward(pass(t, false), arcs).Data(), got.Data(), 1e-5)
			continue
		}
		dst, src := pairIDs(v.H)
		turned := v
		turned.H = must(graph.NewPairs(g.NumNodes, interleave(src, dst), true))
		p := pass(t, false)
		want := layer.Along.Forward(p, v).Add(layer.Against.Forward(p, turned)).MulScalar(0.5)
		near(t, "directed", got.Data(), want.Data(), 1e-6)
	}
}

func pairIDs(h *graph.Incidence) (src, dst []int32) {
	s, d, _ := h.Pairs()
	return s.IDs(), d.IDs()
}

// EndsLinear is Linear of the ends and the edge side by side: value and gradients.
func TestEndsLinear(t *testing.T) {
	r := rng.Stream(44, "ends")
	for trial := range 40 {
		g := sample(r, trial%2 == 0)
		v := must(graph.Collate([]*graph.Graph{g})).View
		layer := nn.NewEndsLinear(nn.NewInit(1), nn.EndsDims{Node: nodeWidth, Edge: edgeWidth, Out: 4})
		p := pass(t, true)
		x, e := p.Tape.Variable(v.X), p.Tape.Variable(v.E)
		src, dst, _ := v.H.Pairs()
		first, second := tensor.Gather(x, src), tensor.Gather(x, dst)
		if !g.Directed {
			mean, apart := first.Add(second).MulScalar(0.5), first.Sub(second).Abs()
			first, second = mean, mean.Add(apart.MulScalar(0.5))
		}
		want := layer.Linear.ForwardReLU(p, tensor.Concat(1, first, second, e))
		got := layer.ForwardReLU(p, v.WithX(x).WithE(e))
		near(t, "value", got.Data(), want.Data(), 1e-5)
		near(t, "without ReLU", layer.Forward(p, v.WithX(x).WithE(e)).ReLU().Data(), want.Data(), 1e-5)
		up := random(r, got.Shape()...)
		wrt := []*tensor.Tensor{x, e, p.Var(layer.Weight), p.Var(layer.Bias)}
		a, b := gradients(p, got, up, wrt...), gradients(p, want, up, wrt...)
		for i := range a {
			near(t, "gradient", a[i].Data(), b[i].Data(), 1e-5)
		}
	}
}
