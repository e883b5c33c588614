package boost

import (
	"cmp"
	"math"
	"slices"
)

// ordered maps a number to an integer with the same order. Both zeros have the same integer. NaN is
// not allowed.
func ordered(x float32) uint32 {
	b := math.Float32bits(x + 0)
	if b>>31 != 0 {
		return ^b
	}
	return b | 1<<31
}

// unordered is the inverse of ordered.
func unordered(k uint32) float32 {
	if k>>31 != 0 {
		return math.Float32frombits(k &^ (1 << 31))
	}
	return math.Float32frombits(^k)
}

// sortHigh sorts keys by their upper 32 bits, and is stable. buffer is at least as long as keys.
func sortHigh(keys, buffer []uint64) {
	if len(keys) < 1024 {
		slices.SortStableFunc(keys, func(a, b uint64) int { return cmp.Compare(a>>32, b>>32) })
		return
	}
	buffer = buffer[:len(keys)]
	from, to := keys, buffer
	for shift := 32; shift < 64; shift += 8 {
		var start [257]int
		for _, k := range from {
			start[int(uint8(k>>shift))+1]++
		}
		if slices.Contains(start[:], len(from)) {
			continue // all keys have the same byte here
		}
		for i := 1; i < len(start); i++ {
			start[i] += start[i-1]
		}
		for _, k := range from {
			b := uint8(k >> shift)
			to[start[b]] = k
			start[b]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
