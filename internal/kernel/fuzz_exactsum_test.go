package kernel

import (
	"math"
	"math/big"
	"testing"
)

// fixedSum returns the sum of numbers in fixed point with big integers. Each number is rounded towards zero.
func fixedSum(x []float32, shift int) *big.Int {
	sum := new(big.Int)
	for _, v := range x {
		term, _ := new(big.Float).SetMantExp(big.NewFloat(float64(v)), shift).Int(nil)
		sum.Add(sum, term)
	}
	return sum
}

// FuzzExactSum: exact, compared with big integers, or with float64 if X is not finite.
func FuzzExactSum(f *testing.F) {
	factors := []func(n int) float64{
		func(n int) float64 { return 1 / float64(max(n, 1)) },
		func(n int) float64 { return 1 / math.Sqrt(float64(n)+1) },
	}
	fuzz(f, func(c *check) {
		d := c.size(200)
		p := c.pattern(c.size(30), 6)
		s := ExactSum{X: c.input(p.rows * d), D: d, Ptr: p.ptr, Col: p.ids, Width: p.width, Factor: factors[c.below(2)]}
		most := 0
		for i := range p.n {
			k0, k1 := p.entries(i)
			most = max(most, k1-k0)
		}
		greatest, finite := Greatest(s.X)
		for _, v := range s.X {
			if finite && math.Abs(float64(v)) > float64(greatest) {
				c.Fatalf("greatest %v, but there is %v", greatest, v)
			}
		}
		s.Shift, s.Wild = FixedShift(greatest, int64(most)), !finite
		c.describe("%d rows of %d, entries %d, ptr %v col %v shift %d wild %v", p.n, d, p.nnz, p.ptr != nil, p.ids != nil, s.Shift, s.Wild)
		want := make([]float32, p.n*d)
		for e := range want {
			i, j := e/d, e%d
			k0, k1 := p.entries(i)
			var terms []float32
			wild := 0.0
			for k := k0; k < k1; k++ {
				terms = append(terms, s.X[p.neighbour(k)*d+j])
				wild += float64(terms[k-k0])
			}
			if s.Wild {
				want[e] = float32(wild * s.Factor(k1-k0))
				continue
			}
			sum := fixedSum(terms, s.Shift)
			if sum.BitLen() > 62 {
				c.Fatalf("a sum has %d bits", sum.BitLen())
			}
			exact, _ := new(big.Float).SetInt(sum).Float64()
			want[e] = float32(exact * (s.Factor(k1-k0) * math.Ldexp(1, -s.Shift)))
		}
		c.exact(want, func(a *attempt) []float32 {
			s := s
			s.Dst = a.out(p.n * d)
			a.cut(p.n, s.Rows)
			return s.Dst
		})
	})
}

// The sum of the largest possible numbers at a hub does not overflow and leaves no bits unused.
func TestFixedShift(t *testing.T) {
	const entries = 3e6 // more entries than are added at once
	same := make([]int32, entries)
	for _, greatest := range []float32{math.MaxFloat32, 1, 0.75, math.SmallestNonzeroFloat32} {
		for _, sign := range []float32{1, -1} {
			x := []float32{sign * greatest}
			shift := FixedShift(greatest, entries)
			var sum [1]int64
			AddFixed(sum[:], x, same, math.Ldexp(1, shift))
			if want := new(big.Int).Mul(big.NewInt(entries), fixedSum(x, shift)); want.Cmp(big.NewInt(sum[0])) != 0 || want.BitLen() < 60 || want.BitLen() > 62 {
				t.Errorf("%v numbers %v add up to %v, want %v with 60 to 62 bits", entries, x[0], sum[0], want)
			}
		}
	}
	if FixedShift(0, 10) != 0 || FixedShift(1, 0) != 0 {
		t.Error("nothing to add up has a shift")
	}
}
