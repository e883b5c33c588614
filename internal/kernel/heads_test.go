package kernel

import (
	"math"
	"testing"
)

// headsVariant fills a problem of n rows. The bits of v select its optional parts.
func headsVariant(seed uint64, n, heads, d, v int) *SpMMHeads {
	r := newRand(seed)
	s := &SpMMHeads{Dst: randn(r, n*heads*d), Heads: heads, D: d, Width: 3}
	nnz := n * s.Width
	if v&1 != 0 {
		s.Ptr = pointers(r, n, 9)
		nnz = int(s.Ptr[n])
	}
	rows, weights := nnz, nnz
	if v&2 != 0 {
		rows = 11
		s.Col = ids(r, nnz, rows)
	}
	if v&4 != 0 {
		s.Coef = randn(r, nnz)
	}
	if v&8 != 0 {
		weights = 5
		s.Weight = ids(r, nnz, weights)
	}
	s.X, s.W = randn(r, rows*heads*d), randn(r, weights*heads)
	return s
}

func (s *SpMMHeads) oracle(n int) (want, scale []float64) {
	want, scale = make([]float64, n*s.Heads*s.D), make([]float64, n*s.Heads*s.D)
	for i := range n {
		k0, k1 := entries(s.Ptr, s.Width, i)
		for k := k0; k < k1; k++ {
			col, weight, c := k, k, 1.0
			if s.Col != nil {
				col = int(s.Col[k])
			}
			if s.Weight != nil {
				weight = int(s.Weight[k])
			}
			if s.Coef != nil {
				c = float64(s.Coef[k])
			}
			for h := range s.Heads {
				for j := range s.D {
					p := c * float64(s.W[weight*s.Heads+h]) * float64(s.X[(col*s.Heads+h)*s.D+j])
					at := (i*s.Heads+h)*s.D + j
					want[at] += p
					scale[at] += math.Abs(p)
				}
			}
		}
	}
	return want, scale
}

// headsShapes are numbers of heads and columns per head.
var headsShapes = [][2]int{{1, 5}, {2, 1}, {2, 16}, {3, 7}, {4, 32}, {8, 8}, {5, 130}, {2, 0}}

func TestSpMMHeads(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, s := range headsShapes {
			for _, v := range variants(16) {
				// The larger size needs several blocks.
				for _, n := range []int{13, 150} {
					s := headsVariant(uint64(v), n, s[0], s[1], v)
					want, scale := s.oracle(n)
					s.Rows(0, n)
					what := name("%d heads of %d, variant %04b, %d rows", s.Heads, s.D, v, n)
					close32(t, what, s.Dst, want, scale, 1e-6)
					whole := clone(s.Dst)
					clear(s.Dst)
					splits(newRand(uint64(v)), n, s.Rows)
					sameBits(t, what+", in parts", s.Dst, whole)
				}
			}
		}
	})
}

// One row has more entries than a block, and the other rows have none.
func TestSpMMHeadsHub(t *testing.T) {
	const n, heads, d, entries = 6, 4, 3, 5000
	r := newRand(3)
	s := &SpMMHeads{Dst: randn(r, n*heads*d), Heads: heads, D: d, Ptr: []int32{0, 0, 0, entries, entries, entries + 1, entries + 1},
		Col: ids(r, entries+1, 7), X: randn(r, 7*heads*d), W: randn(r, (entries+1)*heads)}
	want, scale := s.oracle(n)
	s.Rows(0, n)
	close32(t, "hub", s.Dst, want, scale, 1e-5)
	(&SpMMHeads{Heads: 2, D: 4, Ptr: []int32{0}}).Rows(0, 0)
}

func TestSDDMMHeads(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, shape := range headsShapes {
			for _, v := range variants(16) {
				heads, d, n := shape[0], shape[1], 9+140*(v&1)
				r := newRand(uint64(v))
				s := &SDDMMHeads{Dst: randn(r, n*heads), Heads: heads, D: d, Width: 2}
				nnz := n * s.Width
				if v&1 != 0 {
					s.Ptr = pointers(r, n, 6)
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
				s.G, s.X = randn(r, rows*heads*d), randn(r, cols*heads*d)
				want, scale := make([]float64, n*heads), make([]float64, n*heads)
				for e := range n {
					k0, k1 := entries(s.Ptr, s.Width, e)
					for k := k0; k < k1; k++ {
						row, col, c := k, k, 1.0
						if s.Row != nil {
							row = int(s.Row[k])
						}
						if s.Col != nil {
							col = int(s.Col[k])
						}
						if s.Coef != nil {
							c = float64(s.Coef[k])
						}
						for at := range heads * d {
							p := c * float64(s.G[row*heads*d+at]) * float64(s.X[col*heads*d+at])
							want[e*heads+at/d] += p
							scale[e*heads+at/d] += math.Abs(p)
						}
					}
				}
				s.Range(0, n)
				what := name("%d heads of %d, variant %04b", heads, d, v)
				close32(t, what, s.Dst, want, scale, 2e-6)
				whole := clone(s.Dst)
				clear(s.Dst)
				splits(r, n, s.Range)
				sameBits(t, what+", in parts", s.Dst, whole)
			}
		}
	})
}

func TestHeadsAllocs(t *testing.T) {
	if raceDetector {
		t.Skip("pools of scratch memory leak on purpose under the race detector")
	}
	s := headsVariant(1, 300, 4, 8, 15)
	s.Rows(0, 300)
	if n := testing.AllocsPerRun(20, func() { s.Rows(0, 300) }); n >= 1 {
		t.Errorf("%v allocations per call", n)
	}
}

// BenchmarkSpMMHeads compares with SpMM of the same width, which is a lower bound for its time.
func BenchmarkSpMMHeads(b *testing.B) {
	for _, shape := range [][2]int{{1, 128}, {4, 32}, {8, 16}} {
		heads, d := shape[0], shape[1]
		const n = 5000
		m := benchSparse(n, 4, heads*d)
		s := &SpMMHeads{Dst: m.Dst, X: m.X, Heads: heads, D: d, Ptr: m.Ptr, Col: m.Col, W: randn(newRand(2), len(m.Col)*heads)}
		b.Run(name("%dx%d", heads, d), func(b *testing.B) {
			for b.Loop() {
				s.Rows(0, n)
			}
		})
		b.Run(name("%dx%d/one head", heads, d), func(b *testing.B) {
			for b.Loop() {
				m.Rows(0, n)
			}
		})
	}
}
