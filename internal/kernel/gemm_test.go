package kernel

import (
	"math"
	"testing"
)

// gemmOracle computes C in float64, and the scale of its rounding error: the sum of the absolute
// values of all terms.
func gemmOracle(g *Gemm) (want, scale []float64) {
	want, scale = make([]float64, g.M*g.N), make([]float64, g.M*g.N)
	for i := range g.M {
		for j := range g.N {
			var s, abs float64
			add := func(v float64) { s += v; abs += math.Abs(v) }
			if g.Acc {
				add(float64(g.C[i*g.N+j]))
			}
			for k := range g.K {
				a, b := i*g.K+k, k*g.N+j
				if g.TransA {
					a = k*g.M + i
				}
				if g.TransB {
					b = j*g.K + k
				}
				add(float64(g.A[a]) * float64(g.B[b]))
			}
			if g.Bias != nil {
				add(float64(g.Bias[j]))
			}
			if g.ReLU && !(s >= 0) && !math.IsNaN(s) {
				s = 0
			}
			want[i*g.N+j], scale[i*g.N+j] = s, abs
		}
	}
	return want, scale
}

// gemmVariant fills a problem. The bits of v select transposes and the epilogue.
func gemmVariant(seed uint64, m, n, k, v int) *Gemm {
	r := newRand(seed)
	g := &Gemm{C: randn(r, m*n), A: randn(r, m*k), B: randn(r, k*n), M: m, N: n, K: k,
		TransA: v&1 != 0, TransB: v&2 != 0, Acc: v&4 != 0, ReLU: v&8 != 0}
	if v&16 != 0 {
		g.Bias = randn(r, n)
	}
	return g
}

func TestGemm(t *testing.T) {
	sizes := [][3]int{ // M, N, K
		{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {1, 1, 1}, {1, 1, 300}, {5, 1, 33}, {29, 1, 257},
		{1, 64, 40}, {2, 5, 7}, {13, 8, 3}, {14, 16, 16}, {15, 17, 31}, {30, 31, 2},
		{28, 32, 64}, {31, 33, 5}, {33, 47, 100}, {9, 48, 12}, {45, 65, 256}, {17, 128, 257},
		{470, 20, 9}, {16, 16, 600}, {7, 130, 513}, {6, 1040, 3},
		// Several blocks along K and N. Their sizes are not multiples of a strip, a vector or the
		// unrolled loop. Operands are packed and direct.
		{9, 33, gemmKC}, {9, 33, gemmKC + 1}, {30, 40, 2*gemmKC + 19}, {200, 600, 20},
		{530, 50, 18}, {529, 49, 401}, {195, 200, 33}, {165, 96, 21}, {15, 545, 24},
	}
	eachLevel(t, func(t *testing.T) {
		for _, s := range sizes {
			for _, v := range variants(32) {
				if testing.Short() && s[0]*s[1]*s[2] > 1e6 && v%5 > 0 {
					continue
				}
				g := gemmVariant(uint64(v), s[0], s[1], s[2], v)
				want, scale := gemmOracle(g)
				start := clone(g.C)
				g.Rows(0, g.M)
				what := name("%dx%dx%d variant %05b", s[0], s[1], s[2], v)
				// A chain of gemmKC products, and a chain of block sums.
				close32(t, what, g.C, want, scale, 1e-7*math.Sqrt(float64(min(s[2], gemmKC)))+3e-7)

				whole := clone(g.C)
				copy(g.C, start)
				splits(newRand(uint64(v)), g.M, g.Rows)
				sameBits(t, what+", in parts", g.C, whole)
			}
		}
	})
}

// TestGemmTiles runs every height and width of register tile, with A in both layouts and every
// remainder of the unrolled loop.
func TestGemmTiles(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for m := 1; m <= 29; m++ {
			for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65} {
				for k := 1; k <= 9; k++ {
					g := gemmVariant(uint64(m*k), m, n, k, m*k+n)
					want, scale := gemmOracle(g)
					g.Rows(0, g.M)
					close32(t, name("%dx%dx%d variant %05b", m, n, k, (m*k+n)&31), g.C, want, scale, 1e-6)
				}
			}
		}
	})
}

// TestGemmThreads checks that one range for each thread, with the ranges of a pool, gives the bits
// of one range.
func TestGemmThreads(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][3]int{{128, 128, 1000}, {32, 32, 801}, {1000, 128, 128}, {514, 64, 390}, {33, 520, 400}, {200, 16, 64}, {4105, 50, 3}} {
			for v := range 4 {
				var want []float32
				for threads := 1; threads <= 3; threads++ {
					g := gemmVariant(9, s[0], s[1], s[2], v)
					blocks := (g.M + GemmTile - 1) / GemmTile
					for i := range threads {
						g.Rows(blocks*i/threads*GemmTile, min(g.M, blocks*(i+1)/threads*GemmTile))
					}
					if threads == 1 {
						want = g.C
					}
					sameBits(t, name("%dx%dx%d variant %d, %d threads", s[0], s[1], s[2], v, threads), g.C, want)
				}
			}
		}
	})
}

// TestGemmRows checks that a range does not change other rows.
func TestGemmRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		g := gemmVariant(1, 40, 19, 23, 0)
		before := clone(g.C)
		g.Rows(11, 12)
		sameBits(t, "rows before", g.C[:11*g.N], before[:11*g.N])
		sameBits(t, "rows after", g.C[12*g.N:], before[12*g.N:])
	})
}

// TestGemmNaN checks that NaN and infinity reach exactly the elements that depend on them, also
// through ReLU.
func TestGemmNaN(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for v := range 4 {
			g := gemmVariant(3, 17, 21, 9, v|8)
			a, b := 4*g.K+2, 5*g.N+20
			if g.TransA {
				a = 2*g.M + 4
			}
			if g.TransB {
				b = 20*g.K + 5
			}
			g.A[a] = float32(math.NaN())
			g.B[b] = float32(math.Inf(1))
			want, scale := gemmOracle(g)
			g.Rows(0, g.M)
			close32(t, name("variant %d", v), g.C, want, scale, 1e-6)
		}
	})
}

// TestGemmLevels checks that the vector levels have the same bits: they run the same chain of fused
// operations.
func TestGemmLevels(t *testing.T) {
	for v := range 32 {
		g := gemmVariant(5, 37, 43, 2*gemmKC+44, v)
		start := clone(g.C)
		var want []float32
		for _, l := range []simdLevel{levelAVX2, levelAVX512} {
			withLevel(t, l)
			copy(g.C, start)
			g.Rows(0, g.M)
			if want == nil {
				want = clone(g.C)
			}
			sameBits(t, name("variant %05b at %v", v, l), g.C, want)
		}
	}
}

func TestGemmAllocs(t *testing.T) {
	if raceDetector {
		t.Skip("pools of scratch memory leak on purpose under the race detector")
	}
	eachLevel(t, func(t *testing.T) {
		for _, g := range []*Gemm{gemmVariant(1, 30, 70, 20, 2), gemmVariant(1, 90, 300, 20, 1), gemmVariant(1, 520, 50, 20, 1),
			gemmVariant(1, 30, 1, 20, 4), gemmVariant(1, 30, 1, 20, 1)} {
			if n := testing.AllocsPerRun(50, func() { g.Rows(0, g.M) }); n > 0 {
				t.Errorf("%dx%dx%d: %v allocations per call", g.M, g.N, g.K, n)
			}
		}
	})
}

func BenchmarkGemm(b *testing.B) {
	for _, c := range []struct {
		m, k, n int
		v       int
	}{
		{5000, 128, 128, 0}, {5000, 128, 128, 2}, {128, 5000, 128, 1}, {600, 128, 128, 0}, {600, 128, 128, 2},
		{128, 600, 128, 1}, {5000, 32, 32, 0}, {5000, 32, 32, 2}, {32, 5000, 32, 1}, {5000, 64, 64, 0},
		{64, 5000, 64, 1}, {5000, 7, 64, 0}, {7, 5000, 64, 1}, {5000, 64, 7, 2}, {5000, 492, 128, 0}, {492, 5000, 128, 1},
		{5000, 128, 1, 0}, {128, 5000, 1, 1}, {5000, 1, 128, 2}, {5000, 128, 16, 0}, {128, 5000, 16, 1}, {5000, 16, 128, 2},
		{5000, 64, 8, 0}, {64, 5000, 8, 1},
		{600, 7, 32, 0}, {7, 600, 32, 1}, {10000, 128, 32, 0}, {128, 10000, 32, 1}, {2048, 2048, 2048, 0},
		{2048, 2048, 2048, 1}, {2048, 2048, 2048, 2}, {1024, 1024, 1024, 0}, {20000, 32, 32, 0},
		{20000, 64, 16, 0}, {5000, 384, 128, 0},
	} {
		for l := levelGeneric; l <= levelAVX512; l++ {
			trans := []string{"NN", "TN", "NT"}[c.v]
			b.Run(name("%s/%dx%dx%d/%v", trans, c.m, c.k, c.n, l), func(b *testing.B) {
				if l == levelGeneric && c.m*c.n*c.k > 1<<30 {
					b.Skip("minutes in pure Go")
				}
				withLevel(b, l)
				g := gemmVariant(1, c.m, c.n, c.k, c.v)
				for b.Loop() {
					g.Rows(0, g.M)
				}
				flop := 2 * float64(c.m) * float64(c.n) * float64(c.k) * float64(b.N)
				b.ReportMetric(flop/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}
