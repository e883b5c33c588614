package kernel

import (
	"math"
	"slices"
)

// Ranks sets dst[i] to the place of x[i] in falling order, from 0; equal numbers
// keep their order, -0 equals +0, and a NaN counts as the lowest number. It is
// what top-k selection needs: the best k are those of a rank below k. dst must not
// overlap x.
func Ranks(dst []int32, x []float32) {
	dst = dst[:len(x)]
	if !ranksSIMD(dst, x) {
		ranksGeneric(dst, x)
	}
}

// ranksGeneric sorts numbers that hold value and position: their order is strict,
// so it does not depend on the sorting algorithm, and whole numbers sort several
// times faster than pairs.
func ranksGeneric(dst []int32, x []float32) {
	keys := make([]uint64, len(x))
	for i, v := range x {
		keys[i] = uint64(^risingBits(v))<<32 | uint64(i)
	}
	slices.Sort(keys)
	for rank, key := range keys {
		dst[uint32(key)] = int32(rank)
	}
}

// risingBits is a number that rises with v.
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
