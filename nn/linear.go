package nn

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Dims are the widths of a map of rows.
type Dims struct{ In, Out int }

// Linear is x·Wᵀ + b.
//
// Input [n,in], output [n,out]; Weight [out,in], Bias [out]. Both start uniform
// in ±1/sqrt(in), as PyTorch's Linear does.
type Linear struct {
	Weight, Bias *tensor.Param
}

// NewLinear returns a linear map with bias.
func NewLinear(in Init, dimIn, dimOut int) *Linear {
	bound := 1 / math.Sqrt(float64(max(dimIn, 1)))
	return &Linear{Weight: in.Uniform("weight", bound, dimOut, dimIn), Bias: in.Uniform("bias", bound, dimOut)}
}

// Params lists weight and bias.
func (l *Linear) Params() []*tensor.Param { return present(l.Weight, l.Bias) }

// Forward maps the rows of x, which may have leading axes.
func (l *Linear) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor { return l.affine(p, x, false) }

// ForwardReLU is Forward followed by ReLU, in one pass over the result.
func (l *Linear) ForwardReLU(p *Pass, x *tensor.Tensor) *tensor.Tensor { return l.affine(p, x, true) }

func (l *Linear) affine(p *Pass, x *tensor.Tensor, relu bool) *tensor.Tensor {
	flat := x
	if x.Rank() != 2 {
		flat = x.Reshape(-1, x.Dim(-1))
	}
	y := tensor.Affine(flat, p.Var(l.Weight), p.VarOrNil(l.Bias), tensor.AffineConfig{TransW: true, ReLU: relu})
	if x.Rank() == 2 {
		return y
	}
	dims := x.Shape()
	dims[len(dims)-1] = y.Dim(1)
	return y.Reshape(dims...)
}

// MLPConfig describes a stack of linear layers.
type MLPConfig struct {
	Dims    []int   // widths, input first: at least two
	Dropout float64 // after every hidden layer, in training
}

// MLP is Linear layers with ReLU and dropout between them, none after the last.
//
// The parameters are named as in a PyTorch Sequential of Linear, ReLU and
// Dropout: 0.weight, 3.weight, 6.weight and so on, which is the classifier of
// the authors' models.
type MLP struct {
	Layers  []*Linear
	Dropout float64
}

// NewMLP returns a stack of len(Dims)-1 linear layers. It panics on fewer than
// two widths.
func NewMLP(in Init, c MLPConfig) *MLP {
	if len(c.Dims) < 2 {
		panic(fmt.Sprintf("nn: MLP of widths %v, expected at least two", c.Dims))
	}
	m := &MLP{Dropout: c.Dropout}
	for i := range len(c.Dims) - 1 {
		m.Layers = append(m.Layers, NewLinear(in.In(3*i), c.Dims[i], c.Dims[i+1]))
	}
	return m
}

// Params lists the layers' parameters in order.
func (m *MLP) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, l := range m.Layers {
		out = append(out, l.Params()...)
	}
	return out
}

// Forward maps [n,in] to [n,out].
func (m *MLP) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	last := len(m.Layers) - 1
	for _, l := range m.Layers[:last] {
		x = Dropout(p, l.ForwardReLU(p, x), m.Dropout)
	}
	return m.Layers[last].Forward(p, x)
}

// Pointwise is a Linear in the place of a convolution: every vertex for itself,
// edges ignored.
type Pointwise struct{ *Linear }

// NewPointwise returns a linear map of vertex features.
func NewPointwise(in Init, dimIn, dimOut int) *Pointwise {
	return &Pointwise{NewLinear(in, dimIn, dimOut)}
}

// Forward maps the vertex features of v.
func (l *Pointwise) Forward(p *Pass, v graph.View) *tensor.Tensor { return l.Linear.Forward(p, v.X) }
