package kernel

import (
	"math"
	"testing"
)

// FuzzLayerNormSpread: rows of numbers that differ from a large number by a few units in the last
// place, near the portable code. All sums of differences are exact. So the means are equal, unless
// the exact mean lies in the middle of two numbers, and only the rounding of the variance and of
// the result remains. 0 stays 0.
func FuzzLayerNormSpread(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := 1+c.below(8), 1+c.size(300)
		eps := []float32{1e-12, 1e-5, 1}[c.below(3)]
		x := c.floats(rows * d)
		spread := []int{0, 1, 2, 64}[c.below(4)]
		for i := range rows {
			centre := float32(math.Ldexp(1+c.rand.Float64(), c.below(60)-20))
			if c.bool() {
				centre = float32([]int{1, 7, 1000, 12345, 1 << 20}[c.below(5)])
			}
			for j := range d {
				x[i*d+j] = math.Float32frombits(math.Float32bits(centre) + uint32(c.below(spread+1)))
			}
		}
		c.describe("%dx%d, eps %v, spread %d", rows, d, eps, spread)
		want := make([]float32, rows*d)
		layerNorm(want, x, fill32(d, 1), fill32(d, 0), rows, d, eps)
		b := bound{want: make([]float64, rows*d), slack: make([]float64, rows*d)}
		for i := range rows {
			in := x[i*d : (i+1)*d]
			sum, _ := sumOf(in)
			mean, inverse := moments(in, eps)
			next := math.Abs(float64(math.Nextafter32(mean, float32(math.Inf(1))) - mean))
			middle := math.Abs(math.Abs(sum/float64(d)-float64(mean))-next/2) < 1e-4*next
			for j, w := range want[i*d : (i+1)*d] {
				at := i*d + j
				b.want[at] = float64(w)
				b.slack[at] = math.Abs(b.want[at]) * float64(d+8) * eps32
				if middle {
					b.slack[at] += 1.001 * next * float64(inverse)
				}
			}
		}
		c.near(b, func(a *attempt) []float32 {
			dst := a.out(rows * d)
			a.cut(rows, func(lo, hi int) { LayerNorm(dst[lo*d:hi*d], x[lo*d:hi*d], nil, nil, hi-lo, d, eps) })
			return dst
		})
	})
}

func fill32(n int, v float32) []float32 {
	s := make([]float32, n)
	fill(s, v)
	return s
}

// If all numbers of a row are equal, the normalised row is 0. So are the gradient of the weight,
// and the gradient of x for a constant output gradient.
func TestLayerNormConstant(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const rows = 3
		for d := 1; d <= 200; d++ {
			for _, v := range []float32{1000, -7, 0.1, 1e-30, 1e30, 0} {
				x, dst := fill32(rows*d, v), make([]float32, rows*d+d)
				what := name("d=%d of %v", d, v)
				LayerNorm(dst, x, nil, nil, rows, d, 1e-5)
				sameValues(t, what, dst[:rows*d], 0)
				LayerNormParamGrad(dst, x, x, rows, d, 1e-5)
				sameValues(t, what+", gradient by the weight", dst[:d], 0)
				LayerNormGrad(dst, fill32(rows*d, 1000), x, nil, rows, d, 1e-5)
				sameValues(t, what+", gradient by x", dst[:rows*d], 0)
			}
		}
	})
}

func sameValues(t *testing.T, what string, got []float32, want float32) {
	t.Helper()
	for i, v := range got {
		if v != want {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want)
		}
	}
}

// BenchmarkReductions measures the loops that sum rows, at every level.
func BenchmarkReductions(b *testing.B) {
	const rows = 64
	for _, d := range []int{16, 64, 100, 512} {
		r := newRand(3)
		x, g, dst := randn(r, rows*d), randn(r, rows*d), make([]float32, max(rows*d, 2*d))
		weight, bias := randn(r, d), randn(r, d)
		for _, op := range []struct {
			name string
			run  func()
		}{
			{"LayerNorm", func() { LayerNorm(dst, x, weight, bias, rows, d, 1e-5) }},
			{"LayerNormGrad", func() { LayerNormGrad(dst, g, x, weight, rows, d, 1e-5) }},
			{"LayerNormParamGrad", func() { LayerNormParamGrad(dst, g, x, rows, d, 1e-5) }},
			{"RowSum", func() { RowSum(dst, x, rows, d) }},
			{"Dot", func() { dst[0] = Dot(x, g) }},
			{"SoftmaxRows", func() { SoftmaxRows(dst, x, rows, d) }},
			{"LogSoftmaxRows", func() { LogSoftmaxRows(dst, x, rows, d) }},
		} {
			for l := levelGeneric; l <= levelAVX512; l++ {
				b.Run(name("%s/%d/%v", op.name, d, l), func(b *testing.B) {
					withLevel(b, l)
					for b.Loop() {
						op.run()
					}
				})
			}
		}
	}
}
