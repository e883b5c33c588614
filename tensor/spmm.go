package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// SpMMConfig holds the optional parts of SpMM. The zero value is the plain product.
type SpMMConfig struct {
	W     *Tensor // [NumWeights] learned weights of the entries
	Self  *Tensor // [Rows,d] added to the result, times SelfW if that is given
	SelfW *Tensor // [Rows]
	Bias  *Tensor // [d] added to every row
	ReLU  bool    // applied last
}

// SpMM is a·x in one pass over the result, the message passing of every layer:
//
//	out_i = act( bias + selfW_i·self_i + Σ_k coef_k·w_k·x[col_k] )
//
// x is [Cols,d], the result is [Rows,d]. Messages are not stored.
func SpMM(a *Sparse, x *Tensor, c SpMMConfig) *Tensor {
	d := x.checkIndex("SpMM", a.Cols, "columns of the matrix")
	s := x.shape.withRows(a.Rows)
	tape := tapeOf(x, c.W, c.Self, c.SelfW, c.Bias)
	out := tape.alloc(s)
	l := loopOf(out)
	m := &l.spmm
	*m = kernel.SpMM{Dst: out.data, X: x.data, D: d, Ptr: a.Ptr, Width: a.Width, Col: a.Col, Coef: a.Coef, ReLU: c.ReLU}
	if c.W != nil {
		m.Coef = a.weighted(tape, c.W)
	}
	if c.Self != nil {
		if c.Self.shape != s {
			mismatch("SpMM", "self rows of the result's shape", x, c.Self, out)
		}
		m.Self = c.Self.data
	}
	if c.SelfW != nil {
		if c.Self == nil || len(c.SelfW.data) != a.Rows {
			mismatch("SpMM", "a weight per row of self", x, c.SelfW)
		}
		m.SelfCoef = c.SelfW.data
	}
	if c.Bias != nil {
		if len(c.Bias.data) != d {
			mismatch("SpMM", fmt.Sprintf("a bias of %d elements", d), x, c.Bias)
		}
		m.Bias = c.Bias.data
	}
	l.over(out, a, d, spmmLoop)
	return opWith(out, spmmRule{matrix: a, relu: c.ReLU}, x, c.W, c.Self, c.SelfW, c.Bias)
}

func spmmLoop(l *loop, lo, hi int) { l.spmm.Rows(lo, hi) }

type spmmRule struct {
	matrix *Sparse
	relu   bool
}

func (r *spmmRule) grad(b *back) {
	x, w, self, selfW, bias := b.In[0], b.In[1], b.In[2], b.In[3], b.In[4]
	a, g := r.matrix, b.G
	if r.relu {
		g = reluGrad(g, b.Out)
	}
	both := self != nil && b.Same(0, 2) // self is x: one product gives the sum of both gradients
	if b.Need(0) {
		c := SpMMConfig{W: w}
		if both {
			c.Self, c.SelfW = g, selfW
		}
		b.Set(0, SpMM(a.T(), g, c))
	}
	if b.Need(1) {
		b.Set(1, SDDMM(a, g, x).reshapeTo(w.shape))
	}
	if b.Need(2) && !both {
		ds := g
		if selfW != nil {
			ds = g.Mul(asColumn(selfW, g))
		}
		b.Set(2, ds)
	}
	if b.Need(3) {
		b.Set(3, rowDot(g, self).reshapeTo(selfW.shape))
	}
	if b.Need(4) {
		b.Set(4, columnTotals(g, bias.shape))
	}
}

// asColumn reshapes a vector so that it multiplies the rows of like.
func asColumn(v, like *Tensor) *Tensor {
	s := like.shape
	for i := range s.rank {
		s.dim[i] = 1
	}
	s.dim[0] = v.Size()
	return v.reshapeTo(s)
}

// weighted returns the factor of each entry: its coefficient times its weight.
func (a *Sparse) weighted(tape *Tape, w *Tensor) []float32 {
	if len(w.data) != a.NumWeights {
		mismatch("SpMM", fmt.Sprintf("%d weights", a.NumWeights), w)
	}
	if a.Weight == nil && a.Coef == nil {
		return w.data
	}
	coef := tape.alloc(shapeOf(a.Entries())).data
	if a.Weight == nil {
		kernel.Binary(kernel.Mul, coef, w.data, a.Coef)
		return coef
	}
	kernel.GatherRows(coef, w.data, a.Weight, 1)
	if a.Coef != nil {
		kernel.Binary(kernel.Mul, coef, coef, a.Coef)
	}
	return coef
}

// rowDot is the dot product of each row of x with the same row of y, both [n,...], giving [n]. It
// is the gradient of SpMM by the weights of self.
func rowDot(x, y *Tensor) *Tensor {
	n, d := x.rows("SpMM")
	out := tapeOf(x, y).alloc(shapeOf(n))
	l := loopOf(out)
	l.sddmm = kernel.SDDMM{Dst: out.data, G: x.data, X: y.data, D: d, Width: 1}
	l.rows(out, n, segmentGrain/max(d, 1)+1, sddmmLoop)
	return op(out, func(b *back) {
		for i := range 2 {
			if b.Need(i) {
				b.Set(i, b.In[1-i].Mul(asColumn(b.G, b.In[1-i])))
			}
		}
	}, x, y)
}

// SDDMM is the gradient of SpMM by its weights: for each weight, the sum over its entries (i,j) of
// coef·<g_i, x_j>. g [Rows,d] and x [Cols,d] give [NumWeights].
func SDDMM(a *Sparse, g, x *Tensor) *Tensor {
	d := g.checkIndex("SDDMM", a.Rows, "rows of the matrix")
	x.checkIndex("SDDMM", a.Cols, "columns of the matrix")
	if g.shape.withRows(0) != x.shape.withRows(0) {
		mismatch("SDDMM", "rows of equal shape", g, x)
	}
	out := tapeOf(g, x).alloc(shapeOf(a.NumWeights))
	e := a.entriesByWeight()
	l := loopOf(out)
	l.sddmm = kernel.SDDMM{Dst: out.data, G: g.data, X: x.data, D: d, Ptr: e.ptr, Row: e.row, Col: e.col, Coef: e.coef}
	l.balanced(out, e.ptr, segmentGrain/max(d, 1)+1, sddmmLoop)
	return opWith(out, sddmmRule{a}, g, x)
}

type sddmmRule struct{ matrix *Sparse }

func (r *sddmmRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, SpMM(r.matrix, b.In[1], SpMMConfig{W: b.G}))
	}
	if b.Need(1) {
		b.Set(1, SpMM(r.matrix.T(), b.In[0], SpMMConfig{W: b.G}))
	}
}

func sddmmLoop(l *loop, lo, hi int) { l.sddmm.Range(lo, hi) }
