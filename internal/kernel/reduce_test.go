package kernel

import (
	"math"
	"testing"
)

func TestSumDot(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range append([]int{10000}, lengths...) {
			r := newRand(uint64(n))
			x, y := randn(r, n), randn(r, n)
			var s, d, sa, da float64
			for i, v := range x {
				s += float64(v)
				sa += math.Abs(float64(v))
				d += float64(v) * float64(y[i])
				da += math.Abs(float64(v) * float64(y[i]))
			}
			close32(t, name("sum n=%d", n), []float32{Sum(x)}, []float64{s}, []float64{sa}, 1e-7)
			close32(t, name("dot n=%d", n), []float32{Dot(x, y)}, []float64{d}, []float64{da}, 1e-7)
		}
	})
}

func TestColSum(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, rows := range []int{0, 1, 2, 127, 128, 129, 700} {
			for _, d := range []int{0, 1, 2, 15, 16, 33, 64, 130} {
				r := newRand(uint64(rows + d))
				x, dst := randn(r, rows*d), randn(r, d)
				want, scale := make([]float64, d), make([]float64, d)
				for j := range d {
					want[j] = float64(dst[j])
					scale[j] = math.Abs(want[j])
					for i := range rows {
						want[j] += float64(x[i*d+j])
						scale[j] += math.Abs(float64(x[i*d+j]))
					}
				}
				ColSum(dst, x, rows, d)
				close32(t, name("%dx%d", rows, d), dst, want, scale, 1e-6)
			}
		}
	})
}

func TestRowSumMax(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range lengths {
			const rows = 5
			r := newRand(uint64(d))
			x := randn(r, rows*d)
			if d > 2 {
				x[2*d+d/2] = float32(math.NaN())
				x[3*d+d-1] = float32(math.Inf(1))
			}
			sums, maxima := make([]float64, rows), make([]float64, rows)
			for i := range rows {
				maxima[i] = math.Inf(-1)
				for _, v := range x[i*d : (i+1)*d] {
					sums[i] += float64(v)
					maxima[i] = max(maxima[i], float64(v))
				}
			}
			dst := make([]float32, rows)
			RowSum(dst, x, rows, d)
			close32(t, name("sum d=%d", d), dst, sums, nil, 1e-6)
			rowMax(dst, x, rows, d)
			close32(t, name("max d=%d", d), dst, maxima, nil, 0)
		}
	})
}

// rowMax sets dst[i] = max_j x[i,j] for x of rows×d. Zeros of both signs count as +0.
func rowMax(dst, x []float32, rows, d int) {
	for i := range rows {
		dst[i] = current.maxOf(x[i*d:(i+1)*d]) + 0
	}
}

// TestMaxOfNaN puts a NaN at every position in turn. The result must be NaN.
func TestMaxOfNaN(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			for i := range n {
				x := randn(newRand(1), n)
				x[i] = float32(math.NaN())
				if m := current.maxOf(x); m == m {
					t.Fatalf("n=%d: a NaN at %d gives %v", n, i, m)
				}
			}
		}
	})
}

func TestSoftmaxRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range lengths {
			const rows = 6
			x := randn(newRand(uint64(d)), rows*d)
			for i := range d {
				x[i] += 1000    // overflows without the shift
				x[d+i] *= 60    // mostly underflows
				x[2*d+i] = -1e4 // all equal
			}
			if d > 3 {
				x[3*d+2] = float32(math.NaN())
				x[4*d+1] = float32(math.Inf(-1))
			}
			soft, logs := make([]float64, rows*d), make([]float64, rows*d)
			for i := range rows {
				m, sum := math.Inf(-1), 0.0
				for _, v := range x[i*d : (i+1)*d] {
					m = max(m, float64(v))
				}
				for _, v := range x[i*d : (i+1)*d] {
					sum += math.Exp(float64(v) - m)
				}
				for j, v := range x[i*d : (i+1)*d] {
					soft[i*d+j] = math.Exp(float64(v)-m) / sum
					logs[i*d+j] = float64(v) - m - math.Log(sum)
				}
			}
			dst := make([]float32, rows*d)
			SoftmaxRows(dst, x, rows, d)
			close32(t, name("softmax d=%d", d), dst, soft, nil, 3e-7)
			LogSoftmaxRows(dst, x, rows, d)
			close32(t, name("log softmax d=%d", d), dst, logs, nil, 3e-7)
			in := clone(x)
			LogSoftmaxRows(in, in, rows, d)
			sameBits(t, "log softmax in place", in, dst)
			SoftmaxRows(dst, x, rows, d)
			SoftmaxRows(x, x, rows, d)
			sameBits(t, "softmax in place", x, dst)
		}
	})
}
