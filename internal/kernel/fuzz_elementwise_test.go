package kernel

import (
	"math"
	"testing"
)

// each returns n values of f.
func each(n int, f func(i int) float32) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// FuzzBinary: exact.
func FuzzBinary(f *testing.F) {
	fuzz(f, func(c *check) {
		n := c.size(400)
		x, y := c.input(n), c.input(n)
		for op := range RDiv + 1 {
			c.describe("op %d n=%d", op, n)
			c.exact(each(n, func(i int) float32 { return binaryOracle[op](x[i], y[i]) }), func(a *attempt) []float32 {
				dst, x, y := a.over(x, y)
				a.cut(n, func(lo, hi int) { Binary(op, dst[lo:hi], x[lo:hi], y[lo:hi]) })
				return dst
			})
		}
	})
}

// FuzzBinaryScalar: exact.
func FuzzBinaryScalar(f *testing.F) {
	fuzz(f, func(c *check) {
		n, s := c.size(400), c.scalar()
		x := c.input(n)
		for op := range RDiv + 1 {
			c.describe("op %d n=%d s=%v", op, n, s)
			c.exact(each(n, func(i int) float32 { return binaryOracle[op](x[i], s) }), func(a *attempt) []float32 {
				dst, x, _ := a.over(x, nil)
				a.cut(n, func(lo, hi int) { BinaryScalar(op, dst[lo:hi], x[lo:hi], s) })
				return dst
			})
		}
	})
}

// FuzzBinaryRow: exact.
func FuzzBinaryRow(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(70), c.size(140)
		x, row := c.input(rows*d), c.input(d)
		for op := range RDiv + 1 {
			c.describe("op %d %dx%d", op, rows, d)
			c.exact(each(rows*d, func(i int) float32 { return binaryOracle[op](x[i], row[i%d]) }), func(a *attempt) []float32 {
				dst, x, _ := a.over(x, nil)
				a.cut(rows, func(lo, hi int) { BinaryRow(op, dst[lo*d:hi*d], x[lo*d:hi*d], row) })
				return dst
			})
		}
	})
}

// FuzzBinaryCol: exact.
func FuzzBinaryCol(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(70), c.size(140)
		x, col := c.input(rows*d), c.input(rows)
		for op := range RDiv + 1 {
			c.describe("op %d %dx%d", op, rows, d)
			c.exact(each(rows*d, func(i int) float32 { return binaryOracle[op](x[i], col[i/d]) }), func(a *attempt) []float32 {
				dst, x, _ := a.over(x, nil)
				a.cut(rows, func(lo, hi int) { BinaryCol(op, dst[lo*d:hi*d], x[lo*d:hi*d], col[lo:hi], d) })
				return dst
			})
		}
	})
}

// FuzzAxpy: exact, because the product is rounded.
func FuzzAxpy(f *testing.F) {
	fuzz(f, func(c *check) {
		n, s := c.size(400), c.scalar()
		x, y := c.input(n), c.input(n)
		c.describe("n=%d a=%v", n, s)
		c.exact(each(n, func(i int) float32 { return y[i] + float32(s*x[i]) }), func(a *attempt) []float32 {
			dst := a.inout(y)
			a.cut(n, func(lo, hi int) { current.axpy(dst[lo:hi], s, x[lo:hi]) })
			return dst
		})
	})
}

// FuzzReLUGrad: exact.
func FuzzReLUGrad(f *testing.F) {
	fuzz(f, func(c *check) {
		n := c.size(400)
		g, y := c.input(n), c.input(n)
		c.describe("n=%d", n)
		want := make([]float32, n)
		for i, v := range g {
			if y[i] > 0 {
				want[i] = v
			}
		}
		c.exact(want, func(a *attempt) []float32 {
			dst, g, y := a.over(g, y)
			a.cut(n, func(lo, hi int) { ReLUGrad(dst[lo:hi], g[lo:hi], y[lo:hi]) })
			return dst
		})
	})
}

// exactUnary are the unary operations that give the same bits at every level.
var exactUnary = map[UnaryOp]func(x, a, b float32) float32{
	Neg: func(x, _, _ float32) float32 { return -x },
	Abs: func(x, _, _ float32) float32 { return float32(math.Abs(float64(x))) },
	Sign: func(x, _, _ float32) float32 {
		if x != x {
			return x
		}
		return float32(truth(x > 0) - truth(x < 0))
	},
	Square: func(x, _, _ float32) float32 { return x * x },
	Sqrt:   func(x, _, _ float32) float32 { return float32(math.Sqrt(float64(x))) },
	ReLU: func(x, _, _ float32) float32 {
		if x < 0 {
			return 0
		}
		return x
	},
	Step: func(x, _, _ float32) float32 { return float32(truth(x > 0)) },
	LeakyReLU: func(x, a, _ float32) float32 {
		if x > 0 {
			return x
		}
		return a * x
	},
	LeakyStep: func(x, a, _ float32) float32 {
		if x > 0 {
			return 1
		}
		return a
	},
	Clamp: func(x, a, b float32) float32 {
		if x < a {
			x = a
		}
		if x > b {
			x = b
		}
		return x
	},
	InRange: func(x, a, b float32) float32 { return float32(truth(a <= x && x <= b)) },
	PowA:    func(x, a, _ float32) float32 { return float32(math.Pow(float64(x), float64(a))) },
	Recip:   func(x, _, _ float32) float32 { return 1 / x },
	Rsqrt:   func(x, _, _ float32) float32 { return 1 / float32(math.Sqrt(float64(x))) },
}

// powers contains powers that PowA treats separately, and common powers.
var powers = []float32{0, 1, 2, 3, 0.5, -0.5, -1, -2, -0.25}

// FuzzUnary: exact for the operations above. Exp, Log, Sigmoid, Tanh and Softplus are near: within
// the units in the last place given by unaryOracle, with the sign of zero, and with the same bits
// at the vector levels.
func FuzzUnary(f *testing.F) {
	fuzz(f, func(c *check) {
		n, style := c.size(400), c.style()
		if c.bool() {
			style = edges
		}
		x := c.inputOf(style, n)
		for _, o := range unaryOracle {
			p, q := c.scalar(), c.scalar()
			if o.op == PowA && c.bool() {
				p = powers[c.below(len(powers))]
			}
			c.describe("%s n=%d a=%v b=%v", o.name, n, p, q)
			run := func(a *attempt) []float32 {
				dst, x, _ := a.over(x, nil)
				a.cut(n, func(lo, hi int) { Unary(o.op, dst[lo:hi], x[lo:hi], p, q) })
				return dst
			}
			if f := exactUnary[o.op]; f != nil {
				c.exact(each(n, func(i int) float32 { return f(x[i], p, q) }), run)
				continue
			}
			b := bound{want: make([]float64, n), slack: make([]float64, n), zeros: true}
			for i, v := range x {
				b.want[i] = o.f(float64(v))
				b.slack[i] = o.ulps * ulp(b.want[i])
			}
			c.near(b, run)
		}
	})
}

// FuzzAdam: exact, for the weights and both moments.
func FuzzAdam(f *testing.F) {
	fuzz(f, func(c *check) {
		n := c.size(200)
		s := AdamStep{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Bias1: 0.1, Bias2: 1e-3, Decoupled: c.bool()}
		if c.bool() {
			s.WeightDecay = 0.01
		}
		if c.byte()%4 == 0 {
			s.LR, s.Beta1, s.Beta2, s.Eps, s.WeightDecay = c.scalar(), c.scalar(), c.scalar(), c.scalar(), c.scalar()
			s.Bias1, s.Bias2 = c.scalar(), c.scalar()
		}
		w, g, m, v := c.input(n), c.input(n), c.input(n), c.input(n)
		c.describe("n=%d %+v", n, s)
		// Every constant is rounded once, and every product before it is added.
		shrink, decay := float32(1), s.WeightDecay
		if s.Decoupled {
			shrink, decay = float32(1-float64(s.LR)*float64(s.WeightDecay)), 0
		}
		lr := float32(-float64(s.LR) / float64(s.Bias1))
		to1, to2 := float32(1-float64(s.Beta1)), float32(1-float64(s.Beta2))
		root := func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
		want := make([]float32, 3*n)
		for i := range n {
			p := float32(w[i] * shrink)
			d := g[i] + float32(decay*p)
			m1 := flushed(m[i]+float32((d-m[i])*to1), 1e-30)
			v1 := flushed(float32(s.Beta2*v[i])+float32(float32(to2*d)*d), 1e-36)
			want[i], want[n+i], want[2*n+i] = flushed(p+float32(lr*m1)/(root(v1)/root(s.Bias2)+s.Eps), 1e-30), m1, v1
		}
		c.exact(want, func(a *attempt) []float32 {
			w, m, v := a.inout(w), a.inout(m), a.inout(v)
			a.cut(n, func(lo, hi int) { Adam(w[lo:hi], g[lo:hi], m[lo:hi], v[lo:hi], s) })
			return append(append(append([]float32{}, w...), m...), v...)
		})
	})
}

// flushed is x, or 0 when it is smaller than tiny.
func flushed(x, tiny float32) float32 {
	if math.Abs(float64(x)) < float64(tiny) {
		return 0
	}
	return x
}

// FuzzTranspose: exact to the bit, also for NaN, because nothing is computed.
func FuzzTranspose(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, cols := c.size(140), c.size(140)
		x := c.inputOf(bitwise, rows*cols)
		c.describe("%dx%d", rows, cols)
		want := make([]float32, rows*cols)
		for i := range rows {
			for j := range cols {
				want[j*rows+i] = x[i*cols+j]
			}
		}
		c.levels(func(a *attempt) []float32 {
			dst := a.out(rows * cols)
			Transpose(dst, x, rows, cols)
			return dst
		}, func(what string, got []float32) { sameBits(c.T, what, got, want) })
	})
}

// FuzzGatherRows: exact to the bit, also for NaN, because nothing is computed.
func FuzzGatherRows(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d, k := 1+c.size(60), c.size(140), c.size(100)
		x, at := c.inputOf(bitwise, rows*d), c.inputIDs(k, rows)
		c.describe("%d of %d rows of %d", k, rows, d)
		want := make([]float32, 0, k*d)
		for _, id := range at {
			want = append(want, x[int(id)*d:int(id+1)*d]...)
		}
		c.levels(func(a *attempt) []float32 {
			dst := a.out(k * d)
			a.cut(k, func(lo, hi int) { GatherRows(dst[lo*d:hi*d], x, at[lo:hi], d) })
			return dst
		}, func(what string, got []float32) { sameBits(c.T, what, got, want) })
	})
}
