package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// elementGrain is the smallest number of elements for which a second thread is faster.
const elementGrain = 1 << 14

// unaryInto computes an element-wise function without recording it.
func unaryInto(o kernel.UnaryOp, x *Tensor, a, b float32) *Tensor {
	out := tapeOf(x).alloc(x.shape)
	l := loopOf(out)
	l.unary, l.dst, l.x, l.a, l.b = o, out.data, x.data, a, b
	l.rows(out, len(x.data), elementGrain, func(l *loop, lo, hi int) {
		kernel.Unary(l.unary, l.dst[lo:hi], l.x[lo:hi], l.a, l.b)
	})
	return out
}

// Neg is -x.
func (x *Tensor) Neg() *Tensor {
	return op(unaryInto(kernel.Neg, x, 0, 0), func(b *back) { b.Set(0, b.G.Neg()) }, x)
}

// Abs is |x|, with derivative 0 at 0.
func (x *Tensor) Abs() *Tensor {
	return op(unaryInto(kernel.Abs, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Mul(unaryInto(kernel.Sign, b.In[0], 0, 0)))
	}, x)
}

// Square is x².
func (x *Tensor) Square() *Tensor {
	return op(unaryInto(kernel.Square, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Mul(b.In[0]).MulScalar(2))
	}, x)
}

// Sqrt is the square root; its derivative at 0 is infinite.
func (x *Tensor) Sqrt() *Tensor {
	return op(unaryInto(kernel.Sqrt, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Div(b.Out).MulScalar(0.5))
	}, x)
}

// Rsqrt is 1/sqrt(x).
func (x *Tensor) Rsqrt() *Tensor {
	return op(unaryInto(kernel.Rsqrt, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Mul(b.Out.Mul(b.Out.Square())).MulScalar(-0.5))
	}, x)
}

// Recip is 1/x.
func (x *Tensor) Recip() *Tensor {
	return op(unaryInto(kernel.Recip, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Mul(b.Out.Square()).Neg())
	}, x)
}

// Exp is e to the x.
func (x *Tensor) Exp() *Tensor {
	return op(unaryInto(kernel.Exp, x, 0, 0), func(b *back) { b.Set(0, b.G.Mul(b.Out)) }, x)
}

// Log is the natural logarithm.
func (x *Tensor) Log() *Tensor {
	return op(unaryInto(kernel.Log, x, 0, 0), func(b *back) { b.Set(0, b.G.Div(b.In[0])) }, x)
}

// Sigmoid is 1/(1+e^-x).
func (x *Tensor) Sigmoid() *Tensor {
	return op(unaryInto(kernel.Sigmoid, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Mul(b.Out.Sub(b.Out.Square())))
	}, x)
}

// Tanh is the hyperbolic tangent.
func (x *Tensor) Tanh() *Tensor {
	return op(unaryInto(kernel.Tanh, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Sub(b.G.Mul(b.Out.Square())))
	}, x)
}

// Softplus is log(1+e^x), computed without overflow.
func (x *Tensor) Softplus() *Tensor {
	return op(unaryInto(kernel.Softplus, x, 0, 0), func(b *back) {
		b.Set(0, b.G.Mul(b.In[0].Sigmoid()))
	}, x)
}

// ReLU is max(x, 0), with derivative 0 at 0.
func (x *Tensor) ReLU() *Tensor {
	return op(unaryInto(kernel.ReLU, x, 0, 0), func(b *back) { b.Set(0, reluGrad(b.G, b.Out)) }, x)
}

// reluGrad is g where y > 0 and 0 elsewhere. It is linear in g, and its derivative by y is 0 almost
// everywhere.
func reluGrad(g, y *Tensor) *Tensor {
	out := tapeOf(g, y).alloc(g.shape)
	l := loopOf(out)
	l.dst, l.x, l.y = out.data, g.data, y.data
	l.rows(out, len(g.data), elementGrain, func(l *loop, lo, hi int) {
		kernel.ReLUGrad(l.dst[lo:hi], l.x[lo:hi], l.y[lo:hi])
	})
	return op(out, func(b *back) { b.Set(0, reluGrad(b.G, b.In[1])) }, g, y.Detach())
}

// LeakyReLU is x for positive x and slope·x elsewhere.
func (x *Tensor) LeakyReLU(slope float32) *Tensor {
	return opWith(unaryInto(kernel.LeakyReLU, x, slope, 0), leakyReLURule{slope}, x)
}

type leakyReLURule struct{ slope float32 }

func (r *leakyReLURule) grad(b *back) {
	b.Set(0, b.G.Mul(unaryInto(kernel.LeakyStep, b.In[0], r.slope, 0)))
}

// Clamp limits x to [lo, hi]. The derivative is 1 inside, limits included, and 0 outside.
func (x *Tensor) Clamp(lo, hi float32) *Tensor {
	return opWith(unaryInto(kernel.Clamp, x, lo, hi), clampRule{lo, hi}, x)
}

type clampRule struct{ lo, hi float32 }

func (r *clampRule) grad(b *back) {
	b.Set(0, b.G.Mul(unaryInto(kernel.InRange, b.In[0], r.lo, r.hi)))
}

// Pow is x to the constant power p.
func (x *Tensor) Pow(p float32) *Tensor {
	return opWith(unaryInto(kernel.PowA, x, p, 0), powRule{p}, x)
}

type powRule struct{ exponent float32 }

func (r *powRule) grad(b *back) {
	if r.exponent == 0 { // constant: 0·x⁻¹ would be NaN at 0
		return
	}
	b.Set(0, b.G.Mul(b.In[0].Pow(r.exponent-1)).MulScalar(r.exponent))
}

// AddScalar is x + c.
func (x *Tensor) AddScalar(c float32) *Tensor {
	return op(scalarInto(kernel.Add, x, c), func(b *back) { b.Set(0, b.G) }, x)
}

// MulScalar is x·c.
func (x *Tensor) MulScalar(c float32) *Tensor {
	return opWith(scalarInto(kernel.Mul, x, c), mulScalarRule{c}, x)
}

type mulScalarRule struct{ factor float32 }

func (r *mulScalarRule) grad(b *back) { b.Set(0, b.G.MulScalar(r.factor)) }

func scalarInto(o kernel.BinaryOp, x *Tensor, c float32) *Tensor {
	out := tapeOf(x).alloc(x.shape)
	l := loopOf(out)
	l.binary, l.dst, l.x, l.a = o, out.data, x.data, c
	l.rows(out, len(x.data), elementGrain, scalarLoop)
	return out
}

// Add is x + y with broadcasting: axes are aligned from the last, and an axis
// of size 1 is repeated.
func (x *Tensor) Add(y *Tensor) *Tensor {
	return op(broadcast("Add", kernel.Add, x, y), func(b *back) {
		setBroadcast(b, 0, b.G)
		setBroadcast(b, 1, b.G)
	}, x, y)
}

// Sub is x - y with broadcasting.
func (x *Tensor) Sub(y *Tensor) *Tensor {
	return op(broadcast("Sub", kernel.Sub, x, y), func(b *back) {
		setBroadcast(b, 0, b.G)
		if b.Need(1) {
			b.Set(1, b.G.sumTo(b.In[1].shape).Neg())
		}
	}, x, y)
}

// Mul is the element-wise product with broadcasting.
func (x *Tensor) Mul(y *Tensor) *Tensor {
	return op(broadcast("Mul", kernel.Mul, x, y), func(b *back) {
		for i := range 2 {
			if b.Need(i) {
				setBroadcast(b, i, b.G.Mul(b.In[1-i]))
			}
		}
	}, x, y)
}

// AddMul is x + y∘z, of three tensors of one shape, in one pass over memory.
func AddMul(x, y, z *Tensor) *Tensor {
	if x.shape != y.shape || x.shape != z.shape {
		mismatch("AddMul", "three tensors of one shape", x, y, z)
	}
	out := tapeOf(x, y, z).alloc(x.shape)
	l := loopOf(out)
	l.dst, l.x, l.y, l.z = out.data, x.data, y.data, z.data
	l.rows(out, len(x.data), elementGrain, func(l *loop, lo, hi int) {
		const block = 1024 // elements that stay in cache from one step to the next
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			dst := l.dst[lo:end]
			kernel.Binary(kernel.Mul, dst, l.y[lo:end], l.z[lo:end])
			kernel.Binary(kernel.Add, dst, l.x[lo:end], dst)
		}
	})
	return op(out, func(b *back) {
		b.Set(0, b.G)
		for i := range 2 {
			if b.Need(1 + i) {
				b.Set(1+i, b.G.Mul(b.In[2-i]))
			}
		}
	}, x, y, z)
}

// Div is the element-wise quotient with broadcasting.
func (x *Tensor) Div(y *Tensor) *Tensor {
	return op(broadcast("Div", kernel.Div, x, y), func(b *back) {
		q := b.G.Div(b.In[1])
		setBroadcast(b, 0, q)
		if b.Need(1) {
			setBroadcast(b, 1, q.Mul(b.Out).Neg())
		}
	}, x, y)
}

// setBroadcast sets the gradient of operand i to g, summed over the axes along which the operand
// was repeated.
func setBroadcast(b *back, i int, g *Tensor) {
	if b.Need(i) {
		b.Set(i, g.sumTo(b.In[i].shape))
	}
}
