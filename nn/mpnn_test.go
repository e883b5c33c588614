package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Fixture nn_conv: sum and mean, linear and two-layer edge network, no root.
func TestCaseMPNN(t *testing.T) {
	for _, c := range golden.Load(t, "layers/nn_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "aggr", "mlp", "root_weight")
			config := nn.MPNNConfig{Mean: c.Config.String("aggr", "") == "mean", NoRoot: !c.Config.Bool("root_weight", true)}
			if c.Config.Bool("mlp", false) {
				config.Hidden = c.Value("params.nn.0.bias").Len()
			}
			layer := nn.NewMPNN(nn.NewInit(0), nn.ConvDims{In: c.Value("x").Shape[1], Out: c.Value("params.bias").Len(), Edge: c.Value("edge_attr").Shape[1]}, config)
			checkCase(t, c, layer, layer.Forward)
		})
	}
}

// Both orders of the products, weights, directions and self-loops against the
// definition, edge by edge.
func TestMPNNAgainstDefinition(t *testing.T) {
	r := rng.Stream(61, "mpnn")
	for trial := range 60 {
		in, out, de := 1+r.IntN(4), 1+r.IntN(4), r.IntN(4)
		g := multigraph(r, 1+r.IntN(6), r.IntN(12), in, de, trial%2 == 0, true)
		v := must(graph.Collate([]*graph.Graph{g})).View
		c := nn.MPNNConfig{Mean: trial%3 == 0, NoRoot: trial%5 == 0, Hidden: 3 * (trial % 4 / 3)}
		layer := nn.NewMPNN(nn.NewInit(uint64(trial)), nn.ConvDims{In: in, Out: out, Edge: de}, c)
		layer.Bias.Value = random(r, out)
		if trial%4 < 2 {
			v.W = random(r, g.NumEdges())
		}
		h := v.E
		if layer.Hidden != nil {
			h = h.MatMulT(layer.Hidden.Weight.Value).Add(layer.Hidden.Bias.Value).ReLU()
		}
		theta := h.MatMulT(layer.Edge.Weight.Value).Add(layer.Edge.Bias.Value) // [m,in·out]
		want, count := tensor.New(g.NumNodes, out), make([]float32, g.NumNodes)
		send := func(e int, from, to int32) {
			count[to]++
			w := float32(1)
			if v.W != nil {
				w = v.W.Data()[e]
			}
			for i := range in {
				for o := range out {
					want.Data()[int(to)*out+o] += w * v.X.Data()[int(from)*in+i] * theta.Data()[(e*in+i)*out+o]
				}
			}
		}
		for e := range g.NumEdges() {
			send(e, g.Ends[2*e], g.Ends[2*e+1])
			if !g.Directed && g.Ends[2*e] != g.Ends[2*e+1] {
				send(e, g.Ends[2*e+1], g.Ends[2*e])
			}
		}
		for i, k := range count {
			for o := range out {
				if c.Mean && k > 0 {
					want.Data()[i*out+o] /= k
				}
			}
		}
		want = want.Add(layer.Bias.Value)
		if layer.Root != nil {
			want = want.Add(v.X.MatMulT(layer.Root.Value))
		}
		near(t, "output", layer.Forward(pass(t, trial%7 == 0), v).Data(), want.Data(), 1e-5)
		if t.Failed() {
			t.Fatalf("trial %d: %d to %d, %+v", trial, in, out, c)
		}
	}
}

// Without edge features only the constant part of the edge network is left:
// what features of zero give, forward and backward.
func TestMPNNWithoutFeatures(t *testing.T) {
	r := rng.Stream(63, "mpnn")
	g := multigraph(r, 6, 9, 2, 1, false, true)
	v := must(graph.Collate([]*graph.Graph{g})).View
	none := nn.NewMPNN(nn.NewInit(1), nn.ConvDims{In: 2, Out: 3, Edge: 0}, nn.MPNNConfig{Mean: true})
	zero := nn.NewMPNN(nn.NewInit(1), nn.ConvDims{In: 2, Out: 3, Edge: 1}, nn.MPNNConfig{Mean: true})
	none.Edge.Bias.Value = zero.Edge.Bias.Value
	p := pass(t, true)
	x, up := p.Tape.Variable(v.X), random(r, 6, 3)
	a := none.Forward(p, v.WithX(x).WithE(tensor.New(9, 0)))
	b := zero.Forward(p, v.WithX(x).WithE(tensor.New(9, 1)))
	near(t, "output", a.Data(), b.Data(), 1e-6)
	near(t, "gradient", gradients(p, a, up, x)[0].Data(), gradients(p, b, up, x)[0].Data(), 1e-6)
}
