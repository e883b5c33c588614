package nn

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Dims are the widths of a map of rows.
type Dims struct{ In, Out int }

// Linear is x·Wᵀ + b.
//
// Input: [n,in]. Output: [n,out]. Weight is [out,in], Bias is [out]. Both start uniform in
// ±1/sqrt(in), as PyTorch's Linear does.
type Linear struct {
	Weight, Bias *tensor.Param
}

// NewLinear returns a linear map with bias.
func NewLinear(in Init, d Dims) *Linear {
	bound := 1 / math.Sqrt(float64(max(d.In, 1)))
	return &Linear{Weight: in.Uniform("weight", bound, d.Out, d.In), Bias: in.Uniform("bias", bound, d.Out)}
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

// columns is x times the columns lo to hi of the weight, without bias: the part of these input
// features in the result.
func (l *Linear) columns(p *Pass, x *tensor.Tensor, lo, hi int) *tensor.Tensor {
	return tensor.Affine(x, p.Var(l.Weight).Slice(1, lo, hi), nil, tensor.AffineConfig{TransW: true})
}

// MLPDims are the widths of an MLP: of the input rows, after each hidden layer, and of the result.
type MLPDims struct {
	In     int
	Hidden []int // nil for a single linear map
	Out    int
}

// MLPConfig describes an MLP.
type MLPConfig struct {
	Dropout float64 // after every hidden layer, in training
}

// MLP is a stack of Linear layers. ReLU and dropout follow each layer except the last.
//
// The parameters are named as in a PyTorch Sequential of Linear, ReLU and Dropout: 0.weight,
// 3.weight, 6.weight and so on. This is the classifier of the authors' models.
type MLP struct {
	Layers  []*Linear
	Dropout float64
}

// NewMLP returns linear layers with the given widths.
func NewMLP(in Init, d MLPDims, c MLPConfig) *MLP {
	m := &MLP{Dropout: c.Dropout}
	width := d.In
	for i, out := range append(slices.Clone(d.Hidden), d.Out) {
		m.Layers = append(m.Layers, NewLinear(in.In(3*i), Dims{In: width, Out: out}))
		width = out
	}
	return m
}

// Params lists the layers' parameters in order.
func (m *MLP) Params() []*tensor.Param {
	return Each(m.Layers).Params()
}

// Forward maps [n,in] to [n,out].
func (m *MLP) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	last := len(m.Layers) - 1
	for _, l := range m.Layers[:last] {
		x = Dropout(p, l.ForwardReLU(p, x), m.Dropout)
	}
	return m.Layers[last].Forward(p, x)
}

// Pointwise is a convolution that ignores edges: Linear for each vertex.
type Pointwise struct{ *Linear }

// NewPointwise returns a linear map of vertex features.
func NewPointwise(in Init, d ConvDims) *Pointwise {
	return &Pointwise{NewLinear(in, Dims{In: d.In, Out: d.Out})}
}

// Forward maps the vertex features of v.
func (l *Pointwise) Forward(p *Pass, v graph.View) *tensor.Tensor { return l.Linear.Forward(p, v.X) }
