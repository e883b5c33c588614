package kernel

import "math"

// LayerNorm normalises each row of x, which is rows×d, to mean 0 and variance 1,
// and scales and shifts it (Ba, Kiros and Hinton, 2016):
//
//	dst[i,j] = (x[i,j]-mean_i)/√(var_i+eps)·weight[j] + bias[j]
//
// with the biased variance, which is taken of the differences from the mean. weight
// nil means ones, bias nil zeros.
func LayerNorm(dst, x, weight, bias []float32, rows, d int, eps float32) {
	if rows == 0 || d == 0 {
		return
	}
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	current.layerNorm(dst[:rows*d], x[:rows*d], buf.ones(weight, d), buf.zeros(bias, d), rows, d, eps)
}

// LayerNormGrad sets dst to the gradient of LayerNorm by x, given that of its
// result, g. weight nil means ones.
func LayerNormGrad(dst, g, x, weight []float32, rows, d int, eps float32) {
	if rows == 0 || d == 0 {
		return
	}
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	current.layerNormGrad(dst[:rows*d], g[:rows*d], x[:rows*d], buf.ones(weight, d), rows, d, eps)
}

// LayerNormParamGrad sets the first d elements of dst to the gradient of LayerNorm
// by weight and the next d to that by bias, given that of its result, g: Σ_i
// g[i]·n[i], where n are the normalised rows, and Σ_i g[i]. Rows are added one by
// one.
func LayerNormParamGrad(dst, g, x []float32, rows, d int, eps float32) {
	dst = dst[:2*d]
	clear(dst)
	if rows == 0 || d == 0 {
		return
	}
	current.layerNormParamGrad(dst[:d], dst[d:], g[:rows*d], x[:rows*d], rows, d, eps)
}

// ones is the first d elements of s, or ones for nil.
func (b *packBuf) ones(s []float32, d int) []float32 {
	if s == nil {
		b.a = grow(b.a, d)
		fill(b.a, 1)
		return b.a
	}
	return s[:d]
}

// zeros is the first d elements of s, or zeros for nil.
func (b *packBuf) zeros(s []float32, d int) []float32 {
	if s == nil {
		b.b = grow(b.b, d)
		clear(b.b)
		return b.b
	}
	return s[:d]
}

// moments are the mean of a row and 1/√(variance+eps), from sums in float64.
func moments(row []float32, eps float32) (mean, inverse float32) {
	n := float64(len(row))
	total := 0.0
	for _, v := range row {
		total += float64(v)
	}
	mean = float32(total / n)
	square := 0.0
	for _, v := range row {
		c := float64(v - mean)
		square += c * c
	}
	return mean, float32(1 / math.Sqrt(square/n+float64(eps)))
}

func layerNorm(dst, x, weight, bias []float32, rows, d int, eps float32) {
	for i := range rows {
		in, out := x[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		mean, inverse := moments(in, eps)
		for j, v := range in {
			out[j] = (v-mean)*inverse*weight[j] + bias[j]
		}
	}
}

func layerNormGrad(dst, g, x, weight []float32, rows, d int, eps float32) {
	for i := range rows {
		up, in, out := g[i*d:(i+1)*d], x[i*d:(i+1)*d], dst[i*d:(i+1)*d]
		mean, inverse := moments(in, eps)
		var sum, along float64
		for j, v := range in {
			gw := up[j] * weight[j]
			sum += float64(gw)
			along += float64(gw) * float64((v-mean)*inverse)
		}
		m, a := float32(sum/float64(d)), float32(along/float64(d))
		for j, v := range in {
			out[j] = (up[j]*weight[j] - m - (v-mean)*inverse*a) * inverse
		}
	}
}

func layerNormParamGrad(weight, bias, g, x []float32, rows, d int, eps float32) {
	for i := range rows {
		up, in := g[i*d:(i+1)*d], x[i*d:(i+1)*d]
		mean, inverse := moments(in, eps)
		for j, v := range up {
			weight[j] += v * ((in[j] - mean) * inverse)
			bias[j] += v
		}
	}
}
