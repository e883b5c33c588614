package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// The three products below are batched matrix products of segments of different length, one segment
// per slot of an Index with sorted ids. The gradients of each product are the other two. So
// attention over the elements of each graph needs no padding.

// RaggedTN is a_gᵀ·v_g for each slot g: a [k,p] and v [k,h] give [n,p,h].
func RaggedTN(a, v *Tensor, ix *Index) *Tensor {
	p := a.checkMatrix("RaggedTN", ix)
	h := v.checkMatrix("RaggedTN", ix)
	out := tapeOf(a, v).alloc(shapeOf(ix.n, p, h))
	ragged("RaggedTN", out, ix, p*h, func(g, lo, hi int) kernel.Gemm {
		return kernel.Gemm{C: out.data[g*p*h : (g+1)*p*h], A: a.data[lo*p : hi*p], B: v.data[lo*h : hi*h],
			M: p, N: h, K: hi - lo, TransA: true}
	})
	return opWith(out, raggedTNRule{ix}, a, v)
}

type raggedTNRule struct{ index *Index }

func (r *raggedTNRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, RaggedNT(b.In[1], b.G, r.index))
	}
	if b.Need(1) {
		b.Set(1, RaggedNN(b.In[0], b.G, r.index))
	}
}

// RaggedNN is a_g·q_g for each slot g: a [k,p] and q [n,p,h] give [k,h].
func RaggedNN(a, q *Tensor, ix *Index) *Tensor {
	p := a.checkMatrix("RaggedNN", ix)
	h := checkSlots("RaggedNN", q, ix, p, 1)
	out := tapeOf(a, q).alloc(shapeOf(len(ix.ids), h))
	ragged("RaggedNN", out, ix, p*h, func(g, lo, hi int) kernel.Gemm {
		return kernel.Gemm{C: out.data[lo*h : hi*h], A: a.data[lo*p : hi*p], B: q.data[g*p*h : (g+1)*p*h],
			M: hi - lo, N: h, K: p}
	})
	return opWith(out, raggedNNRule{ix}, a, q)
}

type raggedNNRule struct{ index *Index }

func (r *raggedNNRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, RaggedNT(b.G, b.In[1], r.index))
	}
	if b.Need(1) {
		b.Set(1, RaggedTN(b.In[0], b.G, r.index))
	}
}

// RaggedNT is v_g·q_gᵀ for each slot g: v [k,h] and q [n,p,h] give [k,p].
func RaggedNT(v, q *Tensor, ix *Index) *Tensor {
	return opWith(raggedScores("RaggedNT", v, q, ix), raggedNTRule{ix}, v, q)
}

type raggedNTRule struct{ index *Index }

func (r *raggedNTRule) grad(b *back) { setScoreGrads(b, b.G, r.index) }

// raggedScores computes RaggedNT without recording, for the operation of that name.
func raggedScores(name string, v, q *Tensor, ix *Index) *Tensor {
	h := v.checkMatrix(name, ix)
	p := checkSlots(name, q, ix, h, 2)
	out := tapeOf(v, q).alloc(shapeOf(len(ix.ids), p))
	ragged(name, out, ix, p*h, func(g, lo, hi int) kernel.Gemm {
		return kernel.Gemm{C: out.data[lo*p : hi*p], A: v.data[lo*h : hi*h], B: q.data[g*p*h : (g+1)*p*h],
			M: hi - lo, N: p, K: h, TransB: true}
	})
	return out
}

// setScoreGrads sets the gradients of raggedScores, given the gradient g of its result.
func setScoreGrads(b *back, g *Tensor, ix *Index) {
	if b.Need(0) {
		b.Set(0, RaggedNN(g, b.In[1], ix))
	}
	if b.Need(1) {
		b.Set(1, RaggedTN(g, b.In[0], ix))
	}
}

// RaggedAssign is the softmax of each row of RaggedNT: the soft assignment of every row of v [k,h]
// to the p rows of its slot in q [n,p,h]. The result is [k,p], its rows sum to 1. The softmax
// overwrites the products. For many rows and a large p they would take most of a model's memory.
func RaggedAssign(v, q *Tensor, ix *Index) *Tensor {
	out := raggedScores("RaggedAssign", v, q, ix)
	overRows(out, out, out.shape.last(), softmaxLoop)
	return opWith(out, raggedAssignRule{ix}, v, q)
}

type raggedAssignRule struct{ index *Index }

func (r *raggedAssignRule) grad(b *back) { setScoreGrads(b, softmaxGrad(b.G, b.Out), r.index) }

// checkMatrix checks that x is a matrix with as many rows as the index. It returns the number of
// its columns.
func (x *Tensor) checkMatrix(name string, ix *Index) int {
	x.matrix(name)
	return x.checkIndex(name, len(ix.ids), "rows of the index")
}

// checkSlots checks q [n,p,h] against the inner size on the given axis. It returns the size of the
// other axis.
func checkSlots(name string, q *Tensor, ix *Index, inner, axis int) int {
	if q.shape.rank != 3 || q.shape.dim[0] != ix.n || q.shape.dim[axis] != inner {
		mismatch(name, "a matrix per slot with a matching inner size", q)
	}
	return q.shape.dim[3-axis]
}

// ragged runs one small product per slot.
func ragged(name string, out *Tensor, ix *Index, cost int, product func(g, lo, hi int) kernel.Gemm) {
	ptr, perm := ix.Segments()
	if perm != nil {
		panic(&ShapeError{Op: name, Shapes: shapes(out), Want: "an index with sorted ids"})
	}
	poolOf(out).Balanced(ptr, gemmGrain/max(cost, 1)+1, func(lo, hi int) {
		for g := lo; g < hi; g++ {
			m := product(g, int(ptr[g]), int(ptr[g+1]))
			m.Rows(0, m.M)
		}
	})
}
