package tabular

import (
	"math"
	"math/bits"

	"github.com/ehgnn/ehgnn/internal/par"
)

const (
	lanes     = 4       // mask elements made from one hash of 64 bits
	maskGrain = 1 << 13 // elements from which a second thread is used
)

// masks fills dropout masks. An element depends only on the key and its index, so that threads can
// fill parts of a mask.
type masks struct {
	pool *par.Pool
	rate float64
}

// fill sets each element to 0 with probability rate, rounded to 1/65536, and otherwise to
// 1/(1-rate).
func (m *masks) fill(dst []float32, key uint64) {
	limit := uint64(math.Round(m.rate * (1 << 16)))
	keep := math.Float32bits(float32(1 / (1 - float64(limit)/(1<<16))))
	m.pool.Tiles(len(dst), lanes, maskGrain, func(lo, hi int) {
		fillMask(dst[lo:hi], key+uint64(lo/lanes)*golden, uint32(limit), keep)
	})
}

// golden is the step of SplitMix64 (Steele, Lea and Flood 2014).
const golden = 0x9e3779b97f4a7c15

func fillMask(dst []float32, state uint64, limit, keep uint32) {
	// Below the limit the difference is negative, and its sign clears the bits. A branch on random
	// bits would often be mispredicted.
	at := func(r uint64) float32 {
		return math.Float32frombits(keep &^ uint32(int32(uint32(r)&0xffff-limit)>>31))
	}
	for ; len(dst) >= lanes; dst = dst[lanes:] {
		r := mix(state)
		state += golden
		dst[0], dst[1], dst[2], dst[3] = at(r), at(r>>16), at(r>>32), at(r>>48)
	}
	r := mix(state)
	for i := range dst {
		dst[i] = at(bits.RotateLeft64(r, -16*i))
	}
}

// mix is the output function of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
