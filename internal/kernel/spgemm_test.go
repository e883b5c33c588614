package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomRows returns a matrix of n rows and cols columns. The bits of v select its form.
func randomRows(r *rand.Rand, n, cols, v int) SparseRows {
	s := SparseRows{Width: 3}
	nnz := n * s.Width
	if v&1 != 0 {
		s.Ptr = pointers(r, n, 9)
		nnz = int(s.Ptr[n])
	}
	s.Col = ids(r, nnz, cols)
	if v&2 != 0 {
		s.Val = randn(r, nnz)
	}
	return s
}

// dense sums the entries, or counts them if ones is set.
func (s SparseRows) dense(n, cols int, abs bool) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, cols)
		k0, k1 := entries(s.Ptr, s.Width, i)
		for k := k0; k < k1; k++ {
			v := float64(s.value(k))
			if abs {
				v = math.Abs(v)
			}
			m[i][s.column(k)] += v
		}
	}
	return m
}

// Every entry of C, repeated entries included, equals the element of A·B at its position, for any
// division of the rows.
func TestSpGEMM(t *testing.T) {
	const n, inner, cols = 17, 12, 14
	for _, v := range variants(64) {
		r := newRand(uint64(v))
		s := &SpGEMM{A: randomRows(r, n, inner, v&3), B: randomRows(r, inner, cols, v>>2&3), C: randomRows(r, n, cols, v>>4), Cols: cols}
		if v%5 == 0 { // identity columns
			s.B = SparseRows{Width: 1, Val: randn(r, inner)}
			s.C.Col = ids(r, len(s.C.Col), inner)
		}
		s.Dst = randn(r, len(s.C.Col))
		s.Rows(0, n)
		a, b := s.A.dense(n, inner, false), s.B.dense(inner, cols, false)
		abs, absB := s.A.dense(n, inner, true), s.B.dense(inner, cols, true)
		var want, scale []float64
		for i := range n {
			k0, k1 := entries(s.C.Ptr, s.C.Width, i)
			for k := k0; k < k1; k++ {
				sum, size := 0.0, 1e-6
				for l := range inner {
					sum += a[i][l] * b[l][s.C.Col[k]]
					size += abs[i][l] * absB[l][s.C.Col[k]]
				}
				want, scale = append(want, sum), append(scale, size)
			}
		}
		close32(t, name("variant %d", v), s.Dst, want, scale, 1e-6)
		whole := clone(s.Dst)
		clear(s.Dst)
		splits(r, n, s.Rows)
		sameBits(t, name("variant %d in parts", v), s.Dst, whole)
	}
}

func BenchmarkSpGEMM(b *testing.B) {
	for _, degree := range []int{4, 64} {
		b.Run(name("degree %d", degree), func(b *testing.B) {
			const n = 1000
			r := newRand(1)
			rows := func() SparseRows {
				return SparseRows{Width: degree, Col: ids(r, n*degree, n), Val: randn(r, n*degree)}
			}
			s := &SpGEMM{A: rows(), B: rows(), C: rows(), Cols: n, Dst: make([]float32, n*degree)}
			b.SetBytes(int64(8 * n * degree * degree))
			for b.Loop() {
				s.Rows(0, n)
			}
		})
	}
}
