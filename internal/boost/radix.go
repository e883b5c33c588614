package boost

import (
	"cmp"
	"math"
	"slices"
)

// ordered maps a number to an integer so that integers are ordered as the numbers are.
// Both zeros have one integer. NaN has no place in the order.
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

// sortHigh sorts by the upper 32 bits, with a buffer of the same length or longer. Keys of
// equal upper bits keep their order.
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
			continue // all keys agree in this byte
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
