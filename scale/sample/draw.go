package sample

import (
	"math/bits"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// order is a permutation of n numbers that needs no memory: a Feistel network over the next even
// number of bits. It is applied repeatedly until the result is below n.
type order struct {
	n    uint64
	half uint // bits in each half
	keys [6]uint64
}

// newOrder returns the order of a round. If a batch has all edges, they keep their order.
func newOrder(n int64, seed uint64, round int) order {
	o := order{n: uint64(n), half: uint(bits.Len64(uint64(n-1))+1) / 2}
	r := rng.Stream(seed, "order", round)
	for i := range o.keys {
		o.keys[i] = r.Uint64()
	}
	return o
}

func (o *order) at(i int64) int64 {
	x := uint64(i)
	mask := uint64(1)<<o.half - 1
	for {
		l, r := x>>o.half, x&mask
		for _, k := range o.keys {
			l, r = r, l^(mix(r^k)&mask)
		}
		if x = l<<o.half | r; x < o.n {
			return int64(x)
		}
	}
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw appends k distinct numbers below n, drawn uniformly, in the order of the draws. If k is n or
// more, it appends all numbers in ascending order. swapped is scratch memory.
func draw(to []int64, n int64, k int, r func() *rand.Rand, swapped map[int64]int64) []int64 {
	if int64(k) >= n {
		for i := range n {
			to = append(to, i)
		}
		return to
	}
	// The first k positions of a shuffle. Only the moved numbers are stored.
	clear(swapped)
	at := func(i int64) int64 {
		if v, ok := swapped[i]; ok {
			return v
		}
		return i
	}
	src := r()
	for i := range int64(k) {
		j := i + src.Int64N(n-i)
		to = append(to, at(j))
		swapped[j] = at(i)
	}
	return to
}
