package kernel

import (
	"math"
	"slices"
)

// Ranks sets dst[i] to the rank of x[i] in descending order, from 0; equal numbers
// keep their order, -0 equals +0, and a NaN counts as the lowest number. Top-k
// selection takes the elements of rank below k. dst must not overlap x.
func Ranks(dst []int32, x []float32) {
	dst = dst[:len(x)]
	if !ranksSIMD(dst, x) {
		ranksGeneric(dst, x)
	}
}

// minRadix is the length from which radix sort is faster than sorting by
// comparisons, and than comparing all pairs in vector code.
const minRadix = 96

// ranksGeneric sorts integers that hold value and position: no two are equal, so
// the order does not depend on the sorting algorithm, and integers sort several
// times faster than pairs.
func ranksGeneric(dst []int32, x []float32) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	if cap(buf.keys) < 2*len(x) {
		buf.keys = make([]uint64, 2*len(x))
	}
	keys := buf.keys[:len(x)]
	for i, v := range x {
		keys[i] = uint64(^risingBits(v))<<32 | uint64(i)
	}
	if len(x) < minRadix {
		slices.Sort(keys)
	} else {
		keys = sortByValue(keys, buf.keys[len(x):2*len(x)])
	}
	for rank, key := range keys {
		dst[uint32(key)] = int32(rank)
	}
}

// sortByValue sorts keys by their upper halves with a stable radix sort. Since the
// keys come in the order of their lower halves, that sorts whole keys. A byte that
// is the same in all keys, such as the upper bytes of scores close together, costs
// no pass. It returns the sorted keys, in one of the two slices.
func sortByValue(keys, spare []uint64) []uint64 {
	var counts [4][256]uint32
	for _, k := range keys {
		counts[0][uint8(k>>32)]++
		counts[1][uint8(k>>40)]++
		counts[2][uint8(k>>48)]++
		counts[3][uint8(k>>56)]++
	}
	for i := range counts {
		count, shift := &counts[i], 32+8*i
		if count[uint8(keys[0]>>shift)] == uint32(len(keys)) {
			continue
		}
		at := uint32(0)
		for b, n := range count {
			count[b] = at
			at += n
		}
		for _, k := range keys {
			to := &count[uint8(k>>shift)]
			spare[*to] = k
			*to++
		}
		keys, spare = spare, keys
	}
	return keys
}

// risingBits maps numbers to integers in the same order.
func risingBits(v float32) uint32 {
	bits := math.Float32bits(v)
	switch {
	case v != v:
		return 0 // below -Inf
	case v == 0:
		return 1 << 31 // both zeros tie
	case bits>>31 == 0:
		return bits | 1<<31
	}
	return ^bits
}
