package kernel

import "math"

// SoftmaxRows sets each row of dst to the softmax of the row of x; both are
// rows×d. The row maximum is subtracted first. dst may be x.
func SoftmaxRows(dst, x []float32, rows, d int) {
	for i := range rows {
		in, out := x[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		m := maxOf(in)
		var sum float64
		for j, v := range in {
			e := exp32(v - m)
			out[j] = e
			sum += float64(e)
		}
		scale := float32(1 / sum)
		for j := range out {
			out[j] *= scale
		}
	}
}

// LogSoftmaxRows sets each row of dst to the logarithm of the softmax of the
// row of x; both are rows×d. dst may be x.
func LogSoftmaxRows(dst, x []float32, rows, d int) {
	for i := range rows {
		in, out := x[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		m := maxOf(in)
		var sum float64
		for _, v := range in {
			sum += float64(exp32(v - m))
		}
		// Two subtractions: m + ln(sum) would lose ln(sum) for a large m.
		ln := float32(math.Log(sum))
		for j, v := range in {
			out[j] = v - m - ln
		}
	}
}
