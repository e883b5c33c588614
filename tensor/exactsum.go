package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// ExactSum sums for each row of a the rows of x [Cols,d] at its entries, times factor of the number
// of entries, giving [Rows,d]. Coefficients and weights of a are not used.
//
// Sums use whole numbers in fixed point. So the order of the entries makes no difference and long
// sums lose no digits: before it becomes a float32, the mean of a row is within n·2^-60 of the
// greatest magnitude in x, where n is the most entries of a row. A sum is not finite if its row
// reads an element that is not finite.
//
// It is for evaluation and has no gradient: it panics with *ShapeError if x is recorded.
func ExactSum(a *Sparse, x *Tensor, factor func(entries int) float64) *Tensor {
	d := x.checkIndex("ExactSum", a.Cols, "columns of the matrix")
	if x.Recorded() {
		mismatch("ExactSum", "a constant, as there is no gradient", x)
	}
	out := tapeOf(x).alloc(x.shape.withRows(a.Rows))
	greatest, finite := greatestOf(x)
	l := loopOf(out)
	l.exact = kernel.ExactSum{Dst: out.data, X: x.data, D: d, Ptr: a.Ptr, Width: a.Width, Col: a.Col, Factor: factor,
		Shift: kernel.FixedShift(greatest, int64(a.mostEntries())), Wild: !finite}
	l.over(out, a, d, func(l *loop, lo, hi int) { l.exact.Rows(lo, hi) })
	return out
}

// mostEntries is the number of entries of the longest row.
func (a *Sparse) mostEntries() int {
	most := 0
	for i := range a.Rows {
		lo, hi := a.Row(i)
		most = max(most, hi-lo)
	}
	return most
}

// greatestOf is kernel.Greatest of the elements of x.
func greatestOf(x *Tensor) (most float32, finite bool) {
	const block = 1 << 14
	blocks := (len(x.data) + block - 1) / block
	each := x.tape.borrow(blocks)
	defer x.tape.giveBack(each)
	l := loopOf(x)
	l.dst, l.x = each.data[:blocks], x.data
	l.rows(x, blocks, segmentGrain/block+1, func(l *loop, lo, hi int) {
		for i := lo; i < hi; i++ {
			l.dst[i], _ = kernel.Greatest(l.x[i*block : min((i+1)*block, len(l.x))])
		}
	})
	return kernel.Greatest(each.data[:blocks])
}
