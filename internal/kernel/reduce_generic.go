package kernel

import "math"

func sum(x []float32) float32 {
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
	return float32((s0 + s1) + (s2 + s3))
}

func dot(x, y []float32) float32 {
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

func maxOf(x []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

func expSum(x []float32, m float32) float32 {
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v - m))
	}
	return float32(sum)
}

func expSubSum(dst, x []float32, m float32) float32 {
	var sum float64
	dst = dst[:len(x)]
	for i, v := range x {
		e := exp32(v - m)
		dst[i] = e
		sum += float64(e)
	}
	return float32(sum)
}
