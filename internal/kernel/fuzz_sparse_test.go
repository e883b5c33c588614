package kernel

import (
	"math"
	"testing"
)

// tally sums products in float64 and bounds their rounding errors.
type tally struct {
	sum, abs float64 // sum of the terms; sum of absolute values of the finite terms
	tiny     float64 // loss from products below the range of float32
	terms    int
	wild     bool // a step may overflow at some levels only
}

// add adds the product of the factors.
func (s *tally) add(factors ...float64) {
	p, size, finite := 1.0, 0.0, true
	for _, v := range factors {
		p *= v
		size += math.Abs(v)
		finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	s.sum += p
	s.terms++
	if finite {
		s.abs += math.Abs(p)
		s.tiny += 0x1p-148 * (1 + size)
	}
	// The order in which three factors are multiplied depends on the level. A product of two may
	// overflow or underflow even if the product of all three does not.
	for i, v := range factors {
		for _, w := range factors[:i] {
			q := math.Abs(v * w)
			if len(factors) > 2 && (q >= math.MaxFloat32/256 && !math.IsInf(q, 0) || q > 0 && q < 0x1p-126 && !finite) {
				s.wild = true
			}
		}
	}
}

// element returns the bound for the sum, computed in float32 in any order. n is the number of
// roundings of terms and sums in addition to those of the additions.
func (s *tally) element(n int) (want, slack float64) {
	switch {
	case s.wild || s.abs >= math.MaxFloat32/2:
		return s.sum, anything
	case math.IsNaN(s.sum) || math.IsInf(s.sum, 0):
		return s.sum, 0
	}
	return s.sum, float64(s.terms+n)*eps32*s.abs*1.01 + s.tiny
}

// pattern is a sparse matrix without values: pointers or a width, and ids or nil.
type pattern struct {
	n, nnz    int
	ptr, ids  []int32
	width     int
	rows      int // number of rows of the matrix to which ids refer
	entries   func(i int) (k0, k1 int)
	neighbour func(k int) int
}

// pattern draws n rows of up to most entries.
func (c *check) pattern(n, most int) pattern {
	p := pattern{n: n, width: c.below(most + 1)}
	p.nnz = n * p.width
	if c.bool() {
		p.ptr = c.inputPtr(n, most)
		p.nnz = int(p.ptr[n])
	}
	p.ids, p.rows = c.maybeIDs(p.nnz)
	p.entries = func(i int) (int, int) { return entries(p.ptr, p.width, i) }
	p.neighbour = func(k int) int { return at(p.ids, k) }
	return p
}

// maybeIDs returns ids of nnz entries and the number of rows to which they refer, or nil if entry k
// refers to row k.
func (c *check) maybeIDs(nnz int) ([]int32, int) {
	if c.bool() {
		return nil, nnz
	}
	rows := 1 + c.size(30)
	return c.inputIDs(nnz, rows), rows
}

// maybe returns n numbers, or nil, which stands for ones.
func (c *check) maybe(n int) []float32 {
	if c.bool() {
		return nil
	}
	return c.input(n)
}

// at returns ids[k], or k if ids is nil.
func at(ids []int32, k int) int {
	if ids == nil {
		return k
	}
	return int(ids[k])
}

// one returns x[k], or 1 if x is nil.
func one(x []float32, k int) float64 {
	if x == nil {
		return 1
	}
	return float64(x[k])
}

// FuzzSpMM: near, with the same bits for AVX2 and AVX-512. Without coefficients it is exact,
// because no multiplication can be fused.
func FuzzSpMM(f *testing.F) {
	fuzz(f, func(c *check) {
		d := c.size(200)
		if c.byte()%8 == 0 {
			d = c.size(600) // several tiles of columns
		}
		p := c.pattern(c.size(30), 6)
		s := SpMM{X: c.input(p.rows * d), D: d, Ptr: p.ptr, Col: p.ids, Width: p.width, Coef: c.maybe(p.nnz),
			Bias: c.maybe(d), ReLU: c.bool()}
		if s.Self = c.maybe(p.n * d); s.Self != nil {
			s.SelfCoef = c.maybe(p.n)
		}
		c.describe("%d rows of %d, entries %d, ptr %v col %v coef %v self %v %v bias %v relu %v", p.n, d, p.nnz,
			p.ptr != nil, p.ids != nil, s.Coef != nil, s.Self != nil, s.SelfCoef != nil, s.Bias != nil, s.ReLU)
		exact := make([]float32, p.n*d)
		b := bound{want: make([]float64, p.n*d), slack: make([]float64, p.n*d)}
		for e := range exact {
			i, j := e/d, e%d
			var sum float32
			var t tally
			if s.Bias != nil {
				sum = s.Bias[j]
				t.add(float64(s.Bias[j]))
			}
			if s.Self != nil {
				sum += s.Self[e]
				t.add(one(s.SelfCoef, i), float64(s.Self[e]))
			}
			k0, k1 := p.entries(i)
			for k := k0; k < k1; k++ {
				v := s.X[p.neighbour(k)*d+j]
				sum += v
				t.add(one(s.Coef, k), float64(v))
			}
			exact[e] = sum
			b.want[e], b.slack[e] = t.element(1)
			if s.ReLU && b.want[e] < 0 {
				b.want[e] = 0
			}
			if s.ReLU && sum < 0 {
				exact[e] = 0
			}
		}
		run := func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(p.n * d)
			a.cut(p.n, s.Rows)
			return s.Dst
		}
		if s.Coef == nil && s.SelfCoef == nil {
			c.exact(exact, run)
			return
		}
		c.near(b, run)
	})
}

// sddmmBound returns the bound for an element. An infinite coefficient times a zero in one column
// is NaN, so that levels only agree that the result is not finite.
func sddmmBound(p pattern, e int, coef []float32, d int, product func(k, j int) (g, x float64)) (want, slack float64) {
	var t tally
	k0, k1 := p.entries(e)
	lost := false
	for k := k0; k < k1; k++ {
		w := one(coef, k)
		lost = lost || math.IsNaN(w) || math.IsInf(w, 0)
		for j := range d {
			g, x := product(k, j)
			t.add(w, g, x)
		}
	}
	if lost && d > 0 {
		return math.NaN(), notFinite
	}
	// The additions and the roundings of the products.
	return t.element(k1 - k0 + 4)
}

// FuzzSDDMM: near, with the same bits for AVX2 and AVX-512.
func FuzzSDDMM(f *testing.F) {
	fuzz(f, func(c *check) {
		d := c.size(200)
		p := c.pattern(c.size(30), 4)
		s := SDDMM{D: d, Ptr: p.ptr, Col: p.ids, Width: p.width, Coef: c.maybe(p.nnz)}
		var rows int
		s.Row, rows = c.maybeIDs(p.nnz)
		s.G, s.X = c.input(rows*d), c.input(p.rows*d)
		c.describe("%d elements of %d, entries %d, ptr %v row %v col %v coef %v", p.n, d, p.nnz,
			p.ptr != nil, s.Row != nil, s.Col != nil, s.Coef != nil)
		b := bound{want: make([]float64, p.n), slack: make([]float64, p.n)}
		for e := range p.n {
			b.want[e], b.slack[e] = sddmmBound(p, e, s.Coef, d, func(k, j int) (float64, float64) {
				return float64(s.G[at(s.Row, k)*d+j]), float64(s.X[at(s.Col, k)*d+j])
			})
		}
		c.near(b, func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(p.n)
			a.cut(p.n, s.Range)
			return s.Dst
		})
	})
}

// headShape draws numbers of heads and columns per head.
func (c *check) headShape() (heads, d int) { return 1 + c.below(6), c.size(40) }

// FuzzSpMMHeads: near, with the same bits for AVX2 and AVX-512.
func FuzzSpMMHeads(f *testing.F) {
	fuzz(f, func(c *check) {
		heads, d := c.headShape()
		n := c.size(20)
		if c.byte()%8 == 0 {
			n, d = c.size(200), c.below(6) // several blocks
		}
		p := c.pattern(n, 6)
		s := SpMMHeads{X: c.input(p.rows * heads * d), Heads: heads, D: d, Ptr: p.ptr, Col: p.ids, Width: p.width, Coef: c.maybe(p.nnz)}
		var weights int
		s.Weight, weights = c.maybeIDs(p.nnz)
		s.W = c.input(weights * heads)
		c.describe("%d rows of %dx%d, entries %d, ptr %v col %v coef %v weight %v", p.n, heads, d, p.nnz,
			p.ptr != nil, p.ids != nil, s.Coef != nil, s.Weight != nil)
		size := p.n * heads * d
		b := bound{want: make([]float64, size), slack: make([]float64, size)}
		for e := range size {
			i, h, j := e/(heads*d), e/d%heads, e%d
			var t tally
			k0, k1 := p.entries(i)
			for k := k0; k < k1; k++ {
				t.add(one(s.Coef, k), float64(s.W[at(s.Weight, k)*heads+h]), float64(s.X[(p.neighbour(k)*heads+h)*d+j]))
			}
			b.want[e], b.slack[e] = t.element(2)
		}
		c.near(b, func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(size)
			a.cut(p.n, s.Rows)
			return s.Dst
		})
	})
}

// FuzzSDDMMHeads: near, with the same bits for AVX2 and AVX-512.
func FuzzSDDMMHeads(f *testing.F) {
	fuzz(f, func(c *check) {
		heads, d := c.headShape()
		n := c.size(20)
		if c.byte()%8 == 0 {
			n, d = c.size(200), c.below(6) // several blocks
		}
		p := c.pattern(n, 4)
		s := SDDMMHeads{Heads: heads, D: d, Ptr: p.ptr, Col: p.ids, Width: p.width, Coef: c.maybe(p.nnz)}
		var rows int
		s.Row, rows = c.maybeIDs(p.nnz)
		s.G, s.X = c.input(rows*heads*d), c.input(p.rows*heads*d)
		c.describe("%d rows of %dx%d, entries %d, ptr %v row %v col %v coef %v", p.n, heads, d, p.nnz,
			p.ptr != nil, s.Row != nil, s.Col != nil, s.Coef != nil)
		b := bound{want: make([]float64, p.n*heads), slack: make([]float64, p.n*heads)}
		for e := range p.n * heads {
			h := e % heads
			b.want[e], b.slack[e] = sddmmBound(p, e/heads, s.Coef, d, func(k, j int) (float64, float64) {
				return float64(s.G[(at(s.Row, k)*heads+h)*d+j]), float64(s.X[(at(s.Col, k)*heads+h)*d+j])
			})
		}
		c.near(b, func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(p.n * heads)
			a.cut(p.n, s.Range)
			return s.Dst
		})
	})
}

// FuzzSpGEMM: near, with the same bits at all levels, which share one code.
func FuzzSpGEMM(f *testing.F) {
	fuzz(f, func(c *check) {
		n, inner, cols := c.size(20), 1+c.size(20), 1+c.size(40)
		rows := func(n, cols int) SparseRows {
			s := SparseRows{Width: c.below(5)}
			nnz := n * s.Width
			if c.bool() {
				s.Ptr = c.inputPtr(n, 6)
				nnz = int(s.Ptr[n])
			}
			if s.Val = c.maybe(nnz); nnz > cols || c.bool() {
				s.Col = c.inputIDs(nnz, cols)
			}
			return s
		}
		s := SpGEMM{A: rows(n, inner), B: rows(inner, cols), C: rows(n, cols), Cols: cols}
		size := 0
		if n > 0 {
			_, size = entries(s.C.Ptr, s.C.Width, n-1)
		}
		c.describe("%dx%dx%d, %d results", n, inner, cols, size)
		b := bound{want: make([]float64, size), slack: make([]float64, size)}
		for i := range n {
			c0, c1 := entries(s.C.Ptr, s.C.Width, i)
			for q := c0; q < c1; q++ {
				var t tally
				a0, a1 := entries(s.A.Ptr, s.A.Width, i)
				for a := a0; a < a1; a++ {
					b0, b1 := entries(s.B.Ptr, s.B.Width, s.A.column(a))
					for e := b0; e < b1; e++ {
						if s.B.column(e) == s.C.column(q) {
							t.add(float64(s.A.value(a)), float64(s.B.value(e)))
						}
					}
				}
				b.want[q], b.slack[q] = t.element(1)
			}
		}
		c.near(b, func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(size)
			a.cut(n, s.Rows)
			return s.Dst
		})
	})
}
