package nn_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// ginConfig translates the configuration of a GIN or GINE case.
func ginConfig(c golden.Case) nn.GINConfig {
	return nn.GINConfig{TrainEps: c.Config.Bool("train_eps", false), Hidden: c.Value("params.nn.0.weight").Shape[0]}
}

func TestCaseGIN(t *testing.T) {
	for _, c := range golden.Load(t, "layers/gin_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "train_eps")
			checkNeighbourCase(t, c, nn.NewGIN(nn.NewInit(0), nn.ConvDims{In: c.Value("x").Shape[1], Out: c.Value("params.nn.2.weight").Shape[0]}, ginConfig(c)))
		})
	}
}

func TestCaseGINE(t *testing.T) {
	for _, c := range golden.Load(t, "layers/gine_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "train_eps", "edge_dim")
			checkNeighbourCase(t, c, nn.NewGINE(nn.NewInit(0), nn.ConvDims{In: c.Value("x").Shape[1], Out: c.Value("params.nn.2.weight").Shape[0], Edge: c.Config.Int("edge_dim", 0)}, ginConfig(c)))
		})
	}
}

// copies is a map that shows what reaches it.
type copies struct{}

func (copies) Params() []*tensor.Param                             { return nil }
func (copies) Forward(_ *nn.Pass, x *tensor.Tensor) *tensor.Tensor { return x }

func relu64(x []float64) []float64 {
	return mapped(x, func(a float64) float64 { return max(a, 0) })
}

func mapped(x []float64, f func(float64) float64) (out []float64) {
	for _, a := range x {
		out = append(out, f(a))
	}
	return out
}

// ginWant is (1+ε)·x plus the sum of what is sent.
func ginWant(v graph.View, eps float64, sent [][][]float64) []float32 {
	var want []float64
	for i, rows := range sent {
		sum := reduceRows(rows, v.X.Dim(1), nn.AggregateSum)
		for j, a := range row64(v.X, i) {
			sum[j] += (1 + eps) * a
		}
		want = append(want, sum...)
	}
	return narrowed(want)
}

func TestGINAgainstDefinition(t *testing.T) {
	r := rng.Stream(26, "gin")
	for trial := range 100 {
		v := randomView(r, trial, 3, 2)
		eps := float32(r.IntN(3)) / 4
		c := nn.GINConfig{Eps: eps, TrainEps: trial%2 == 0, Map: func(nn.Init, nn.Dims) nn.Rowwise { return copies{} }}
		// One structure with and without weights: what is built for one must not
		// serve the other.
		for _, w := range []*tensor.Tensor{nil, random(r, v.H.NumEdges())} {
			v := v.WithW(w)
			p := pass(t, true)
			near(t, "GIN", nn.NewGIN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 3}, c).Forward(p, v).Data(),
				ginWant(v, float64(eps), sentRows(v.H, v.X, weigh(w))), 1e-5)
			gine := nn.NewGINE(nn.NewInit(1), nn.ConvDims{In: 3, Out: 3, Edge: 2}, c)
			send := func(row []float64, e int) []float64 {
				row = slices.Clone(row) // the mean of a hyperedge is handed out once per entry
				linear64(row, row64(v.E, e), gine.Edge.Weight.Value, gine.Edge.Bias.Value)
				return weigh(w)(relu64(row), e)
			}
			near(t, "GINE", gine.Forward(p, v).Data(), ginWant(v, float64(eps), sentRows(v.H, v.X, send)), 1e-5)
		}
		if t.Failed() {
			t.Fatalf("trial %d, ε %v", trial, eps)
		}
	}
}

// opaque hides what a map consists of, so that GIN cannot push its first linear
// layer before the sum.
type opaque struct{ nn.Rowwise }

func TestGINNarrowing(t *testing.T) {
	r := rng.Stream(27, "narrowing")
	for _, form := range []nn.GINForm{nn.GINPlain, nn.GINNormLast, nn.GINNormHidden} {
		for _, dual := range []bool{false, true} {
			g := multigraph(r, 6, 9, 5, 5, false, true)
			v := must(graph.Collate([]*graph.Graph{g})).View
			if dual {
				v = v.Dual()
			}
			pushed := nn.NewGIN(nn.NewInit(1), nn.ConvDims{In: 5, Out: 2}, nn.GINConfig{Form: form, TrainEps: true, Eps: 0.3})
			plain := &nn.GIN{Eps: pushed.Eps, NN: opaque{pushed.NN}}
			p := pass(t, true)
			x := p.Tape.Variable(v.X)
			v = v.WithX(x)
			a, b := pushed.Forward(p, v), plain.Forward(p, v)
			near(t, "output", a.Data(), b.Data(), 1e-5)
			up := random(r, a.Shape()...)
			wrt := []*tensor.Tensor{x}
			for _, w := range pushed.Params() {
				if !w.Buffer {
					wrt = append(wrt, p.Var(w))
				}
			}
			got, want := gradients(p, a, up, wrt...), gradients(p, b, up, wrt...)
			for i := range got {
				near(t, "gradient", got[i].Data(), want[i].Data(), 1e-4)
			}
		}
	}
}

// The maps of the two published codes, by the names and shapes of their
// parameters and by their order of operations.
func TestGINForms(t *testing.T) {
	r := rng.Stream(28, "forms")
	x := random(r, 6, 3)
	v := graph.View{X: x, H: must(graph.NewPairs(6, nil, false))}
	for form, want := range map[nn.GINForm][]string{
		nn.GINPlain: {"eps", "nn.0.weight", "nn.0.bias", "nn.2.weight", "nn.2.bias"},
		nn.GINNormLast: {"eps", "nn.0.weight", "nn.0.bias", "nn.2.weight", "nn.2.bias",
			"nn.4.weight", "nn.4.bias", "nn.4.running_mean", "nn.4.running_var"},
		nn.GINNormHidden: {"eps", "nn.0.weight", "nn.0.bias", "nn.1.weight", "nn.1.bias", "nn.1.running_mean", "nn.1.running_var",
			"nn.3.weight", "nn.3.bias"},
	} {
		layer := nn.NewGIN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4}, nn.GINConfig{Form: form, Hidden: 8})
		var names []string
		for _, w := range layer.Params() {
			names = append(names, w.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("form %d has parameters %v, want %v", form, names, want)
		}
		parts := layer.NN.(nn.Sequence)
		p := pass(t, true)
		y := x
		for _, part := range parts {
			y = part.Forward(p, y)
		}
		near(t, "one part after the other", layer.Forward(p, v).Data(), y.Data(), 1e-5)
		if y.Dim(1) != 4 || parts[0].(*nn.Linear).Weight.Value.Dim(0) != 8 {
			t.Errorf("form %d has widths %v and %v", form, parts[0].(*nn.Linear).Weight.Value.Shape(), y.Shape())
		}
	}
	norm := nn.NewGIN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4}, nn.GINConfig{Form: nn.GINNormLast})
	one := graph.View{X: random(r, 1, 3), H: must(graph.NewPairs(1, nil, false))}
	mustPanic(t, "a norm over one node", func() { norm.Forward(pass(t, true), one) })
	norm.Forward(pass(t, false), one)
}
