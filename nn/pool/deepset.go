package pool

import (
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// DeepSetDims are the widths of a DeepSet: of the vertices, of the mapped vertices and of the
// result.
type DeepSetDims struct{ In, Hidden, Out int }

// DeepSet is a readout that maps each vertex, sums over each sample and maps the sum:
//
//	out_g = ρ(Σ_{i in g} ReLU(φ(x_i)))
//
// φ and ρ are linear. Input: x [n,in]. Output: [samples,out]. The readout of an empty sample is
// ρ(0). Zaheer et al. 2017, theorem 2.
type DeepSet struct {
	Phi, Rho *nn.Linear // phi [hidden,in], rho [out,hidden]
}

// NewDeepSet returns a readout with PyTorch's initial weights of linear maps.
func NewDeepSet(in nn.Init, d DeepSetDims) *DeepSet {
	return &DeepSet{Phi: nn.NewLinear(in.In("phi"), nn.Dims{In: d.In, Out: d.Hidden}), Rho: nn.NewLinear(in.In("rho"), nn.Dims{In: d.Hidden, Out: d.Out})}
}

// Params lists the parameters of φ and then of ρ.
func (d *DeepSet) Params() []*tensor.Param { return nn.Params(d.Phi, d.Rho) }

// Width is the width of the result.
func (d *DeepSet) Width() int { return d.Rho.Weight.Value.Dim(0) }

// Forward reads out the vertices of each sample.
func (d *DeepSet) Forward(p *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return d.Rho.Forward(p, tensor.SegmentSum(d.Phi.ForwardReLU(p, p.Tape.Bind(x)), of))
}
