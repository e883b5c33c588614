package optim

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// ClipGradNorm scales all gradients, in place, by
//
//	min(1, maxNorm / (norm + 1e-6))
//
// where norm is the Euclidean norm of all of them together, and returns that norm.
// It is torch.nn.utils.clip_grad_norm_ with squares added in float64 in a fixed
// order. Nil entries are skipped. With maxNorm 0 or less, or a norm that is not
// finite, the gradients stay as they are.
//
// Two gradients may share memory, as those of the terms of a sum do; it is scaled
// once.
func ClipGradNorm(grads []*tensor.Tensor, maxNorm float32) float32 {
	sum := 0.0
	for _, g := range grads {
		if g != nil {
			sum += sumSquares(g.Data())
		}
	}
	norm := math.Sqrt(sum)
	if maxNorm <= 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return float32(norm)
	}
	factor := float32(float64(maxNorm) / (norm + 1e-6))
	if factor >= 1 {
		return float32(norm)
	}
	for i, g := range grads {
		if g == nil || shared(g, grads[:i]) {
			continue
		}
		data := g.Data()
		for k := range data {
			data[k] *= factor
		}
	}
	return float32(norm)
}

// shared reports whether g shares its memory with a tensor in before. Gradients
// share a whole buffer or nothing, so comparing the addresses of the first elements
// is enough.
func shared(g *tensor.Tensor, before []*tensor.Tensor) bool {
	data := g.Data()
	if len(data) == 0 {
		return false
	}
	for _, b := range before {
		if b != nil && len(b.Data()) > 0 && &b.Data()[0] == &data[0] {
			return true
		}
	}
	return false
}

// sumSquares adds in four chains, which the processor can overlap.
func sumSquares(x []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		// The square of a float32 is exact in float64, so fused or not the sums
		// are the same.
		s0 += a * a
		s1 += b * b
		s2 += c * c
		s3 += d * d
		x = x[4:]
	}
	for _, v := range x {
		s0 += float64(v) * float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}
