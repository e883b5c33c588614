package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// CheckpointRows is tensor.CheckpointRows with a pass for each block. The passes have no random
// numbers: dropout uses a Mask, which is drawn before.
func (p *Pass) CheckpointRows(rows []tensor.RowInput, f func(p *Pass, b *tensor.RowBlock) *tensor.Tensor) *tensor.Tensor {
	train := p.Train
	return tensor.CheckpointRows(p.Tape, rows, func(b *tensor.RowBlock) *tensor.Tensor {
		return f(&Pass{Tape: b.Tape, Train: train}, b)
	})
}

// Checkpoint is tensor.Checkpoint with a pass on its tape. The pass has no random numbers.
func (p *Pass) Checkpoint(f func(p *Pass, in []*tensor.Tensor) *tensor.Tensor, in ...*tensor.Tensor) *tensor.Tensor {
	train := p.Train
	return tensor.Checkpoint(p.Tape, in, func(t *tensor.Tape, in []*tensor.Tensor) *tensor.Tensor {
		return f(&Pass{Tape: t, Train: train}, in)
	})
}

// Mask is the mask of a Dropout of rows. Whether it keeps an element depends on a key that is drawn
// once and on the element's position. So each block can compute its part of the mask, also more
// than once. A nil Mask drops nothing.
type Mask struct {
	key   uint64
	limit uint64  // elements whose 16 bits are below are dropped
	scale float32 // factor of the elements that are kept
	width int
}

// NewMask draws the mask of rows of the given width. It is nil if nothing is to be dropped. The
// rate is rounded to a multiple of 2^-16.
func NewMask(p *Pass, width int, rate float64) *Mask {
	if !p.Train || rate <= 0 {
		return nil
	}
	m := &Mask{key: p.Rand.Uint64(), limit: 1 << 16, width: width}
	if rate < 1 {
		m.limit, m.scale = uint64(math.Round(rate*(1<<16))), float32(1/(1-rate))
	}
	return m
}

// Drop is Dropout of x, the rows of a block.
func (m *Mask) Drop(b *tensor.RowBlock, x *tensor.Tensor) *tensor.Tensor {
	if m == nil {
		return x
	}
	return x.Mul(m.of(b, x))
}

// AddDrop is x plus Dropout of y, the rows of a block.
func (m *Mask) AddDrop(b *tensor.RowBlock, x, y *tensor.Tensor) *tensor.Tensor {
	if m == nil {
		return x.Add(y)
	}
	return tensor.AddMul(x, y, m.of(b, y))
}

// of returns the mask of the rows of a block: 0 or scale for each element of x.
func (m *Mask) of(b *tensor.RowBlock, x *tensor.Tensor) *tensor.Tensor {
	out := b.Tape.Like(x)
	to, at := out.Data(), uint64(b.Lo*m.width)
	scale := uint64(math.Float32bits(m.scale))
	// Below the limit the difference is negative, and its sign clears the bits. A branch would be
	// mispredicted often.
	kept := func(r uint64) float32 {
		return math.Float32frombits(uint32(scale & ((r&math.MaxUint16-m.limit)>>63 - 1)))
	}
	for len(to) > 0 {
		r := m.word(at / 4)
		if at%4 == 0 && len(to) >= 4 {
			to[0], to[1], to[2], to[3] = kept(r), kept(r>>16), kept(r>>32), kept(r>>48)
			to, at = to[4:], at+4
			continue
		}
		to[0] = kept(r >> (16 * (at % 4)))
		to, at = to[1:], at+1
	}
	return out
}

// word is the k-th number of SplitMix64 from the key (Steele, Lea and Flood, OOPSLA 2014). It
// decides about four elements.
func (m *Mask) word(k uint64) uint64 {
	z := m.key + (k+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
