package kernel

import "math"

// Sum returns the sum of x, accumulated in float64 in a fixed order.
func Sum(x []float32) float32 { return float32(sum64(x)) }

func sum64(x []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += float64(x[0])
		s1 += float64(x[1])
		s2 += float64(x[2])
		s3 += float64(x[3])
		x = x[4:]
	}
	for _, v := range x {
		s0 += float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}

// Dot returns Σ x[i]·y[i], accumulated in float64 in a fixed order.
func Dot(x, y []float32) float32 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0]) * float64(y[0])
		s1 += float64(x[1]) * float64(y[1])
		s2 += float64(x[2]) * float64(y[2])
		s3 += float64(x[3]) * float64(y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(v) * float64(y[i])
	}
	return float32((s0 + s1) + (s2 + s3))
}

// colSumBlock is the number of rows that ColSum adds up before it adds the
// result to dst; it bounds the rounding error for many rows.
const colSumBlock = 128

// ColSum adds the column sums of x, which is rows×d, to dst: dst[j] += Σ_i
// x[i,j]. Rows are added in blocks of fixed size.
func ColSum(dst, x []float32, rows, d int) {
	if rows == 0 || d == 0 {
		return
	}
	if d == 1 {
		dst[0] += Sum(x[:rows])
		return
	}
	var sums [64]float32
	for j := 0; j < d; j += len(sums) {
		acc := sums[:min(len(sums), d-j)]
		for i0 := 0; i0 < rows; i0 += colSumBlock {
			clear(acc)
			for i := i0; i < min(i0+colSumBlock, rows); i++ {
				addVV(acc, acc, x[i*d+j:])
			}
			out := dst[j : j+len(acc)]
			addVV(out, out, acc)
		}
	}
}

// RowSum sets dst[i] = Σ_j x[i,j] for x of rows×d, accumulated in float64.
func RowSum(dst, x []float32, rows, d int) {
	for i := range rows {
		dst[i] = float32(sum64(x[i*d : (i+1)*d]))
	}
}

// RowMax sets dst[i] = max_j x[i,j] for x of rows×d; -Inf for d = 0, NaN if the
// row holds one.
func RowMax(dst, x []float32, rows, d int) {
	for i := range rows {
		dst[i] = maxOf(x[i*d : (i+1)*d])
	}
}

// maxOf is the largest element, NaN if there is one, -Inf if there is none.
func maxOf(x []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range x {
		m = max(m, v)
	}
	return m
}
