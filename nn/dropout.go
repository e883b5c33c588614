package nn

import "github.com/ehgnn/ehgnn/tensor"

// Dropout sets each element to zero with probability rate and divides the rest
// by 1-rate, in training; otherwise it returns x (Srivastava et al. 2014).
func Dropout(p *Pass, x *tensor.Tensor, rate float64) *tensor.Tensor {
	if !p.Train || rate <= 0 {
		return x
	}
	mask := tensor.New(x.Shape()...)
	DropoutMask(p, mask.Data(), rate)
	return x.Mul(mask)
}

// DropoutMask fills mask with 0 at the given rate and 1/(1-rate) elsewhere.
func DropoutMask(p *Pass, mask []float32, rate float64) {
	if rate >= 1 {
		clear(mask)
		return
	}
	keep := float32(1 / (1 - rate))
	// One draw of 64 bits serves two elements: 32 bits resolve any rate.
	limit := uint64(rate * (1 << 32))
	for i := 0; i < len(mask); i += 2 {
		r := p.Rand.Uint64()
		for k := i; k < min(i+2, len(mask)); k++ {
			mask[k] = 0
			if r&(1<<32-1) >= limit {
				mask[k] = keep
			}
			r >>= 32
		}
	}
}
