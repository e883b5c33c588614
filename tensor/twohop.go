package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Hops is the constant matrix Down·Up + diag(Self) in factored form: the
// propagation of a hypergraph convolution, from vertices to hyperedges and back.
type Hops struct {
	Up   *Sparse // [middle, rows]
	Down *Sparse // [rows, middle]
	Self *Tensor // [rows], nil for zeros
	// Symmetric says that the whole matrix equals its transpose.
	Symmetric bool
}

// T is the transpose.
func (h *Hops) T() *Hops {
	if h.Symmetric {
		return h
	}
	return &Hops{Up: h.Down.T(), Down: h.Up.T(), Self: h.Self}
}

// HopsConfig holds the optional parts of TwoHop. The zero value is the plain product.
type HopsConfig struct {
	// Rows and Middle, if not nil, give the sample of each row and of each middle row. Both are
	// sorted, and Up and Down only join rows of one sample. TwoHop can then finish a sample while
	// it is in cache.
	Rows, Middle *Index
	Bias         *Tensor // [d] added to every row
	ReLU         bool    // applied last
}

// TwoHop is (Down·Up + diag(Self))·x in one pass, followed by Bias and ReLU. x [rows,d] gives
// [rows,d]. The middle rows are not stored.
func TwoHop(h *Hops, x *Tensor, c HopsConfig) *Tensor {
	d := x.checkIndex("TwoHop", h.Up.Cols, "columns of the matrix")
	tape := tapeOf(x, c.Bias)
	out := tape.alloc(x.shape)
	middle := tape.borrow(h.Up.Rows * d)
	l := loopOf(out)
	m := &l.hops
	*m = kernel.TwoHop{
		Up: kernel.SpMM{Dst: middle.data, X: x.data, D: d, Ptr: h.Up.Ptr, Width: h.Up.Width, Col: h.Up.Col, Coef: h.Up.Coef},
		Down: kernel.SpMM{Dst: out.data, X: middle.data, D: d, Ptr: h.Down.Ptr, Width: h.Down.Width, Col: h.Down.Col, Coef: h.Down.Coef,
			ReLU: c.ReLU},
	}
	if h.Self != nil {
		m.Down.Self, m.Down.SelfCoef = x.data, h.Self.data
	}
	if c.Bias != nil {
		if len(c.Bias.data) != d {
			mismatch("TwoHop", fmt.Sprintf("a bias of %d elements", d), x, c.Bias)
		}
		m.Down.Bias = c.Bias.data
	}
	if c.blocks() >= 4*poolOf(out).Threads() {
		m.RowPtr, _ = c.Rows.Segments()
		m.MiddlePtr, _ = c.Middle.Segments()
		l.balanced(out, m.RowPtr, segmentGrain/max(2*d, 1)+1, func(l *loop, lo, hi int) { l.hops.Blocks(lo, hi) })
	} else { // too few samples for the threads
		l.over(out, h.Up, d, func(l *loop, lo, hi int) { l.hops.Up.Rows(lo, hi) })
		l.over(out, h.Down, d, func(l *loop, lo, hi int) { l.hops.Down.Rows(lo, hi) })
	}
	tape.giveBack(middle)
	return opWith(out, twoHopRule{hops: h, rows: c.Rows, middle: c.Middle, relu: c.ReLU}, x, c.Bias)
}

type twoHopRule struct {
	hops         *Hops
	rows, middle *Index // HopsConfig.Rows and Middle
	relu         bool
}

func (r *twoHopRule) grad(b *back) {
	g := b.G
	if r.relu {
		g = reluGrad(g, b.Out)
	}
	if b.Need(0) {
		b.Set(0, TwoHop(r.hops.T(), g, HopsConfig{Rows: r.rows, Middle: r.middle}))
	}
	if b.Need(1) {
		b.Set(1, columnTotals(g, b.In[1].shape))
	}
}

// blocks is the number of samples, or 0 if they are not known.
func (c HopsConfig) blocks() int {
	if c.Rows == nil || c.Middle == nil || !c.Rows.sorted || !c.Middle.sorted {
		return 0
	}
	return c.Rows.n
}
