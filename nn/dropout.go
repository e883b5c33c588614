package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// Dropout, in training, sets each element to zero with probability rate and divides the others by
// 1-rate. Otherwise it returns x (Srivastava et al. 2014).
func Dropout(p *Pass, x *tensor.Tensor, rate float64) *tensor.Tensor {
	if !p.Train || rate <= 0 {
		return x
	}
	if n := x.SparseEntries(); n >= 0 {
		mask := p.Tape.New(n)
		fillMask(p, mask.Data(), rate)
		return x.Reweigh(mask)
	}
	return x.Mul(dropoutMask(p, x, rate))
}

// AddDropout is x plus Dropout of y, both of one shape: the last operation of a residual layer.
func AddDropout(p *Pass, x, y *tensor.Tensor, rate float64) *tensor.Tensor {
	if !p.Train || rate <= 0 {
		return x.Add(y)
	}
	return tensor.AddMul(x, y, dropoutMask(p, y, rate))
}

// dropoutMask draws a mask for x.
func dropoutMask(p *Pass, x *tensor.Tensor, rate float64) *tensor.Tensor {
	mask := p.Tape.Like(x)
	fillMask(p, mask.Data(), rate)
	return mask
}

// fillMask fills mask with 0 at the given rate and with 1/(1-rate) elsewhere.
func fillMask(p *Pass, mask []float32, rate float64) {
	if rate >= 1 {
		clear(mask)
		return
	}
	keep := uint64(math.Float32bits(float32(1 / (1 - rate))))
	// One draw of 64 bits serves two elements, because 32 bits are precise enough for any rate. A
	// branch on random bits would be mispredicted half of the time. Here the difference is negative
	// below the limit, and its sign clears the bits.
	limit := uint64(rate * (1 << 32))
	at := func(r uint64) float32 { return math.Float32frombits(uint32(keep & ((r&(1<<32-1)-limit)>>63 - 1))) }
	for ; len(mask) >= 2; mask = mask[2:] {
		r := p.Rand.Uint64()
		mask[0], mask[1] = at(r), at(r>>32)
	}
	if len(mask) == 1 {
		mask[0] = at(p.Rand.Uint64())
	}
}
