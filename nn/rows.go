package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// ByRows is tensor.ByRows with a pass for each block, without random numbers: what is dropped
// is drawn before (Mask).
func (p *Pass) ByRows(rows []tensor.Rows, f func(p *Pass, b *tensor.Block) *tensor.Tensor) *tensor.Tensor {
	train := p.Train
	return tensor.ByRows(p.Tape, rows, func(b *tensor.Block) *tensor.Tensor {
		return f(&Pass{Tape: b.Tape, Train: train}, b)
	})
}

// Recompute is tensor.Recompute with a pass on its tape, without random numbers.
func (p *Pass) Recompute(f func(p *Pass, in []*tensor.Tensor) *tensor.Tensor, in ...*tensor.Tensor) *tensor.Tensor {
	train := p.Train
	return tensor.Recompute(p.Tape, in, func(t *tensor.Tape, in []*tensor.Tensor) *tensor.Tensor {
		return f(&Pass{Tape: t, Train: train}, in)
	})
}

// Mask is the mask of a Dropout of rows, drawn as Dropout draws it, in one bit an element. nil
// drops nothing.
type Mask struct {
	kept  []int32 // bits, row by row
	scale float32 // of what is kept
	width int
}

// NewMask draws the mask of rows of a width, nil where nothing is to be dropped.
func NewMask(p *Pass, rows, width int, rate float64) *Mask {
	if !p.Train || rate <= 0 {
		return nil
	}
	n := rows * width
	m := &Mask{kept: p.Tape.Ints((n + 31) / 32), width: width}
	if rate >= 1 {
		clear(m.kept)
		return m
	}
	m.scale = float32(1 / (1 - rate))
	limit := uint64(rate * (1 << 32))
	for k := range m.kept {
		bits := uint64(0)
		for i := 0; i < min(32, n-32*k); i += 2 {
			r := p.Rand.Uint64()
			// Below the limit the difference is negative; its sign tells.
			bits |= (r&math.MaxUint32-limit)>>63<<i | (r>>32-limit)>>63<<(i+1)
		}
		m.kept[k] = int32(^uint32(bits))
	}
	return m
}

// Drop is Dropout of x, the rows of a block.
func (m *Mask) Drop(b *tensor.Block, x *tensor.Tensor) *tensor.Tensor {
	if m == nil {
		return x
	}
	return x.Mul(m.of(b, x))
}

// AddDrop is x plus Dropout of y, the rows of a block.
func (m *Mask) AddDrop(b *tensor.Block, x, y *tensor.Tensor) *tensor.Tensor {
	if m == nil {
		return x.Add(y)
	}
	return tensor.AddMul(x, y, m.of(b, y))
}

// of is the mask of the rows of a block, 0 or the scale for each element of x.
func (m *Mask) of(b *tensor.Block, x *tensor.Tensor) *tensor.Tensor {
	out := b.Tape.Like(x)
	to, at := out.Data(), b.Lo*m.width
	scale := math.Float32bits(m.scale)
	for len(to) > 0 {
		bits := uint32(m.kept[at/32]) >> (at % 32)
		n := min(len(to), 32-at%32)
		for i := range to[:n] {
			to[i] = math.Float32frombits(scale & -(bits & 1))
			bits >>= 1
		}
		to, at = to[n:], at+n
	}
	return out
}
