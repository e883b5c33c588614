package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// DeepSetConfig describes a DeepSet; the zero value has linear maps.
type DeepSetConfig struct {
	// Head makes ρ two linear maps with ReLU between them, rho.0 and rho.2, as in
	// the comparison of Errica et al. 2020.
	Head bool
}

// DeepSet is a function of a set of vertices, edges ignored: a map of each, their
// sum, a map of the sum.
//
//	z_g = Σ ReLU(φ(x_v))    over the vertices v of sample g,  y_g = ρ(z_g)
//
// Input: a view with X [n,in]; output [samples,out]. A sample without vertices
// gives ρ(0). On a dual it is a function of the set of edges. Zaheer et al. 2017,
// theorem 2.
type DeepSet struct {
	Phi *Linear // phi [hidden,in]
	Rho Rowwise // rho
}

// NewDeepSet returns a model of sets.
func NewDeepSet(in Init, dimIn, hidden, dimOut int, c DeepSetConfig) *DeepSet {
	d := &DeepSet{Phi: NewLinear(in.In("phi"), dimIn, hidden)}
	if c.Head {
		rho := in.In("rho")
		d.Rho = Sequence{NewLinear(rho.In(0), hidden, hidden), ReLU{}, NewLinear(rho.In(2), hidden, dimOut)}
	} else {
		d.Rho = NewLinear(in.In("rho"), hidden, dimOut)
	}
	return d
}

// Params lists the parameters of φ, then those of ρ.
func (d *DeepSet) Params() []*tensor.Param { return append(d.Phi.Params(), d.Rho.Params()...) }

// Forward maps each sample of v to a vector [samples,out].
func (d *DeepSet) Forward(p *Pass, v graph.View) *tensor.Tensor {
	return d.Rho.Forward(p, d.Pool(p, bind(p, v.X), v.VertexOf))
}

// Pool is z, the first half: the rows of x [n,in] that of puts into each sample
// give [samples,hidden].
func (d *DeepSet) Pool(p *Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return tensor.SegmentSum(d.Phi.ForwardReLU(p, x), of)
}
