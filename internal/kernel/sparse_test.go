package kernel

import (
	"math"
	"testing"
)

// sparseVariant fills a problem of n rows. The bits of v select its optional parts.
func sparseVariant(seed uint64, n, d, v int) *SpMM {
	r := newRand(seed)
	s := &SpMM{Dst: randn(r, n*d), D: d, Width: 3, ReLU: v&1 != 0}
	nnz := n * s.Width
	if v&2 != 0 {
		s.Ptr = pointers(r, n, 9)
		nnz = int(s.Ptr[n])
	}
	rows := nnz
	if v&4 != 0 {
		rows = 11
		s.Col = ids(r, nnz, rows)
	}
	s.X = randn(r, rows*d)
	if v&8 != 0 {
		s.Coef = randn(r, nnz)
	}
	if v&16 != 0 {
		s.Self = randn(r, n*d)
		if v&32 != 0 {
			s.SelfCoef = randn(r, n)
		}
	}
	if v&64 != 0 {
		s.Bias = randn(r, d)
	}
	return s
}

func spmmOracle(s *SpMM, n int) (want, scale []float64) {
	want, scale = make([]float64, n*s.D), make([]float64, n*s.D)
	for i := range n {
		for j := range s.D {
			var sum, abs float64
			add := func(c, x float64) { sum += c * x; abs += math.Abs(c * x) }
			if s.Bias != nil {
				add(1, float64(s.Bias[j]))
			}
			if s.Self != nil {
				c := 1.0
				if s.SelfCoef != nil {
					c = float64(s.SelfCoef[i])
				}
				add(c, float64(s.Self[i*s.D+j]))
			}
			k0, k1 := i*s.Width, (i+1)*s.Width
			if s.Ptr != nil {
				k0, k1 = int(s.Ptr[i]), int(s.Ptr[i+1])
			}
			for k := k0; k < k1; k++ {
				c, row := 1.0, k
				if s.Coef != nil {
					c = float64(s.Coef[k])
				}
				if s.Col != nil {
					row = int(s.Col[k])
				}
				add(c, float64(s.X[row*s.D+j]))
			}
			if s.ReLU && sum < 0 {
				sum = 0
			}
			want[i*s.D+j], scale[i*s.D+j] = sum, abs
		}
	}
	return want, scale
}

// sparseWidths have every number of vectors of both instruction sets, and their remainders.
var sparseWidths = []int{1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 40, 48, 49, 56, 64, 65, 79, 80, 96, 100, 112, 128, 130, 200}

func TestSpMM(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range sparseWidths {
			for _, v := range variants(128) {
				const n = 13
				s := sparseVariant(uint64(v), n, d, v)
				want, scale := spmmOracle(s, n)
				s.Rows(0, n)
				what := name("d=%d variant %07b", d, v)
				close32(t, what, s.Dst, want, scale, 1e-6)

				whole := clone(s.Dst)
				clear(s.Dst)
				splits(newRand(uint64(v)), n, s.Rows)
				sameBits(t, what+", in parts", s.Dst, whole)
			}
		}
	})
}

func TestSpMMDegenerate(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		(&SpMM{D: 4}).Rows(0, 0)
		(&SpMM{Ptr: []int32{0}}).Rows(0, 0)
		s := &SpMM{Dst: []float32{1, 2, 3, 4}, D: 2, Ptr: []int32{0, 0, 0}} // no entries, no X
		s.Rows(0, 2)
		sameBits(t, "no entries", s.Dst, []float32{0, 0, 0, 0})
		s = &SpMM{Dst: make([]float32, 2), D: 2, Bias: []float32{-1, 5}, ReLU: true} // width 0
		s.Rows(0, 1)
		sameBits(t, "bias only", s.Dst, []float32{0, 5})
	})
}

func TestSpMMNaN(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 16, 37} {
			s := sparseVariant(1, 6, d, 15)
			s.X[4*d] = float32(math.NaN())
			s.X[5*d+d-1] = float32(math.Inf(1))
			want, scale := spmmOracle(s, 6)
			s.Rows(0, 6)
			close32(t, name("d=%d", d), s.Dst, want, scale, 1e-6)
		}
	})
}

func TestSDDMM(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range append(sparseWidths, 0) {
			for _, v := range variants(16) {
				const n = 9
				r := newRand(uint64(v))
				s := &SDDMM{Dst: randn(r, n), D: d, Width: 2}
				nnz := n * s.Width
				if v&1 != 0 {
					s.Ptr = pointers(r, n, 4)
					nnz = int(s.Ptr[n])
				}
				rows, cols := nnz, nnz
				if v&2 != 0 {
					rows = 7
					s.Row = ids(r, nnz, rows)
				}
				if v&4 != 0 {
					cols = 5
					s.Col = ids(r, nnz, cols)
				}
				if v&8 != 0 {
					s.Coef = randn(r, nnz)
				}
				s.G, s.X = randn(r, rows*d), randn(r, cols*d)
				want, scale := make([]float64, n), make([]float64, n)
				for e := range n {
					k0, k1 := entries(s.Ptr, s.Width, e)
					for k := k0; k < k1; k++ {
						a, b, c := k, k, 1.0
						if s.Row != nil {
							a = int(s.Row[k])
						}
						if s.Col != nil {
							b = int(s.Col[k])
						}
						if s.Coef != nil {
							c = float64(s.Coef[k])
						}
						for j := range d {
							p := c * float64(s.G[a*d+j]) * float64(s.X[b*d+j])
							want[e] += p
							scale[e] += math.Abs(p)
						}
					}
				}
				s.Range(0, n)
				what := name("d=%d variant %04b", d, v)
				close32(t, what, s.Dst, want, scale, 1e-6)
				whole := clone(s.Dst)
				clear(s.Dst)
				splits(r, n, s.Range)
				sameBits(t, what+", in parts", s.Dst, whole)
			}
		}
	})
}

// TestSDDMMInfinite checks that an infinite weight is not multiplied by the zeros that vector code
// has in the lanes after the last column.
func TestSDDMMInfinite(t *testing.T) {
	inf := float32(math.Inf(1))
	eachLevel(t, func(t *testing.T) {
		for _, d := range append([]int{0}, sparseWidths...) {
			ones, want := make([]float32, d), inf
			fill(ones, 1)
			if d == 0 {
				want = 0
			}
			s := &SDDMM{Dst: []float32{5}, G: ones, X: ones, D: d, Width: 1, Coef: []float32{inf}}
			s.Range(0, 1)
			sameBits(t, name("d=%d", d), s.Dst, []float32{want})
		}
	})
}

// TestSparseLevels checks that the vector levels have the same bits.
func TestSparseLevels(t *testing.T) {
	for _, d := range sparseWidths {
		var spmm, sddmm []float32
		for _, l := range []simdLevel{levelAVX2, levelAVX512} {
			withLevel(t, l)
			s := sparseVariant(1, 20, d, 127)
			s.Rows(0, 20)
			g := &SDDMM{Dst: make([]float32, 20), G: s.Self, X: s.X, D: d, Ptr: s.Ptr, Col: s.Col, Coef: s.Coef,
				Row: ids(newRand(2), len(s.Col), 20)}
			g.Range(0, 20)
			if spmm == nil {
				spmm, sddmm = s.Dst, g.Dst
			}
			sameBits(t, name("SpMM d=%d", d), s.Dst, spmm)
			sameBits(t, name("SDDMM d=%d", d), g.Dst, sddmm)
		}
	}
}

// benchSparse makes a graph of n nodes with about deg entries per row.
func benchSparse(n, deg, d int) *SpMM {
	r := newRand(1)
	s := &SpMM{Dst: make([]float32, n*d), D: d, X: randn(r, n*d), Ptr: pointers(r, n, 2*deg)}
	s.Col = ids(r, int(s.Ptr[n]), n)
	s.Coef = randn(r, len(s.Col))
	return s
}

func BenchmarkSpMM(b *testing.B) {
	for _, n := range []int{600, 5000} {
		for _, d := range []int{1, 16, 32, 128} {
			for l := levelGeneric; l <= levelAVX512; l++ {
				b.Run(name("%dx%d/%v", n, d, l), func(b *testing.B) {
					withLevel(b, l)
					s := benchSparse(n, 4, d)
					b.SetBytes(int64(4 * (len(s.Col)*(d+2) + n*(d+1))))
					for b.Loop() {
						s.Rows(0, n)
					}
				})
			}
		}
	}
}

func BenchmarkSDDMM(b *testing.B) {
	for _, n := range []int{600, 5000} {
		for _, d := range []int{1, 16, 32, 128} {
			for l := levelGeneric; l <= levelAVX512; l++ {
				b.Run(name("%dx%d/%v", n, d, l), func(b *testing.B) {
					withLevel(b, l)
					r := newRand(2)
					m := benchSparse(n, 4, d)
					s := &SDDMM{Dst: make([]float32, len(m.Col)), G: m.Dst, X: m.X, D: d, Width: 1,
						Row: ids(r, len(m.Col), n), Col: m.Col}
					b.SetBytes(int64(4 * len(m.Col) * (2*d + 3)))
					for b.Loop() {
						s.Range(0, len(s.Dst))
					}
				})
			}
		}
	}
}
