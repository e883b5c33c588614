package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// The two products below are SpMM and SDDMM for attention with several heads. The columns of x are
// split evenly among the heads, and each head has weights of its own. The gradients of each product
// are these two products again, so attention can be differentiated any number of times without
// storing messages.

// SpMMHeads is a·x with weights per head:
//
//	out_i,h = Σ_k coef_k·w[weight_k,h]·x[col_k,h]
//
// x [Cols,H·d] and w [NumWeights,H] give [Rows,H·d]. Head h has the columns h·d to (h+1)·d. With
// one head it is SpMM.
func SpMMHeads(a *Sparse, x, w *Tensor) *Tensor {
	x.matrix("SpMMHeads")
	width := x.checkIndex("SpMMHeads", a.Cols, "columns of the matrix")
	weights, heads := w.matrix("SpMMHeads")
	if weights != a.NumWeights {
		mismatch("SpMMHeads", fmt.Sprintf("%d rows of weights", a.NumWeights), x, w)
	}
	if heads == 0 || width%heads != 0 {
		mismatch("SpMMHeads", "columns that split evenly among the heads", x, w)
	}
	out := tapeOf(x, w).alloc(x.shape.withRows(a.Rows))
	m := kernel.SpMMHeads{Dst: out.data, X: x.data, Heads: heads, D: width / heads,
		Ptr: a.Ptr, Width: a.Width, Col: a.Col, Coef: a.Coef, Weight: a.Weight, W: w.data}
	loopOf(out).over(out, a, width, func(_ *loop, lo, hi int) { m.Rows(lo, hi) })
	return opWith(out, spmmHeadsRule{matrix: a, heads: heads}, x, w)
}

type spmmHeadsRule struct {
	matrix *Sparse
	heads  int
}

func (r *spmmHeadsRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, SpMMHeads(r.matrix.T(), b.G, b.In[1]))
	}
	if b.Need(1) {
		b.Set(1, SDDMMHeads(r.matrix, b.G, b.In[0], r.heads))
	}
}

// SDDMMHeads is the gradient of SpMMHeads by its weights: for each weight and
// head, the sum over the weight's entries (i,j) of coef·<g_i,h, x_j,h>. g
// [Rows,H·d] and x [Cols,H·d] give [NumWeights,H].
func SDDMMHeads(a *Sparse, g, x *Tensor, heads int) *Tensor {
	g.matrix("SDDMMHeads")
	x.matrix("SDDMMHeads")
	width := g.checkIndex("SDDMMHeads", a.Rows, "rows of the matrix")
	if x.checkIndex("SDDMMHeads", a.Cols, "columns of the matrix") != width {
		mismatch("SDDMMHeads", "rows of equal shape", g, x)
	}
	if heads < 1 || width%heads != 0 {
		mismatch("SDDMMHeads", fmt.Sprintf("columns that split evenly among %d heads", heads), g, x)
	}
	out := tapeOf(g, x).alloc(shapeOf(a.NumWeights, heads))
	e := a.entriesByWeight()
	m := kernel.SDDMMHeads{Dst: out.data, G: g.data, X: x.data, Heads: heads, D: width / heads,
		Ptr: e.ptr, Row: e.row, Col: e.col, Coef: e.coef}
	poolOf(out).Balanced(e.ptr, segmentGrain/max(width, 1)+1, m.Range)
	return opWith(out, sddmmHeadsRule{a}, g, x)
}

type sddmmHeadsRule struct{ matrix *Sparse }

func (r *sddmmHeadsRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, SpMMHeads(r.matrix, b.In[1], b.G))
	}
	if b.Need(1) {
		b.Set(1, SpMMHeads(r.matrix.T(), b.In[0], b.G))
	}
}
