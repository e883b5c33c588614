package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// NeighbourMax is the maximum of the rows of x that each row of a refers to, column by column:
// out_i = max_k x[col_k] over the entries k of row i, 0 for a row without entries. x [Cols,d] gives
// [Rows,d]. No row is copied. Tied maxima share the gradient evenly. Weights and coefficients of a
// are ignored.
func NeighbourMax(a *Sparse, x *Tensor) *Tensor {
	x.matrix("NeighbourMax")
	d := x.checkIndex("NeighbourMax", a.Cols, "columns of the matrix")
	tape := tapeOf(x)
	out := tape.alloc(x.shape.withRows(a.Rows))
	l := loopOf(out)
	l.dst, l.x, l.d, l.seg = out.data, x.data, d, a.segments(tape)
	l.over(out, a, d, func(l *loop, lo, hi int) { kernel.SegmentMax(l.dst, l.x, l.d, l.seg, lo, hi) })
	return opWith(out, neighbourMaxRule{a}, x)
}

type neighbourMaxRule struct{ matrix *Sparse }

func (r *neighbourMaxRule) grad(b *back) {
	b.Set(0, neighbourMaxGrad(r.matrix, b.G, b.In[0].Detach(), b.Out.Detach()))
}

// neighbourMaxGrad is the gradient of NeighbourMax with the result top. It is
// linear in g, and its derivative by x is 0 almost everywhere.
func neighbourMaxGrad(a *Sparse, g, x, top *Tensor) *Tensor {
	tape := tapeOf(g, x)
	out := tape.alloc(x.shape)
	_, d := x.matrix("NeighbourMax")
	share := tape.borrow(len(g.data))
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.d, l.seg = share.data, x.data, top.data, g.data, d, a.segments(tape)
	l.over(out, a, d, func(l *loop, lo, hi int) { kernel.SegmentMaxSplit(l.dst, l.z, l.x, l.y, l.d, l.seg, lo, hi) })
	t := a.T()
	l.dst, l.z, l.seg = out.data, share.data, t.segments(tape)
	l.over(out, t, d, func(l *loop, lo, hi int) { kernel.SegmentMaxCollect(l.dst, l.z, l.x, l.y, l.d, l.seg, lo, hi) })
	tape.giveBack(share)
	return opWith(out, neighbourMaxGradRule{matrix: a, x: x}, g, top)
}

type neighbourMaxGradRule struct {
	matrix *Sparse
	x      *Tensor // a constant
}

func (r *neighbourMaxGradRule) grad(b *back) {
	a, x := r.matrix, r.x
	of, from := MustIndex(a.rowOfEntries(), a.Rows), MustIndex(a.columns(), a.Cols)
	tied := segmentShare(tapeOf(b.G, x), nil, Gather(x, from), b.In[1], of)
	b.Set(0, SegmentSum(Gather(b.G, from).Mul(tied), of))
}

// segments lists the columns of each row.
func (a *Sparse) segments(tape *Tape) kernel.Segments {
	s := kernel.Segments{Ptr: a.Ptr, Perm: a.Col}
	if s.Ptr == nil {
		s.Ptr = tape.Ints(a.Rows + 1)
		for i := range s.Ptr {
			s.Ptr[i] = int32(i * a.Width)
		}
	}
	return s
}

// rowOfEntries returns the row of each entry.
func (a *Sparse) rowOfEntries() []int32 {
	ids := make([]int32, 0, a.Entries())
	for i := range a.Rows {
		lo, hi := a.Row(i)
		for range hi - lo {
			ids = append(ids, int32(i))
		}
	}
	return ids
}
