package tensor

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// LayerNorm is (x-mean)/sqrt(var+eps)·weight + bias over the last axis, with the biased variance,
// in one pass over x. weight and bias are [d]; nil means ones and zeros. It keeps the shape of x.
// Ba, Kiros and Hinton 2016.
//
// The rules compute mean and variance from x again, which is faster than storing them. Let n be the
// normalised rows and P the derivative of n by x, which is symmetric. Gradients of every order are
// then sums of LayerNorm, of P(g·weight), and of Σ g·n over the rows.
func LayerNorm(x, weight, bias *Tensor, eps float32) *Tensor {
	d := x.shape.dim[x.axis("LayerNorm", -1)]
	for _, p := range []*Tensor{weight, bias} {
		if p != nil && p.shape != shapeOf(d) {
			mismatch("LayerNorm", fmt.Sprintf("weight and bias of shape [%d]", d), present(x, weight, bias)...)
		}
	}
	out := tapeOf(x, weight, bias).alloc(x.shape)
	normRows(out, x, weight, bias, eps, func(l *loop, lo, hi int) {
		d := l.d
		kernel.LayerNorm(l.dst[lo*d:], l.x[lo*d:], l.y, l.z, hi-lo, d, l.a)
	})
	return opWith(out, layerNormRule{eps}, x, weight, bias)
}

type layerNormRule struct{ eps float32 }

func (r *layerNormRule) grad(b *back) {
	x, w := b.In[0], b.In[1]
	if b.Need(0) {
		b.Set(0, layerNormGrad(b.G, x, w, r.eps))
	}
	if b.Need(1) || b.Need(2) {
		both := layerNormParamGrad(b.G, x, r.eps)
		for i := range 2 {
			if b.Need(1 + i) {
				b.Set(1+i, both.Slice(0, i, i+1).reshapeTo(b.In[1+i].shape))
			}
		}
	}
}

// normRows runs a loop of LayerNorm or of its rules over the rows of x. y and z may be nil.
func normRows(out, x, y, z *Tensor, eps float32, do func(l *loop, lo, hi int)) {
	if len(x.data) == 0 {
		return
	}
	d := x.shape.dim[x.shape.rank-1]
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.d, l.a = out.data, x.data, nil, nil, d, eps
	if y != nil {
		l.y = y.data
	}
	if z != nil {
		l.z = z.data
	}
	l.rows(out, len(x.data)/d, elementGrain/(4*d)+1, do)
}

// layerNormGrad is P(g·w), the gradient of LayerNorm by x. w may be nil.
func layerNormGrad(g, x, w *Tensor, eps float32) *Tensor {
	out := tapeOf(g, x, w).alloc(x.shape)
	normRows(out, g, x, w, eps, func(l *loop, lo, hi int) {
		d := l.d
		kernel.LayerNormGrad(l.dst[lo*d:], l.x[lo*d:], l.y[lo*d:], l.z, hi-lo, d, l.a)
	})
	return opWith(out, layerNormGradRule{eps}, g, x, w)
}

type layerNormGradRule struct{ eps float32 }

func (r *layerNormGradRule) grad(b *back) {
	g, x, w, eps := b.In[0], b.In[1], b.In[2], r.eps
	u := g
	if w != nil {
		u = g.Mul(w)
	}
	if b.Need(1) {
		b.Set(1, normSecond(b.G, u, x, int(x.shape.rank)-1, eps, func(u *Tensor) *Tensor { return layerNormGrad(u, x, nil, eps) }))
	}
	if !b.Need(0) && !b.Need(2) {
		return
	}
	p := layerNormGrad(b.G, x, nil, eps)
	if b.Need(2) {
		b.Set(2, p.Mul(g).sumTo(w.shape))
	}
	if w != nil {
		p = p.Mul(w)
	}
	b.Set(0, p)
}

// normSecond is the gradient of ⟨v, P(u)⟩ by x, where P is the derivative by x of x normalised
// along an axis. With r = 1/sqrt(var+eps), d elements along the axis and n = (x-mean)·r, P(u) is
// r·(u - mean(u) - n·⟨u,n⟩/d). It depends on x through n, whose derivative is P, and through r,
// whose derivative is -r²·n/d.
func normSecond(v, u, x *Tensor, axis int, eps float32, derivative func(u *Tensor) *Tensor) *Tensor {
	d := float32(x.shape.dim[axis])
	centred := x.Sub(x.MeanAxis(axis))
	r := centred.Square().MeanAxis(axis).AddScalar(eps).Rsqrt()
	n := centred.Mul(r)
	vn, un := v.Mul(n).SumAxis(axis), u.Mul(n).SumAxis(axis)
	byN := derivative(v.Mul(un).Add(u.Mul(vn))).Mul(r)
	// ⟨v, P(u)⟩/r
	inner := v.Mul(u).SumAxis(axis).Sub(v.SumAxis(axis).Mul(u.SumAxis(axis)).Add(vn.Mul(un)).MulScalar(1 / d))
	return byN.Add(n.Mul(inner.Mul(r.Square()))).MulScalar(-1 / d)
}

// normBlock is the number of rows of a partial sum of layerNormParamGrad. It is a constant, so that
// the result does not depend on the number of threads.
const normBlock = 64

// layerNormParamGrad is Σ g·n ‖ Σ g over all rows, [2,d]: the gradients of
// LayerNorm by weight and bias.
func layerNormParamGrad(g, x *Tensor, eps float32) *Tensor {
	d := x.shape.dim[x.shape.rank-1]
	tape := tapeOf(g, x)
	out := tape.alloc(shapeOf(2, d))
	clear(out.data)
	if n := len(x.data); n > 0 {
		rows := n / d
		blocks := (rows + normBlock - 1) / normBlock
		sums := tape.borrow(blocks * 2 * d)
		l := loopOf(out)
		l.dst, l.x, l.y, l.d, l.a = sums.data, g.data, x.data, d, eps
		l.rows(out, blocks, elementGrain/(4*normBlock*d)+1, func(l *loop, lo, hi int) {
			d := l.d
			for i := lo; i < hi; i++ {
				at := i * normBlock * d
				end := min(at+normBlock*d, len(l.x))
				kernel.LayerNormParamGrad(l.dst[2*i*d:], l.x[at:end], l.y[at:end], (end-at)/d, d, l.a)
			}
		})
		kernel.ColSum(out.data, sums.data[:blocks*2*d], blocks, 2*d)
		tape.giveBack(sums)
	}
	return opWith(out, layerNormParamGradRule{eps}, g, x)
}

type layerNormParamGradRule struct{ eps float32 }

func (r *layerNormParamGradRule) grad(b *back) {
	g, x, d := b.In[0], b.In[1], b.G.shape.dim[1]
	row := func(i int) *Tensor { return b.G.Slice(0, i, i+1).reshapeTo(shapeOf(d)) }
	if b.Need(0) {
		b.Set(0, LayerNorm(x, row(0), row(1), r.eps))
	}
	if b.Need(1) {
		b.Set(1, layerNormGrad(g, x, row(0), r.eps))
	}
}

// present lists the tensors that are not nil.
func present(ts ...*Tensor) []*Tensor {
	return slices.DeleteFunc(ts, func(t *Tensor) bool { return t == nil })
}
