package kernel

import (
	"math"
	"testing"
)

// TestAdam runs steps against torch.optim's formulas in float64.
func TestAdam(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, decoupled := range []bool{false, true} {
			for _, n := range lengths {
				r := newRand(uint64(n))
				w, g := randn(r, n), randn(r, n)
				m, v := make([]float32, n), make([]float32, n)
				w64, m64, v64 := make([]float64, n), make([]float64, n), make([]float64, n)
				for i := range w {
					w64[i] = float64(w[i])
				}
				const lr, b1, b2, eps, wd = 1e-2, 0.9, 0.999, 1e-8, 0.1
				for step := 1; step <= 5; step++ {
					c1, c2 := 1-math.Pow(b1, float64(step)), 1-math.Pow(b2, float64(step))
					for i := range w64 {
						d := float64(g[i])
						if decoupled {
							w64[i] *= 1 - lr*wd
						} else {
							d += wd * w64[i]
						}
						m64[i] = b1*m64[i] + (1-b1)*d
						v64[i] = b2*v64[i] + (1-b2)*d*d
						w64[i] -= lr / c1 * m64[i] / (math.Sqrt(v64[i])/math.Sqrt(c2) + eps)
					}
					Adam(w, g, m, v, AdamStep{LR: lr, Beta1: b1, Beta2: b2, Eps: eps, WeightDecay: wd,
						Bias1: float32(c1), Bias2: float32(c2), Decoupled: decoupled})
				}
				what := name("n=%d decoupled=%v", n, decoupled)
				close32(t, what+" w", w, w64, nil, 1e-6)
				close32(t, what+" m", m, m64, nil, 1e-6)
				// 1-Beta2 of a float32 Beta2 is off by 1.3e-5.
				close32(t, what+" v", v, v64, nil, 2e-5)
			}
		}
	})
}

// TestAdamLevels checks that all levels give the same bits, portable code too.
func TestAdamLevels(t *testing.T) {
	var want []float32
	for l := levelGeneric; l <= levelAVX512; l++ {
		if !setLevel(l) {
			continue
		}
		r := newRand(1)
		w, g, m, v := randn(r, 77), randn(r, 77), randn(r, 77), make([]float32, 77)
		Adam(w, g, m, v, AdamStep{LR: 1e-3, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, WeightDecay: 0.01, Bias1: 0.1, Bias2: 0.01})
		got := append(append(w, m...), v...)
		if want == nil {
			want = got
		}
		sameBits(t, l.String(), got, want)
	}
	setLevel(detected)
}

// Weights that only shrink become 0 and are never denormal. NaN stays NaN.
func TestAdamTiny(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		nan := float32(math.NaN())
		s := AdamStep{LR: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Bias1: 1, Bias2: 1}
		for _, n := range lengths {
			for _, c := range []struct{ w, m, v, wantW, wantM, wantV float32 }{
				{9e-31, 1e-30, 1e-36, 0, 0, 0},
				{-9e-31, -1e-38, 1e-40, 0, 0, 0},
				{1e-20, 0, 2e-36, 1e-20, 0, 2e-36 * 0.999},
				{-1, 2e-30, 0, -1, 1.8e-30, 0},
				{nan, nan, nan, nan, nan, nan},
			} {
				w, m, v := filled(n, c.w), filled(n, c.m), filled(n, c.v)
				Adam(w, make([]float32, n), m, v, s)
				for i := range w {
					if !same(w[i], c.wantW) || !same(m[i], c.wantM) || !same(v[i], c.wantV) {
						t.Fatalf("%d numbers %+v: became %v, %v, %v", n, c, w[i], m[i], v[i])
					}
				}
			}
		}
	})
}

func filled(n int, v float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// same allows rounding errors. All NaN are equal.
func same(a, b float32) bool {
	return a == b || a != a && b != b || math.Abs(float64(a)-float64(b)) < 1e-6*math.Abs(float64(b))
}
