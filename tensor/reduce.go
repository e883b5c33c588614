package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// Sum is the sum of all elements, of rank 0.
func (x *Tensor) Sum() *Tensor { return x.SumTo() }

// Mean is the mean of all elements, of rank 0. It is NaN if there are no elements.
func (x *Tensor) Mean() *Tensor { return x.Sum().MulScalar(1 / float32(len(x.data))) }

// SumAxis sums over one axis, which keeps size 1. A negative axis counts from the last.
func (x *Tensor) SumAxis(axis int) *Tensor { return x.sumAxis(x.axis("SumAxis", axis)) }

func (x *Tensor) sumAxis(a int) *Tensor {
	s := x.shape
	s.dim[a] = 1
	return x.sumTo(s)
}

// MeanAxis is SumAxis divided by the size of the axis.
func (x *Tensor) MeanAxis(axis int) *Tensor {
	a := x.axis("MeanAxis", axis)
	return x.sumAxis(a).MulScalar(1 / float32(x.shape.dim[a]))
}

// MaxAxis is the maximum over one axis, which keeps size 1. Tied maxima share the gradient evenly.
func (x *Tensor) MaxAxis(axis int) *Tensor {
	a := x.axis("MaxAxis", axis)
	outer, k, inner := x.shape.around(a)
	if k == 0 {
		mismatch("MaxAxis", "an axis that is not empty", x)
	}
	ptr := make([]int32, outer+1)
	for i := range ptr {
		ptr[i] = int32(i * k)
	}
	seg := kernel.Segments{Ptr: ptr}
	s := x.shape
	s.dim[a] = 1
	out := tapeOf(x).alloc(s)
	kernel.SegmentMax(out.data, x.data, inner, seg, 0, outer)
	return opWith(out, maxAxisRule{axis: a, seg: seg}, x)
}

type maxAxisRule struct {
	axis int
	seg  kernel.Segments // one segment for the elements along the axis
}

func (r *maxAxisRule) grad(b *back) {
	x := b.In[0]
	outer, _, inner := x.shape.around(r.axis)
	share := tapeOf(x).alloc(x.shape)
	kernel.SegmentMaxShare(share.data, x.data, b.Out.data, inner, r.seg, 0, outer)
	b.Set(0, b.G.Mul(share))
}

// Softmax is e^x normalised over the last axis.
func (x *Tensor) Softmax() *Tensor {
	d := x.shape.dim[x.axis("Softmax", -1)]
	out := tapeOf(x).alloc(x.shape)
	overRows(out, x, d, softmaxLoop)
	return op(out, func(b *back) { b.Set(0, softmaxGrad(b.G, b.Out)) }, x)
}

func softmaxLoop(l *loop, lo, hi int) {
	kernel.SoftmaxRows(l.dst[lo*l.d:hi*l.d], l.x[lo*l.d:hi*l.d], hi-lo, l.d)
}

// softmaxGrad is the gradient by the argument of a softmax over the last axis, where y is the
// result of the softmax: y∘(g - Σ g∘y). It is linear in g, by a symmetric matrix.
func softmaxGrad(g, y *Tensor) *Tensor {
	out := tapeOf(g, y).alloc(y.shape)
	d := max(y.shape.last(), 1)
	l := loopOf(out)
	l.dst, l.x, l.y, l.d = out.data, g.data, y.data, d
	l.rows(out, len(out.data)/d, elementGrain/(2*d)+1, func(l *loop, lo, hi int) {
		for i := lo * l.d; i < hi*l.d; i += l.d {
			dst, g, y := l.dst[i:i+l.d], l.x[i:i+l.d], l.y[i:i+l.d]
			kernel.BinaryScalar(kernel.Sub, dst, g, kernel.Dot(g, y))
			kernel.Binary(kernel.Mul, dst, dst, y)
		}
	})
	return op(out, func(b *back) {
		g, y := b.In[0], b.In[1]
		if b.Need(0) {
			b.Set(0, softmaxGrad(b.G, y))
		}
		if b.Need(1) {
			mean, share := g.Mul(y).SumAxis(-1), b.G.Mul(y).SumAxis(-1)
			b.Set(1, b.G.Mul(g.Sub(mean)).Sub(share.Mul(g)))
		}
	}, g, y)
}

// LogSoftmax is the logarithm of Softmax.
func (x *Tensor) LogSoftmax() *Tensor {
	d := x.shape.dim[x.axis("LogSoftmax", -1)]
	out := tapeOf(x).alloc(x.shape)
	overRows(out, x, d, func(l *loop, lo, hi int) {
		kernel.LogSoftmaxRows(l.dst[lo*l.d:hi*l.d], l.x[lo*l.d:hi*l.d], hi-lo, l.d)
	})
	return op(out, func(b *back) {
		b.Set(0, b.G.Sub(b.In[0].Softmax().Mul(b.G.SumAxis(-1))))
	}, x)
}

// overRows computes rows of d columns of out from those of x.
func overRows(out, x *Tensor, d int, do func(l *loop, lo, hi int)) {
	if len(x.data) == 0 {
		return
	}
	l := loopOf(out)
	l.dst, l.x, l.d = out.data, x.data, d
	l.rows(out, len(x.data)/d, elementGrain/(4*d)+1, do)
}
