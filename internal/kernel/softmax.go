package kernel

import "math"

// SoftmaxRows sets each row of dst to the softmax of the row of x; both are
// rows×d. The row maximum is subtracted first. dst may be x.
func SoftmaxRows(dst, x []float32, rows, d int) {
	for i := range rows {
		in, out := x[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		sum := current.expSubSum(out, in, current.maxOf(in))
		current.scalar[Div](out, out, sum)
	}
}

// LogSoftmaxRows sets each row of dst to the logarithm of the softmax of the
// row of x; both are rows×d. dst may be x.
func LogSoftmaxRows(dst, x []float32, rows, d int) {
	for i := range rows {
		in, out := x[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		m := current.maxOf(in)
		ln := float32(math.Log(float64(current.expSum(in, m))))
		// Two subtractions: m + ln(sum) would lose ln(sum) for a large m.
		current.scalar[Add](out, in, -m)
		current.scalar[Add](out, out, -ln)
	}
}
