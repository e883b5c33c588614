package pool

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/tensor"
)

// Keep says how many items of each sample a selection keeps. Exactly one field
// is set. A fraction and a count are different things here: a fraction of 1
// keeps everything, where PyTorch Geometric reads any ratio of 1 or more as a
// count.
type Keep struct {
	// Fraction in (0,1] keeps ceil(Fraction·n) of n items, the product taken in
	// float32 as the reference libraries do: 0.15 of 100 is 16, not 15.
	Fraction float64
	// Count keeps at most that many.
	Count int
	// MinScore keeps every item with a score above min(MinScore, best-1e-7), so
	// at least the best of each sample.
	MinScore *float64
}

// Validate reports a Keep that has not exactly one valid field set.
func (k Keep) Validate() error {
	set := 0
	for _, b := range []bool{k.Fraction != 0, k.Count != 0, k.MinScore != nil} {
		if b {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("pool: keep: %d of fraction, count and minimum score are set, expected one", set)
	case k.Fraction < 0 || k.Fraction > 1 || math.IsNaN(k.Fraction):
		return fmt.Errorf("pool: keep: fraction %v, expected above 0 and at most 1", k.Fraction)
	case k.Count < 0:
		return fmt.Errorf("pool: keep: count %d, expected at least 1", k.Count)
	}
	return nil
}

// Of is the number of items kept out of n by a fraction or a count.
func (k Keep) Of(n int) int {
	if k.Count > 0 {
		return min(k.Count, n)
	}
	if k.Fraction == 1 { // exact, also where n is no float32
		return n
	}
	// n·r in float32, then the ceiling: see the type's comment.
	return min(int(math.Ceil(float64(float32(k.Fraction)*float32(n)))), n)
}

// TopK returns the items each sample keeps: by sample, and inside one by
// falling score, ties in favour of the lower index (for MinScore: in rising
// order). Samples without items give none. NaN counts as the lowest score.
func TopK(score []float32, of *tensor.Index, keep Keep) []int32 {
	ptr, perm := of.Segments()
	out := make([]int32, 0, len(score))
	largest := int32(0)
	for g := range of.Slots() {
		largest = max(largest, ptr[g+1]-ptr[g])
	}
	keys := make([]uint64, 0, largest)
	for g := range of.Slots() {
		keys = keys[:0]
		for k := ptr[g]; k < ptr[g+1]; k++ {
			i := k
			if perm != nil {
				i = perm[k]
			}
			keys = append(keys, sortKey(score[i], i))
		}
		if keep.MinScore != nil {
			out = appendAbove(out, keys, score, *keep.MinScore)
			continue
		}
		slices.Sort(keys)
		for _, key := range keys[:keep.Of(len(keys))] {
			out = append(out, int32(uint32(key)))
		}
	}
	return out
}

// sortKey is a number whose rising order is that of falling scores, then of
// rising indices: a strict order, so the selection does not depend on the
// sorting algorithm. Whole numbers sort several times faster than pairs.
func sortKey(score float32, index int32) uint64 {
	bits := math.Float32bits(score)
	switch {
	case score != score:
		bits = 0 // below -Inf
	case score == 0:
		bits = 1 << 31 // both zeros tie
	case bits>>31 == 0:
		bits |= 1 << 31
	default:
		bits = ^bits
	}
	return uint64(^bits)<<32 | uint64(uint32(index))
}

// appendAbove selects by MinScore. The best is kept by name: in float32 a large
// score minus 1e-7 is the score itself, and all may be NaN.
func appendAbove(out []int32, keys []uint64, score []float32, minScore float64) []int32 {
	if len(keys) == 0 {
		return out
	}
	best := int32(uint32(slices.Min(keys)))
	limit := min(score[best]-1e-7, float32(minScore))
	for _, key := range keys {
		i := int32(uint32(key))
		if score[i] > limit || score[i] == score[best] || i == best {
			out = append(out, i)
		}
	}
	return out
}
