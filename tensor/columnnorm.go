package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// The two operations below are batch normalisation without the arrays in between:
// on the arcs of a graph each of those is as large as a layer's result.

// ColumnVariance is the mean of (x - mean)² over the rows: x [n,d] and mean [d]
// give [d]; NaN without rows.
func ColumnVariance(x, mean *Tensor) *Tensor {
	n, d := x.columnVector("ColumnVariance", mean)
	out := tapeOf(x, mean).alloc(shapeOf(d))
	squares := out.tape.borrow(n * d)
	l := loopOf(out)
	l.dst, l.x, l.y, l.d = squares.data[:n*d], x.data, mean.data, d
	l.rows(out, n, elementGrain/max(d, 1)+1, func(l *loop, lo, hi int) {
		dst := l.dst[lo*l.d : hi*l.d]
		kernel.BinaryRow(kernel.Sub, dst, l.x[lo*l.d:hi*l.d], l.y)
		kernel.Binary(kernel.Mul, dst, dst, dst)
	})
	columnSums(out, squares.data[:n*d], n, d)
	kernel.BinaryScalar(kernel.Mul, out.data, out.data, 1/float32(n))
	out.tape.giveBack(squares)
	return opWith(out, aux{a: 2 / float32(n)}, func(b *back) {
		centred := b.In[0].Sub(b.In[1]).Mul(b.G.MulScalar(b.aux.a))
		if b.Need(0) {
			b.Set(0, centred)
		}
		if b.Need(1) {
			b.Set(1, columnTotals(centred, b.In[1].shape).Neg())
		}
	}, x, mean)
}

// ColumnNorm is (x - mean)·scale + shift, column by column: x [n,d] and vectors
// [d] give [n,d].
func ColumnNorm(x, mean, scale, shift *Tensor) *Tensor {
	n, d := x.columnVector("ColumnNorm", mean, scale, shift)
	out := tapeOf(x, mean, scale, shift).alloc(x.shape)
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.w, l.d = out.data, x.data, mean.data, scale.data, shift.data, d
	l.rows(out, n, elementGrain/max(3*d, 1)+1, func(l *loop, lo, hi int) {
		d := l.d
		const block = 32 // rows that stay in cache from one step to the next
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			dst := l.dst[lo*d : end*d]
			kernel.BinaryRow(kernel.Sub, dst, l.x[lo*d:end*d], l.y)
			kernel.BinaryRow(kernel.Mul, dst, dst, l.z)
			kernel.BinaryRow(kernel.Add, dst, dst, l.w)
		}
	})
	return op(out, func(b *back) {
		x, mean, scale := b.In[0], b.In[1], b.In[2]
		if b.Need(0) || b.Need(1) {
			dx := b.G.Mul(scale)
			if b.Need(0) {
				b.Set(0, dx)
			}
			if b.Need(1) {
				b.Set(1, columnTotals(dx, mean.shape).Neg())
			}
		}
		if b.Need(2) {
			b.Set(2, columnTotals(b.G.Mul(x.Sub(mean)), scale.shape))
		}
		if b.Need(3) {
			b.Set(3, columnTotals(b.G, b.In[3].shape))
		}
	}, x, mean, scale, shift)
}

// columnVector checks that x is a matrix and each vector has one element per column.
func (x *Tensor) columnVector(name string, vectors ...*Tensor) (n, d int) {
	n, d = x.matrix(name)
	for _, v := range vectors {
		if v.shape != shapeOf(d) {
			mismatch(name, fmt.Sprintf("vectors of %d elements", d), x, v)
		}
	}
	return n, d
}
