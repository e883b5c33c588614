package kernel

import (
	"math"
	"testing"
)

// eps32 is the largest relative error of one rounding to float32.
const eps32 = 0x1p-24

// sumBound bounds the error of a sum of n terms for kernels that add in float64 and round once. It
// is given the float64 sum and the sum of absolute values.
func sumBound(sum, abs float64, n int) (want, slack float64) {
	if math.IsInf(abs, 0) || math.IsNaN(abs) {
		return sum, 0
	}
	return sum, ulp(sum)/2 + float64(n)*0x1p-51*abs
}

func sumOf(x []float32) (sum, abs float64) {
	for _, v := range x {
		sum += float64(v)
		abs += math.Abs(float64(v))
	}
	return sum, abs
}

// FuzzSum: near, with one rounding of the result.
func FuzzSum(f *testing.F) {
	fuzz(f, func(c *check) {
		n := c.size(1000)
		x := c.input(n)
		c.describe("n=%d", n)
		sum, abs := sumOf(x)
		want, slack := sumBound(sum, abs, n)
		c.near(bound{want: []float64{want}, slack: []float64{slack}}, func(*attempt) []float32 { return []float32{Sum(x)} })
	})
}

// FuzzDot: near, with one rounding of the result. Products are exact in float64.
func FuzzDot(f *testing.F) {
	fuzz(f, func(c *check) {
		n := c.size(1000)
		x, y := c.input(n), c.input(n)
		c.describe("n=%d", n)
		var sum, abs float64
		for i, v := range x {
			p := float64(v) * float64(y[i])
			sum += p
			abs += math.Abs(p)
		}
		want, slack := sumBound(sum, abs, n)
		c.near(bound{want: []float64{want}, slack: []float64{slack}}, func(*attempt) []float32 { return []float32{Dot(x, y)} })
	})
}

// FuzzRowSum: near, like Sum.
func FuzzRowSum(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(20), c.size(300)
		x := c.input(rows * d)
		c.describe("%dx%d", rows, d)
		b := bound{want: make([]float64, rows), slack: make([]float64, rows)}
		for i := range rows {
			sum, abs := sumOf(x[i*d : (i+1)*d])
			b.want[i], b.slack[i] = sumBound(sum, abs, d)
		}
		c.near(b, func(a *attempt) []float32 {
			dst := a.out(rows)
			a.cut(rows, func(lo, hi int) { RowSum(dst[lo:hi], x[lo*d:hi*d], hi-lo, d) })
			return dst
		})
	})
}

// FuzzRowMax: exact, with positive zeros.
func FuzzRowMax(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(20), c.size(300)
		x := c.input(rows * d)
		if c.byte()%4 == 0 { // zeros only
			for i, v := range x {
				x[i] = float32(math.Copysign(0, float64(v)))
			}
		}
		c.describe("%dx%d", rows, d)
		want := make([]float32, rows)
		for i := range want {
			want[i] = float32(math.Inf(-1))
			for _, v := range x[i*d : (i+1)*d] {
				want[i] = max(want[i], v)
			}
			if want[i] == 0 {
				want[i] = 0 // not -0
			}
		}
		c.exact(want, func(a *attempt) []float32 {
			dst := a.out(rows)
			a.cut(rows, func(lo, hi int) { rowMax(dst[lo:hi], x[lo*d:hi*d], hi-lo, d) })
			return dst
		})
	})
}

// FuzzColSum: exact, but near for one column, which Sum adds.
func FuzzColSum(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(300), c.size(100)
		x, start := c.input(rows*d), c.input(d)
		c.describe("%dx%d", rows, d)
		run := func(a *attempt) []float32 {
			dst := a.inout(start)
			ColSum(dst, x, rows, d)
			return dst
		}
		if d == 1 {
			sum, abs := sumOf(x)
			want, slack := sumBound(sum, abs, rows)
			total := float64(start[0]) + want
			slack += eps32 * (math.Abs(float64(start[0])) + 2*math.Abs(want))
			if abs+math.Abs(float64(start[0])) >= math.MaxFloat32 && !math.IsInf(abs, 0) {
				slack = anything
			} else if math.IsInf(total, 0) || math.IsNaN(total) {
				slack = 0
			}
			c.near(bound{want: []float64{total}, slack: []float64{slack}}, run)
			return
		}
		want := append([]float32{}, start...)
		for i := 0; i < rows && d > 0; i += colSumBlock {
			for j := range d {
				var sum float32
				for k := i; k < min(i+colSumBlock, rows); k++ {
					sum += x[k*d+j]
				}
				want[j] += sum
			}
		}
		c.exact(want, run)
	})
}

// softmaxBound returns the softmax of the given elements of x, with extra added to the denominator,
// and the allowed difference between levels. All levels subtract the maximum in float32.
// Exponentials may have an error of 1.01 units in the last place, and terms are added in float32 or
// float64.
func softmaxBound(b *bound, x []float32, places []int, extra float64) {
	if len(places) == 0 {
		return
	}
	shifted, sum := shift(x, places)
	total := sum + extra
	for k, at := range places {
		b.want[at] = math.Exp(float64(shifted[k])) / total
		b.slack[at] = float64(len(places)+8)*eps32*b.want[at] + 0x1p-148
	}
}

// shift returns the numbers minus their maximum, and the sum of their exponentials.
func shift(x []float32, places []int) (shifted []float32, sum float64) {
	m := float32(math.Inf(-1))
	for _, at := range places {
		m = max(m, x[at])
	}
	for _, at := range places {
		v := x[at] - m
		shifted = append(shifted, v)
		sum += math.Exp(float64(v))
	}
	return shifted, sum
}

// row lists the indices of row i of d columns.
func row(i, d int) []int {
	var at []int
	for j := range d {
		at = append(at, i*d+j)
	}
	return at
}

// FuzzSoftmaxRows: near, see softmaxBound.
func FuzzSoftmaxRows(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(20), c.size(200)
		x := c.input(rows * d)
		c.describe("%dx%d", rows, d)
		b := bound{want: make([]float64, rows*d), slack: make([]float64, rows*d), zeros: true}
		for i := range rows {
			softmaxBound(&b, x, row(i, d), 0)
		}
		c.near(b, func(a *attempt) []float32 {
			dst, x, _ := a.over(x, nil)
			a.cut(rows, func(lo, hi int) { SoftmaxRows(dst[lo*d:hi*d], x[lo*d:hi*d], hi-lo, d) })
			return dst
		})
	})
}

// FuzzLogSoftmaxRows: near. The error of the sum becomes an error of its logarithm, and two
// subtractions are rounded.
func FuzzLogSoftmaxRows(f *testing.F) {
	fuzz(f, func(c *check) {
		rows, d := c.size(20), c.size(200)
		x := c.input(rows * d)
		c.describe("%dx%d", rows, d)
		b := bound{want: make([]float64, rows*d), slack: make([]float64, rows*d)}
		for i := range rows {
			places := row(i, d)
			shifted, sum := shift(x, places)
			ln := math.Log(sum)
			for k, at := range places {
				b.want[at] = float64(shifted[k]) - ln
				b.slack[at] = float64(d+8)*eps32 + ulp(ln) + ulp(b.want[at])
				if math.IsNaN(b.want[at]) || math.IsInf(b.want[at], 0) {
					b.slack[at] = 0
				}
			}
		}
		c.near(b, func(a *attempt) []float32 {
			dst, x, _ := a.over(x, nil)
			a.cut(rows, func(lo, hi int) { LogSoftmaxRows(dst[lo*d:hi*d], x[lo*d:hi*d], hi-lo, d) })
			return dst
		})
	})
}
