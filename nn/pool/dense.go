package pool

import (
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Dense is a batch of weighted graphs of equal size with dense adjacency, the result of DiffPool
// and MinCutPool. It has no padding.
type Dense struct {
	X *tensor.Tensor // [G,k,d] node features
	A *tensor.Tensor // [G,k,k] weight of the edge from node i to node j
}

// WithX is d with other node features.
func (d Dense) WithX(x *tensor.Tensor) Dense { d.X = x; return d }

// Mean is the mean over the nodes of each graph [G,d].
func (d Dense) Mean() *tensor.Tensor { return d.X.MeanAxis(1).Reshape(d.X.Dim(0), d.X.Dim(2)) }

// check panics with the name of the layer if the shapes of X and A do not fit.
func (d Dense) check(layer string) (samples, k int) {
	x, a := d.X.Shape(), d.A.Shape()
	if len(x) != 3 || len(a) != 3 || a[0] != x[0] || a[1] != x[1] || a[2] != x[1] {
		panic(&tensor.ShapeError{Op: layer, Shapes: [][]int{x, a}, Want: "features [G,k,d] and adjacency [G,k,k]"})
	}
	return x[0], x[1]
}

// DenseConv is one round of message passing on dense graphs: new features
// [G,k,out].
type DenseConv interface {
	nn.Module
	Forward(p *nn.Pass, d Dense) *tensor.Tensor
}

// DenseGCN is GCN on dense graphs:
//
//	X' = D^-1/2·Â·D^-1/2·X·Wᵀ + b
//
// Â is A with ones on the diagonal, and D has its row sums, at least 1.
//
// Input: a batch with X [G,k,in] and A [G,k,k]. Output: [G,k,out]. Kipf and Welling 2017, equation
// 2, in the form of PyTorch Geometric's DenseGCNConv: the diagonal is overwritten, while GCN keeps
// the weight of a node's own loop. As there, messages in a directed graph go against the direction
// of its edges. Coarsened undirected graphs are symmetric.
type DenseGCN struct {
	Weight, Bias *tensor.Param // lin.weight [out,in], bias [out]
}

// NewDenseGCN returns a layer with Glorot-uniform weight and zero bias.
func NewDenseGCN(in nn.Init, d nn.Dims) *DenseGCN {
	return &DenseGCN{Weight: in.Glorot("lin.weight", d.In, d.Out, d.Out, d.In), Bias: in.Zeros("bias", d.Out)}
}

// Params lists bias and weight.
func (g *DenseGCN) Params() []*tensor.Param { return []*tensor.Param{g.Bias, g.Weight} }

// Forward is one convolution.
func (g *DenseGCN) Forward(p *nn.Pass, d Dense) *tensor.Tensor {
	samples, k := d.check("DenseGCN")
	loops := eye(k)
	a := d.A.Mul(tensor.Full(1, k, k).Sub(loops)).Add(loops)
	// max(degree, 1) with derivative 0 at 1: every node without edges has the value 1.
	inv := a.SumAxis(2).AddScalar(-1).ReLU().AddScalar(1).Rsqrt() // [G,k,1]
	flat := p.Tape.Bind(d.X).Reshape(samples*k, d.X.Dim(2))
	x := tensor.Affine(flat, p.Var(g.Weight), nil, tensor.AffineConfig{TransW: true})
	x = tensor.BatchMatMul(a, x.Reshape(samples, k, x.Dim(1)).Mul(inv), false, false)
	return x.Mul(inv).Add(p.Var(g.Bias))
}

// eye is the identity matrix [k,k].
func eye(k int) *tensor.Tensor {
	e := tensor.New(k, k)
	for i := range k {
		e.Data()[i*k+i] = 1
	}
	return e
}

// trace is the sum of the diagonal of each matrix of a batch: [G,k,k] gives [G].
func trace(a *tensor.Tensor) *tensor.Tensor {
	samples, k := a.Dim(0), a.Dim(1)
	return a.Mul(eye(k)).Reshape(samples, k*k).SumAxis(1).Reshape(samples)
}

// squares is the squared Frobenius norm of each matrix of a batch: [G,k,k] gives [G].
func squares(a *tensor.Tensor) *tensor.Tensor {
	return a.Square().Reshape(a.Dim(0), a.Dim(1)*a.Dim(2)).SumAxis(1).Reshape(a.Dim(0))
}

// above is 1 for the elements above least and 0 for others. It is nil if all are above. It is the
// mask for functions without a value or a derivative at 0.
func above(x *tensor.Tensor, least float32) *tensor.Tensor {
	var mask *tensor.Tensor
	for i, v := range x.Data() {
		if !(v > least) {
			if mask == nil {
				mask = tensor.Full(1, x.Shape()...)
			}
			mask.Data()[i] = 0
		}
	}
	return mask
}

// guarded is f(x) where x is above least, and 0 with gradient 0 elsewhere. NaN stays NaN.
func guarded(x *tensor.Tensor, least float32, f func(*tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	mask := above(x, least)
	if mask == nil {
		return f(x)
	}
	// Elements that are not above least are replaced by 1, where f and its derivative are finite.
	// The mask then sets both to 0.
	rest := tensor.Full(1, x.Shape()...).Sub(mask)
	return f(x.Mul(mask).Add(rest)).Mul(mask)
}

// safeSqrt is the square root with gradient 0 at 0, as PyTorch defines it for norms. A value below
// 0 from rounding counts as 0.
func safeSqrt(x *tensor.Tensor) *tensor.Tensor { return guarded(x, 0, (*tensor.Tensor).Sqrt) }
