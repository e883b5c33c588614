package sample

import (
	"math/bits"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// order is a permutation of n numbers that takes no memory: a Feistel network over the next even
// number of bits, walked until it gives a number below n.
type order struct {
	n    uint64
	half uint // bits of each half
	keys [6]uint64
}

// newOrder is the order of a round. One batch of all keeps them as they are.
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

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw appends k different numbers below n, drawn uniformly, in the order in which they were
// drawn; all of them in their order where k is n or more. swapped is scratch.
func draw(to []int64, n int64, k int, r func() *rand.Rand, swapped map[int64]int64) []int64 {
	if int64(k) >= n {
		for i := range n {
			to = append(to, i)
		}
		return to
	}
	// The first k places of a shuffle, of which only what has moved is kept.
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
