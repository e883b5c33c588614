package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// RecurrentConfig describes a recurrent cell.
type RecurrentConfig struct {
	// Suffix is appended to the names of the parameters. PyTorch's LSTM and GRU modules call those
	// of their cell weight_ih_l0 and weight_ih_l0_reverse.
	Suffix string
}

// gates holds the parameters that recurrent cells share: two affine maps, of the input and of the
// state, whose results are stacked gate by gate.
type gates struct {
	WeightIH, WeightHH *tensor.Param // [gates·dim,in] and [gates·dim,dim]
	BiasIH, BiasHH     *tensor.Param // [gates·dim]
}

// newGates returns parameters uniform in ±1/sqrt(dim), like PyTorch's.
func newGates(in Init, count int, d Dims, c RecurrentConfig) gates {
	bound := 1 / math.Sqrt(float64(max(d.Out, 1)))
	return gates{
		WeightIH: in.Uniform("weight_ih"+c.Suffix, bound, count*d.Out, d.In),
		WeightHH: in.Uniform("weight_hh"+c.Suffix, bound, count*d.Out, d.Out),
		BiasIH:   in.Uniform("bias_ih"+c.Suffix, bound, count*d.Out),
		BiasHH:   in.Uniform("bias_hh"+c.Suffix, bound, count*d.Out),
	}
}

// Params lists both weights, then both biases.
func (g gates) Params() []*tensor.Param {
	return present(g.WeightIH, g.WeightHH, g.BiasIH, g.BiasHH)
}

// Dim is the width of the state.
func (g gates) Dim() int { return g.WeightHH.Value.Dim(1) }

// maps returns the parts of x [n,in] and of h [n,dim] in the stacked gates, each [n,gates·dim].
func (g gates) maps(p *Pass, x, h *tensor.Tensor) (fromX, fromH *tensor.Tensor) {
	c := tensor.AffineConfig{TransW: true}
	return tensor.Affine(x, p.Var(g.WeightIH), p.Var(g.BiasIH), c), tensor.Affine(h, p.Var(g.WeightHH), p.Var(g.BiasHH), c)
}

// GRUCell is one step of a gated recurrent unit:
//
//	r = σ(W_r·x + b_r + U_r·h + c_r)
//	z = σ(W_z·x + b_z + U_z·h + c_z)
//	n = tanh(W_n·x + b_n + r∘(U_n·h + c_n))
//	h' = (1-z)∘n + z∘h
//
// Input: x [n,in] and state h [n,dim]. Output: [n,dim]. The gates are stacked in the order r, z, n.
// Cho et al. 2014, equations 5 to 8. The reset gate is applied after the product with the state, as
// in PyTorch and cuDNN.
type GRUCell struct{ gates }

// NewGRUCell returns a cell with a state of width d.Out and parameters uniform in
// ±1/sqrt(d.Out).
func NewGRUCell(in Init, d Dims, c RecurrentConfig) *GRUCell {
	return &GRUCell{newGates(in, 3, d, c)}
}

// Forward returns the next state.
func (g *GRUCell) Forward(p *Pass, x, h *tensor.Tensor) *tensor.Tensor {
	// The weights of each gate are sliced. Slicing the values of all gates, and padding their
	// gradients, would take longer than the products.
	d := g.Dim()
	of := func(x *tensor.Tensor, w, b *tensor.Param, k int) *tensor.Tensor {
		return tensor.Affine(x, p.Var(w).Slice(0, k*d, (k+1)*d), p.Var(b).Slice(0, k*d, (k+1)*d), tensor.AffineConfig{TransW: true})
	}
	gate := func(k int) *tensor.Tensor {
		return of(x, g.WeightIH, g.BiasIH, k).Add(of(h, g.WeightHH, g.BiasHH, k)).Sigmoid()
	}
	r, z := gate(0), gate(1)
	n := tensor.AddMul(of(x, g.WeightIH, g.BiasIH, 2), r, of(h, g.WeightHH, g.BiasHH, 2)).Tanh()
	return tensor.AddMul(n, z, h.Sub(n))
}

// LSTMCell is one step of a long short-term memory:
//
//	i, f, o = σ(W·x + b + U·h + c),  g = tanh(W_g·x + b_g + U_g·h + c_g)
//	c' = f∘c + i∘g,  h' = o∘tanh(c')
//
// Input: x [n,in], and states h and c, each [n,dim]. The gates are stacked in the order i, f, g, o.
// Hochreiter and Schmidhuber 1997, with the forget gate of Gers, Schmidhuber and Cummins 2000.
type LSTMCell struct{ gates }

// NewLSTMCell returns a cell with states of width d.Out and parameters uniform in
// ±1/sqrt(d.Out).
func NewLSTMCell(in Init, d Dims, c RecurrentConfig) *LSTMCell {
	return &LSTMCell{newGates(in, 4, d, c)}
}

// Forward returns the next state.
func (l *LSTMCell) Forward(p *Pass, x, h, c *tensor.Tensor) (nextH, nextC *tensor.Tensor) {
	d := l.Dim()
	fromX, fromH := l.maps(p, x, h)
	all := fromX.Add(fromH)
	inForget := all.Slice(1, 0, 2*d).Sigmoid()
	g := all.Slice(1, 2*d, 3*d).Tanh()
	o := all.Slice(1, 3*d, 4*d).Sigmoid()
	nextC = inForget.Slice(1, d, 2*d).Mul(c).Add(inForget.Slice(1, 0, d).Mul(g))
	return o.Mul(nextC.Tanh()), nextC
}
