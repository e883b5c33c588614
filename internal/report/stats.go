package report

import "math"

// MeanStd returns the mean of values and their sample standard deviation, with divisor n-1. The
// deviation of one value is 0. Without values the mean is NaN and the deviation 0.
func MeanStd(values []float64) (mean, std float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n // 0/0 is the documented NaN
	if len(values) < 2 {
		return mean, 0
	}
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1))
}
