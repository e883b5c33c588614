package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestLinear(t *testing.T) {
	r := rng.Stream(1, "linear")
	layer := nn.NewLinear(nn.NewInit(1), nn.Dims{In: 3, Out: 2})
	x := random(r, 2, 2, 3)
	want := make([]float32, 0, 8)
	for i := range 4 {
		for j := range 2 {
			sum := float64(layer.Bias.Value.Data()[j])
			for k := range 3 {
				sum += float64(x.Data()[3*i+k]) * float64(layer.Weight.Value.Data()[3*j+k])
			}
			want = append(want, float32(sum))
		}
	}
	p := pass(t, true)
	for _, dims := range [][]int{{4, 3}, {2, 2, 3}, {1, 4, 1, 3}} {
		y := layer.Forward(p, x.Reshape(dims...))
		near(t, "output", y.Data(), want, 1e-6)
		dims[len(dims)-1] = 2
		if !slices.Equal(y.Shape(), dims) {
			t.Errorf("shape %v, want %v", y.Shape(), dims)
		}
		near(t, "with ReLU", layer.ForwardReLU(p, x).Data(), y.ReLU().Data(), 0)
	}
	if y := layer.Forward(p, tensor.New(0, 3)); !slices.Equal(y.Shape(), []int{0, 2}) {
		t.Errorf("no rows give %v", y.Shape())
	}
	mustPanic(t, "another width", func() { layer.Forward(p, tensor.New(4, 2)) })
	v := graph.View{X: x.Reshape(4, 3)}
	near(t, "pointwise", (&nn.Pointwise{Linear: layer}).Forward(p, v).Data(), want, 1e-6)
}

func TestMLP(t *testing.T) {
	m := nn.NewMLP(nn.NewInit(1).In("classifier"), nn.MLPDims{In: 4, Hidden: []int{5, 3}, Out: 2}, nn.MLPConfig{Dropout: 0.5})
	names := []string{"classifier.0.weight", "classifier.0.bias", "classifier.3.weight", "classifier.3.bias",
		"classifier.6.weight", "classifier.6.bias"}
	checkNames(t, m, names...)
	x := random(rng.Stream(1, "mlp"), 6, 4)
	p := pass(t, false)
	want := m.Layers[2].Forward(p, m.Layers[1].Forward(p, m.Layers[0].Forward(p, x).ReLU()).ReLU())
	near(t, "evaluation", m.Forward(p, x).Data(), want.Data(), 1e-6)
	// In training half of the hidden elements are dropped, none of the output's.
	p = pass(t, true)
	h := nn.Dropout(p, m.Layers[0].ForwardReLU(p, x), 0.5)
	h = nn.Dropout(p, m.Layers[1].ForwardReLU(p, h), 0.5)
	near(t, "training", m.Forward(pass(t, true), x).Data(), m.Layers[2].Forward(p, h).Data(), 1e-6)
	one := nn.NewMLP(nn.NewInit(1), nn.MLPDims{In: 4, Out: 2}, nn.MLPConfig{Dropout: 0.5})
	checkNames(t, one, "0.weight", "0.bias")
	near(t, "no hidden layer", one.Forward(p, x).Data(), one.Layers[0].Forward(p, x).Data(), 0)
}

func checkNames(t *testing.T, m nn.Module, want ...string) {
	t.Helper()
	var got []string
	for _, p := range m.Params() {
		got = append(got, p.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("parameters %q, want %q", got, want)
	}
}

// Names are those of PyTorch and PyTorch Geometric, and of the fixtures.
func TestParameterNames(t *testing.T) {
	in := nn.NewInit(1).In("a", 2)
	checkNames(t, nn.NewLinear(in, nn.Dims{In: 1, Out: 1}), "a.2.weight", "a.2.bias")
	checkNames(t, nn.NewGCN(in, nn.ConvDims{In: 1, Out: 1}, nn.GCNConfig{}), "a.2.bias", "a.2.lin.weight")
	checkNames(t, nn.NewGCN(in, nn.ConvDims{In: 1, Out: 1}, nn.GCNConfig{NoBias: true}), "a.2.lin.weight")
	checkNames(t, nn.NewHyperConv(in, nn.ConvDims{In: 1, Out: 1}, nn.HyperConvConfig{}), "a.2.weight", "a.2.bias")
	checkNames(t, nn.NewHyperConv(in, nn.ConvDims{In: 1, Out: 1}, nn.HyperConvConfig{NoBias: true}), "a.2.weight")
	checkNames(t, nn.NewLayerNorm(in, 1), "a.2.weight", "a.2.bias")
	checkNames(t, nn.NewBatchNorm(in, 1), "a.2.weight", "a.2.bias", "a.2.running_mean", "a.2.running_var")
	checkNames(t, nn.NewPointwise(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1}), "weight", "bias")
}

func TestParams(t *testing.T) {
	a, b := nn.NewLinear(nn.NewInit(1), nn.Dims{In: 1, Out: 1}), nn.NewLayerNorm(nn.NewInit(1), 1)
	if got := nn.Params(a, nil, b); len(got) != 4 || got[0] != a.Weight || got[3] != b.Bias {
		t.Errorf("%d parameters", len(got))
	}
}

// Parameters are variables in training only, buffers never.
func TestPassVar(t *testing.T) {
	w := nn.NewInit(1).Full("w", 3, 2)
	buffer := &tensor.Param{Name: "b", Value: tensor.Full(4, 2), Buffer: true}
	for _, train := range []bool{true, false} {
		p := pass(t, train)
		first, second := p.Var(w), p.Var(w)
		b1, b2 := p.Var(buffer), p.Var(buffer)
		if (first == second) != train || b1 == b2 || p.VarOrNil(nil) != nil {
			t.Errorf("training %v: parameters are watched wrongly", train)
		}
		x := p.Tape.Variable(tensor.Full(1, 2))
		y := x.Mul(p.Var(w)).Add(x.Mul(p.VarOrNil(buffer)))
		near(t, "sum", y.Data(), []float32{7, 7}, 0)
		if train {
			near(t, "gradient", p.Tape.Grad(y, p.Var(w))[0].Data(), []float32{1, 1}, 0)
		}
	}
}

// Every parameter has a stream of its own: its start depends on the seed and on
// its name, not on what else the model has.
func TestInit(t *testing.T) {
	a := nn.NewInit(1).In("x").Uniform("w", 0.5, 100, 10)
	nn.NewLinear(nn.NewInit(1).In("y"), nn.Dims{In: 50, Out: 50})
	if b := nn.NewInit(1).In("x").Uniform("w", 0.5, 100, 10); !slices.Equal(a.Value.Data(), b.Value.Data()) {
		t.Error("a parameter starts differently the second time")
	}
	for _, other := range []*tensor.Param{nn.NewInit(2).In("x").Uniform("w", 0.5, 100, 10), nn.NewInit(1).In("y").Uniform("w", 0.5, 100, 10)} {
		if slices.Equal(a.Value.Data(), other.Value.Data()) {
			t.Errorf("%s starts as another parameter does", other.Name)
		}
	}
	sum, square := 0.0, 0.0
	for _, v := range a.Value.Data() {
		if math.Abs(float64(v)) > 0.5 {
			t.Fatalf("%v is out of bounds", v)
		}
		sum, square = sum+float64(v), square+float64(v)*float64(v)
	}
	if mean, variance := sum/1000, square/1000; math.Abs(mean) > 0.04 || math.Abs(variance-1./12) > 0.01 {
		t.Errorf("mean %v and variance %v are not those of a uniform distribution", mean, variance)
	}
	limit := math.Sqrt(6. / 8)
	for _, v := range nn.NewInit(3).Glorot("w", 3, 5, 3, 5).Value.Data() {
		if math.Abs(float64(v)) > limit {
			t.Errorf("%v is outside ±sqrt(6/8)", v)
		}
	}
	// A width of 0 is legal: no feature columns.
	if w := nn.NewInit(1).Glorot("w", 0, 0, 0, 0); w.Value.Size() != 0 {
		t.Error("an empty parameter has elements")
	}
}
