package tensor

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Batch normalisation made of single operations would read or write an array of the size of a
// layer's result about thirty times in a training step. The fused operations below do so eleven
// times.

// BatchNorm normalises the columns of x [n,d] over its rows: (x-mean)/√(var+eps)·weight + bias with
// the biased variance. A ReLU follows if relu is set. weight and bias are [d]. It also returns mean
// and variance [d] as constants, for running statistics; they are NaN if there are no rows. Ioffe
// and Szegedy 2015.
//
// The gradient rules are those of LayerNorm with rows and columns exchanged. The statistics are
// kept for the rules, because computing them takes a pass over all rows.
func BatchNorm(x, weight, bias *Tensor, eps float32, relu bool) (y, mean, variance *Tensor) {
	_, d := x.columnVector("BatchNorm", weight, bias)
	stats := columnStats(x, eps)
	row := func(i int) *Tensor {
		r := stats.tape.header()
		*r = Tensor{data: stats.data[i*d : (i+1)*d], shape: shapeOf(d), tape: stats.tape, buf: stats.buf}
		return r
	}
	return batchNorm(x, weight, bias, stats, eps, relu), row(statMean), row(statVariance)
}

// Rows of the result of columnStats.
const (
	statMean = iota
	statVariance
	statInverse // 1/√(variance+eps)
	statRows
)

// columnStats returns mean, biased variance and 1/√(variance+eps) of each column, [3,d], as a
// constant. Mean and variance are computed from differences to the mean of the first 64 rows. This
// avoids cancellation if the mean is large compared with the variance.
func columnStats(x *Tensor, eps float32) *Tensor {
	n, d := x.matrix("BatchNorm")
	tape := tapeOf(x)
	out := tape.alloc(shapeOf(statRows, d))
	mean, variance, inverse := out.statistics()
	pivot := inverse // uses its memory until the inverse is computed
	first := min(n, 64)
	clear(pivot)
	kernel.ColSum(pivot, x.data, first, d)
	kernel.BinaryScalar(kernel.Mul, pivot, pivot, 1/float32(max(first, 1)))
	columnPairs(out, out.data[:2*d], n, d, func(l *loop, sums []float32, lo, hi int) {
		d := l.d
		kernel.ColumnMoments(sums[:d], sums[d:], l.x[lo*d:hi*d], l.y, hi-lo, d)
	}, x.data, pivot, nil)
	for j, p := range pivot {
		off := mean[j] / float32(n)
		mean[j] = p + off
		// Rounding can make the difference of two equal numbers less than 0.
		variance[j] = max(variance[j]/float32(n)-off*off, 0)
		inverse[j] = float32(1 / math.Sqrt(float64(variance[j])+float64(eps)))
	}
	return out
}

// statistics returns the rows of columnStats.
func (x *Tensor) statistics() (mean, variance, inverse []float32) {
	d := x.shape.dim[1]
	return x.data[statMean*d : (statMean+1)*d], x.data[statVariance*d : (statVariance+1)*d], x.data[statInverse*d : (statInverse+1)*d]
}

// columnPairs sets sums, of 2d elements, to two sums for each of d columns over n rows. add adds
// rows [lo,hi) of l.x, l.y and l.z to its argument. Blocks of rows have a fixed size, so the result
// does not depend on the number of threads.
func columnPairs(out *Tensor, sums []float32, n, d int, add func(l *loop, sums []float32, lo, hi int), x, y, z []float32) {
	clear(sums)
	if n == 0 || d == 0 {
		return
	}
	block := max(sumBlock/d, 64)
	blocks := (n + block - 1) / block
	partial := out.tape.borrow(blocks * 2 * d)
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.d, l.pairs = partial.data[:blocks*2*d], x, y, z, d, add
	clear(l.dst)
	l.rows(out, blocks, 1, func(l *loop, lo, hi int) {
		d := l.d
		block, n := max(sumBlock/d, 64), len(l.x)/d
		for b := lo; b < hi; b++ {
			l.pairs(l, l.dst[2*b*d:2*(b+1)*d], b*block, min((b+1)*block, n))
		}
	})
	kernel.ColSum(sums, l.dst, blocks, 2*d)
	out.tape.giveBack(partial)
}

// batchNorm is BatchNorm given the statistics of x.
func batchNorm(x, weight, bias, stats *Tensor, eps float32, relu bool) *Tensor {
	n, d := x.matrix("BatchNorm")
	out := tapeOf(x, weight, bias).alloc(x.shape)
	mean, _, inverse := stats.statistics()
	scale := out.tape.borrow(d)
	kernel.Binary(kernel.Mul, scale.data[:d], weight.data, inverse)
	normColumns(out, x.data, mean, scale.data[:d], bias.data, n, d, relu)
	out.tape.giveBack(scale)
	return opWith(out, batchNormRule{eps: eps, relu: relu}, x, weight, bias, stats)
}

type batchNormRule struct {
	eps  float32
	relu bool
}

func (r *batchNormRule) grad(b *back) {
	g, x, weight, stats := b.G, b.In[0], b.In[1], b.In[3]
	if r.relu {
		g = reluGrad(g, b.Out)
	}
	dots := columnDots(g, x, stats, r.eps)
	if b.Need(0) {
		b.Set(0, batchNormGrad(g, x, weight, stats, dots, r.eps))
	}
	for i := range 2 {
		if b.Need(1 + i) {
			b.Set(1+i, dots.Slice(0, i, i+1).reshapeTo(weight.shape))
		}
	}
}

// columnDots is Σ g·n ‖ Σ g over the rows, [2,d], where n are the normalised columns of x: the
// gradients of BatchNorm by weight and bias.
func columnDots(g, x, stats *Tensor, eps float32) *Tensor {
	n, d := x.matrix("BatchNorm")
	out := tapeOf(g, x).alloc(shapeOf(2, d))
	mean, _, inverse := stats.statistics()
	columnPairs(out, out.data, n, d, func(l *loop, sums []float32, lo, hi int) {
		d := l.d
		kernel.ColumnDots(sums[:d], sums[d:], l.x[lo*d:hi*d], l.y[lo*d:hi*d], l.z, hi-lo, d)
	}, g.data, x.data, mean)
	if n > 0 { // without rows there are no statistics
		kernel.Binary(kernel.Mul, out.data[:d], out.data[:d], inverse)
	}
	return opWith(out, columnDotsRule{eps}, g, x, stats)
}

type columnDotsRule struct{ eps float32 }

func (r *columnDotsRule) grad(b *back) {
	g, x, stats := b.In[0], b.In[1], b.In[2]
	row := func(i int) *Tensor { return b.G.Slice(0, i, i+1).reshapeTo(shapeOf(b.G.shape.dim[1])) }
	if b.Need(0) {
		b.Set(0, batchNorm(x, row(0), row(1), stats, r.eps, false))
	}
	if b.Need(1) {
		b.Set(1, batchNormGrad(g, x, row(0), stats, b.Out, r.eps))
	}
}

// batchNormGrad is P(g·w), the gradient of BatchNorm by x. P is the derivative of the normalised
// columns by x. w may be nil. dots are columnDots of g and x.
func batchNormGrad(g, x, w, stats, dots *Tensor, eps float32) *Tensor {
	n, d := x.matrix("BatchNorm")
	out := tapeOf(g, x, w).alloc(x.shape)
	mean, _, inverse := stats.statistics()
	vectors := out.tape.borrow(3 * d)
	along, shift, scale := vectors.data[:d], vectors.data[d:2*d], vectors.data[2*d:3*d]
	for j, r := range inverse {
		along[j] = -r * dots.data[j] / float32(n)
		shift[j] = -dots.data[d+j] / float32(n)
		scale[j] = r
	}
	if w != nil {
		kernel.Binary(kernel.Mul, scale, scale, w.data)
	}
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.w, l.d = out.data, g.data, x.data, mean, vectors.data[:3*d], d
	l.rows(out, n, elementGrain/max(4*d, 1)+1, func(l *loop, lo, hi int) {
		d := l.d
		kernel.ColumnNormGrad(l.dst[lo*d:hi*d], l.x[lo*d:hi*d], l.y[lo*d:hi*d], l.z, l.w[:d], l.w[d:2*d], l.w[2*d:], hi-lo, d)
	})
	out.tape.giveBack(vectors)
	return opWith(out, batchNormGradRule{eps}, g, x, w, stats)
}

type batchNormGradRule struct{ eps float32 }

func (r *batchNormGradRule) grad(b *back) {
	g, x, w, stats, eps := b.In[0], b.In[1], b.In[2], b.In[3], r.eps
	derivative := func(v *Tensor) *Tensor {
		return batchNormGrad(v, x, nil, stats, columnDots(v, x, stats, eps), eps)
	}
	u := g
	if w != nil {
		u = g.Mul(w)
	}
	if b.Need(1) {
		b.Set(1, normSecond(b.G, u, x, 0, eps, derivative))
	}
	if !b.Need(0) && !b.Need(2) {
		return
	}
	p := derivative(b.G)
	if b.Need(2) {
		b.Set(2, columnTotals(p.Mul(g), w.shape))
	}
	if w != nil {
		p = p.Mul(w)
	}
	b.Set(0, p)
}

// ColumnNorm is (x - mean)·scale + shift, column by column. x is [n,d], the vectors are [d], and
// the result is [n,d].
func ColumnNorm(x, mean, scale, shift *Tensor) *Tensor {
	n, d := x.columnVector("ColumnNorm", mean, scale, shift)
	out := tapeOf(x, mean, scale, shift).alloc(x.shape)
	normColumns(out, x.data, mean.data, scale.data, shift.data, n, d, false)
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

// normColumns sets out = (x - mean)·scale + shift, followed by ReLU if relu is set.
func normColumns(out *Tensor, x, mean, scale, shift []float32, n, d int, relu bool) {
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.w, l.d, l.b = out.data, x, mean, scale, shift, d, 0
	if relu {
		l.b = 1
	}
	l.rows(out, n, elementGrain/max(3*d, 1)+1, func(l *loop, lo, hi int) {
		d := l.d
		kernel.ColumnNorm(l.dst[lo*d:hi*d], l.x[lo*d:hi*d], l.y, l.z, l.w, hi-lo, d, l.b != 0)
	})
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
