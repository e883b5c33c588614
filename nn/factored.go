package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Factored is a convolution P(x·W) + b, where P is linear in the rows of x and the same for every
// column. Products and sums of its results can then be computed before the product with W if that
// is less work: see pool.MAB.
type Factored interface {
	Conv
	// Factors returns W [in,out], b [out] or nil, and P on a view. P maps [n,d] to [n,d] for any d.
	Factors(p *Pass, v graph.View) (w, b *tensor.Tensor, mix func(x *tensor.Tensor) *tensor.Tensor)
}

// Factors returns the factors of a GCN. P is the normalised adjacency matrix.
func (g *GCN) Factors(p *Pass, v graph.View) (w, b *tensor.Tensor, mix func(*tensor.Tensor) *tensor.Tensor) {
	return p.Var(g.Weight).Transpose(), p.VarOrNil(g.Bias), g.mix(p, v, nil, false)
}

// Factors returns the factors of a HyperConv. P is the mean over hyperedges and back.
func (h *HyperConv) Factors(p *Pass, v graph.View) (w, b *tensor.Tensor, mix func(*tensor.Tensor) *tensor.Tensor) {
	return p.Var(h.Weight), p.VarOrNil(h.Bias), h.mix(p, v, nil, false)
}

// Factors returns the factors of a Pointwise. P does not change rows.
func (l *Pointwise) Factors(p *Pass, v graph.View) (w, b *tensor.Tensor, mix func(*tensor.Tensor) *tensor.Tensor) {
	return p.Var(l.Weight).Transpose(), p.VarOrNil(l.Bias), func(x *tensor.Tensor) *tensor.Tensor { return x }
}
