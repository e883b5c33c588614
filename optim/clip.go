package optim

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// ClipGradNorm scales all gradients, in place, by
//
//	min(1, maxNorm / (norm + 1e-6))
//
// where norm is the Euclidean norm of all gradients together. It returns that norm. It is
// torch.nn.utils.clip_grad_norm_ with squares added in float64 in a fixed order. Nil entries are
// skipped. If maxNorm is 0 or less, or norm is not finite, the gradients do not change.
//
// Two gradients may share memory, such as those of the terms of a sum. This memory is scaled once.
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

// shared reports whether g shares its memory with a tensor in before. Gradients share a whole
// buffer or nothing, so it compares only the addresses of the first elements.
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

// sumSquares adds in four chains, which the processor can run in parallel.
func sumSquares(x []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		// The square of a float32 is exact in float64, so the sums are the same with and without
		// fused multiply-add.
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
