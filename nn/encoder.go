package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Encoder embeds categorical features: the sum of one learned vector for each column of a row,
//
//	x'_i = Σ_c T_c[x_ic].
//
// It is the atom and bond encoder of the Open Graph Benchmark. Rows are one-hot, as graph.Features
// writes them. Weight has the tables T_c one below the other, so that the sum is the product X·W: a
// column c with codes from 0 to k_c-1 has k_c rows. A code of -1 adds nothing. Dense columns, which
// the benchmark's encoders do not have, are mapped linearly by their rows of W.
//
// Rows that occur often are embedded once, and later linear maps of them are computed once too
// (tensor.Repeat).
//
// Input: [n,width]. Output: [n,dim]. Weight is [width,dim]. There is no bias. It panics with
// *tensor.ShapeError on an input of another width.
//
// Hu et al., Open Graph Benchmark, NeurIPS 2020 (ogb.graphproppred.mol_encoder).
type Encoder struct {
	Weight *tensor.Param // weight [width,dim]
}

// NewEncoder returns an encoder for rows made of blocks of the given widths
// (graph.Features.Blocks). Each block is a table of its own and starts Glorot-uniform in
// ±sqrt(6/(block+dim)).
func NewEncoder(in Init, blocks []int, dim int) *Encoder {
	width := lists.Sum(blocks)
	e := &Encoder{Weight: in.Zeros("weight", width, dim)}
	w := e.Weight.Value.Data()
	if len(w) == 0 { // an outline, or no columns
		return e
	}
	r := rng.Stream(in.seed, "init", e.Weight.Name)
	for _, k := range blocks {
		bound := math.Sqrt(6 / float64(max(k+dim, 1)))
		for i := range k * dim {
			w[i] = float32((2*r.Float64() - 1) * bound)
		}
		w = w[k*dim:]
	}
	return e
}

// Params lists the weight.
func (e *Encoder) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }

// Forward maps [n,width] to [n,dim].
func (e *Encoder) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	if rows, of := x.Distinct(); rows != nil {
		return tensor.Repeat(bind(p, rows).MatMul(p.Var(e.Weight)), of)
	}
	return bind(p, x).MatMul(p.Var(e.Weight))
}
