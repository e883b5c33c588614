package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// EdgeMessages is message passing with a ReLU on each message before the sum. Messages are not
// stored: the backward pass computes them again, a row at a time, to see where they are positive.
// That needs one more addition per element and saves an array with a row per entry. The first
// gradients are operations of their own. Only second derivatives store messages.

// EdgeMessagesConfig holds the optional parts of EdgeMessages.
type EdgeMessagesConfig struct {
	W     *Tensor // [NumWeights] learned weights of the entries
	Self  *Tensor // [Rows,d] added to the result, times SelfW if that is given
	SelfW *Tensor // [Rows]
}

// EdgeMessages sums messages from nodes along edges with features, in one pass over the result:
//
//	out_i = selfW_i·self_i + Σ_k coef_k·w[id_k]·ReLU(x[col_k] + e[id_k])
//
// over the entries k of row i. id_k is the weight id of entry k, here its edge. x [Cols,d] and e
// [NumWeights,d] give [Rows,d]. Messages are not stored.
func EdgeMessages(a *Sparse, x, e *Tensor, c EdgeMessagesConfig) *Tensor {
	d := checkMessages("EdgeMessages", a, x, e)
	s := x.shape.withRows(a.Rows)
	tape := tapeOf(x, e, c.W, c.Self, c.SelfW)
	out := tape.alloc(s)
	l := loopOf(out)
	m := &l.messages
	*m = kernel.EdgeMessages{Kind: kernel.SumReLU, Dst: out.data, D: d, Stride: d, Ptr: a.Ptr, Width: a.Width,
		X: x.data, XRow: a.columns(), Y: e.data, YRow: a.weights(), Coef: a.factors(tape, c.W)}
	setSelf("EdgeMessages", m, out, c.Self, c.SelfW)
	l.over(out, a, d, messagesLoop)
	return opWith(out, edgeMessagesRule{a}, x, e, c.W, c.Self, c.SelfW)
}

func messagesLoop(l *loop, lo, hi int) { l.messages.Rows(lo, hi) }

func dotsLoop(l *loop, lo, hi int) { l.dots.Range(lo, hi) }

type edgeMessagesRule struct{ matrix *Sparse }

func (r *edgeMessagesRule) grad(b *back) {
	x, e, w, self, selfW := b.In[0], b.In[1], b.In[2], b.In[3], b.In[4]
	a, g := r.matrix, b.G
	both := self != nil && b.Same(0, 3) // self is x: one product gives the sum of both gradients
	if b.Need(0) {
		c := EdgeMessagesConfig{W: w}
		if both {
			c.Self, c.SelfW = g, selfW
		}
		b.Set(0, messagesByNode(a, g, x, e, c))
	}
	if b.Need(1) {
		b.Set(1, messagesByEdge(a, g, x, e, w))
	}
	if b.Need(2) {
		b.Set(2, messageDots(a, g, x, e).reshapeTo(w.shape))
	}
	setSelfGrads(b, 3, both)
}

// setSelfGrads sets the gradients of a self term, operand i, and of its weights, operand i+1. done
// says that the gradient of the self term is already part of another gradient.
func setSelfGrads(b *back, i int, done bool) {
	self, selfW := b.In[i], b.In[i+1]
	if b.Need(i) && !done {
		ds := b.G
		if selfW != nil {
			ds = ds.Mul(asColumn(selfW, ds))
		}
		b.Set(i, ds)
	}
	if b.Need(i + 1) {
		b.Set(i+1, rowDot(b.G, self).reshapeTo(selfW.shape))
	}
}

// messagesByNode is the gradient of EdgeMessages by x, given the gradient g of its result:
//
//	out_j = selfW_j·self_j + Σ_k coef_k·w[id_k]·g[row_k] where x_j + e[id_k] > 0
//
// over the entries k of column j. It is linear in g. Its derivatives by x and e are 0 almost
// everywhere.
func messagesByNode(a *Sparse, g, x, e *Tensor, c EdgeMessagesConfig) *Tensor {
	tape := tapeOf(g, x, e, c.W, c.Self, c.SelfW)
	out := tape.alloc(x.shape)
	t := a.T()
	_, d := x.matrix("EdgeMessages")
	l := loopOf(out)
	m := &l.messages
	*m = kernel.EdgeMessages{Kind: kernel.SumReLUGrad, Dst: out.data, D: d, Stride: d, Ptr: t.Ptr, Width: t.Width,
		X: x.data, Y: e.data, YRow: t.weights(), V: g.data, VRow: t.columns(), Coef: t.factors(tape, c.W)}
	setSelf("EdgeMessages", m, out, c.Self, c.SelfW)
	l.over(out, t, d, messagesLoop)
	return opWith(out, messagesByNodeRule{a}, g, c.W, x.Detach(), e.Detach(), c.Self, c.SelfW)
}

type messagesByNodeRule struct{ matrix *Sparse }

func (r *messagesByNodeRule) grad(b *back) {
	m := listMessages(r.matrix, b.In[2], b.In[3])
	m.setGrads(b, Gather(b.G, m.node))
	setSelfGrads(b, 4, false)
}

// messagesByEdge is the gradient of EdgeMessages by e, given the gradient g of its result:
//
//	out_q = w_q·Σ_k coef_k·g[row_k] where x[col_k] + e_q > 0
//
// over the entries k with weight q. It is linear in g. Its derivatives by x and e are 0 almost
// everywhere.
func messagesByEdge(a *Sparse, g, x, e, w *Tensor) *Tensor {
	tape := tapeOf(g, x, e, w)
	out := tape.alloc(e.shape)
	by := a.entriesByWeight()
	_, d := e.matrix("EdgeMessages")
	l := loopOf(out)
	l.messages = kernel.EdgeMessages{Kind: kernel.SumReLUGrad, Dst: out.data, D: d, Stride: d, Ptr: by.ptr,
		X: x.data, XRow: by.col, Y: e.data, V: g.data, VRow: by.row, Coef: by.factors(tape, w)}
	if c := chunksOf(tape, by.ptr); c.some() {
		partial := tape.borrow(c.count() * d)
		l.messages.Dst, l.messages.Ptr, l.messages.YRow = partial.data, c.ptr, listOf(tape.Ints(len(by.col)), by.ptr)
		l.balanced(out, c.ptr, segmentGrain/max(d, 1)+1, messagesLoop)
		c.total(out, partial.data, d)
		tape.giveBack(partial)
	} else {
		l.balanced(out, by.ptr, segmentGrain/max(d, 1)+1, messagesLoop)
	}
	return opWith(out, messagesByEdgeRule{a}, g, w, x.Detach(), e.Detach())
}

type messagesByEdgeRule struct{ matrix *Sparse }

func (r *messagesByEdgeRule) grad(b *back) {
	m := listMessages(r.matrix, b.In[2], b.In[3])
	m.setGrads(b, Gather(b.G, m.edge))
}

// messageDots is the gradient of EdgeMessages by its weights, given the gradient g of its result.
// For each weight q it is the sum over its entries of coef_k·<g[row_k], ReLU(x[col_k] + e_q)>.
func messageDots(a *Sparse, g, x, e *Tensor) *Tensor {
	out := tapeOf(g, x, e).alloc(shapeOf(a.NumWeights))
	by := a.entriesByWeight()
	_, d := e.matrix("EdgeMessages")
	l := loopOf(out)
	l.dots = kernel.EdgeDots{Dst: out.data, Heads: 1, D: d, Ptr: by.ptr,
		G: g.data, GRow: by.row, X: x.data, XRow: by.col, Y: e.data, Coef: by.coef}
	l.balanced(out, by.ptr, segmentGrain/max(d, 1)+1, dotsLoop)
	return opWith(out, messageDotsRule{a}, g, x, e)
}

type messageDotsRule struct{ matrix *Sparse }

func (r *messageDotsRule) grad(b *back) {
	a, g, x, e := r.matrix, b.In[0], b.In[1], b.In[2]
	if b.Need(0) {
		b.Set(0, EdgeMessages(a, x, e, EdgeMessagesConfig{W: b.G}))
	}
	if b.Need(1) {
		b.Set(1, messagesByNode(a, g, x, e, EdgeMessagesConfig{W: b.G}))
	}
	if b.Need(2) {
		b.Set(2, messagesByEdge(a, g, x, e, b.G))
	}
}

// messageList has a row per message, for second derivatives.
type messageList struct {
	node, edge *Index  // of each message
	sum        *Sparse // [Rows, messages], weights by edge
	mask       *Tensor // 1 where a message is positive
}

func listMessages(a *Sparse, x, e *Tensor) messageList {
	c := a.SparseConfig
	c.Cols, c.Col, c.Weight, c.Symmetric = a.Entries(), nil, a.weights(), false
	m := messageList{node: MustIndex(a.columns(), a.Cols), edge: MustIndex(a.weights(), a.NumWeights), sum: NewSparse(c)}
	m.mask = unaryInto(kernel.Step, Gather(x.Detach(), m.node).Add(Gather(e.Detach(), m.edge)), 0, 0)
	return m
}

// setGrads sets the gradients of messagesByNode or messagesByEdge by g and w, operands 0 and 1. by
// has a row per message: the gradient of the result row that the message was added to.
func (m messageList) setGrads(b *back, by *Tensor) {
	by = by.Mul(m.mask)
	if b.Need(0) {
		b.Set(0, SpMM(m.sum, by, SpMMConfig{W: b.In[1]}))
	}
	if b.Need(1) {
		b.Set(1, SDDMM(m.sum, b.In[0], by).reshapeTo(b.In[1].shape))
	}
}

// checkMessages checks that x and e are matrices of equal width, that x has a row per column of a
// and e a row per weight. It returns the width.
func checkMessages(name string, a *Sparse, x, e *Tensor) int {
	x.matrix(name)
	e.matrix(name)
	d := x.checkIndex(name, a.Cols, "columns of the matrix")
	if e.checkIndex(name, a.NumWeights, "weights of the matrix") != d {
		mismatch(name, "rows of equal width", x, e)
	}
	return d
}

// setSelf checks the self term and puts it into m.
func setSelf(name string, m *kernel.EdgeMessages, out, self, selfW *Tensor) {
	if self != nil {
		if self.shape != out.shape {
			mismatch(name, "self rows of the result's shape", self, out)
		}
		m.Self = self.data
	}
	if selfW != nil {
		if self == nil || len(selfW.data) != out.shape.dim[0] {
			mismatch(name, "a weight per row of self", selfW, out)
		}
		m.SelfCoef = selfW.data
	}
}

// columns returns the column of each entry.
func (a *Sparse) columns() []int32 {
	if a.Col == nil {
		return lists.Range[int32](a.Entries())
	}
	return a.Col
}

// weights returns the weight id of each entry.
func (a *Sparse) weights() []int32 {
	if a.Weight == nil {
		return lists.Range[int32](a.Entries())
	}
	return a.Weight
}

// factors returns the factor of each entry, or nil if all are one. w may be nil.
func (a *Sparse) factors(tape *Tape, w *Tensor) []float32 {
	if w == nil {
		return a.Coef
	}
	if len(w.data) != a.NumWeights {
		mismatch("EdgeMessages", fmt.Sprintf("%d weights", a.NumWeights), w)
	}
	return a.weighted(tape, w)
}

// factors returns the factor of each entry in the order of weights, or nil if all are one. w may be
// nil.
func (e *weightEntries) factors(tape *Tape, w *Tensor) []float32 {
	if w == nil {
		return e.coef
	}
	out := tape.alloc(shapeOf(len(e.col))).data
	for q, v := range w.data {
		for k := e.ptr[q]; k < e.ptr[q+1]; k++ {
			if out[k] = v; e.coef != nil {
				out[k] = e.coef[k] * v
			}
		}
	}
	return out
}
