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
	var items []int32
	for g := range of.Slots() {
		items = items[:0]
		for k := ptr[g]; k < ptr[g+1]; k++ {
			if perm != nil {
				items = append(items, perm[k])
			} else {
				items = append(items, k)
			}
		}
		if keep.MinScore != nil {
			out = appendAbove(out, items, score, *keep.MinScore)
			continue
		}
		k := keep.Of(len(items))
		selectTop(items, k, score)
		slices.SortFunc(items[:k], func(a, b int32) int { return before(a, b, score) })
		out = append(out, items[:k]...)
	}
	return out
}

// appendAbove selects by MinScore. The best is kept by name: in float32 a large
// score minus 1e-7 is the score itself, and all may be NaN.
func appendAbove(out, items []int32, score []float32, minScore float64) []int32 {
	if len(items) == 0 {
		return out
	}
	best := items[0]
	for _, i := range items[1:] {
		if before(i, best, score) < 0 {
			best = i
		}
	}
	limit := min(score[best]-1e-7, float32(minScore))
	for _, i := range items {
		if score[i] > limit || score[i] == score[best] || i == best {
			out = append(out, i)
		}
	}
	return out
}

// before orders items by falling score, ties by rising index: a strict order,
// so the selected set does not depend on the sorting algorithm.
func before(a, b int32, score []float32) int {
	x, y := score[a], score[b]
	switch {
	case x > y, y != y && x == x:
		return -1
	case x < y, x != x && y == y:
		return 1
	}
	return int(a) - int(b)
}

// selectTop moves the k first items in the order of before to the front, in
// linear expected time (Hoare's selection with the median of three).
func selectTop(items []int32, k int, score []float32) {
	lo, hi := 0, len(items)-1
	for lo < hi && k > lo && k <= hi {
		mid := lo + (hi-lo)/2
		if before(items[mid], items[lo], score) < 0 {
			items[mid], items[lo] = items[lo], items[mid]
		}
		if before(items[hi], items[lo], score) < 0 {
			items[hi], items[lo] = items[lo], items[hi]
		}
		if before(items[hi], items[mid], score) < 0 {
			items[hi], items[mid] = items[mid], items[hi]
		}
		pivot := items[mid]
		i, j := lo, hi
		for i <= j {
			for before(items[i], pivot, score) < 0 {
				i++
			}
			for before(pivot, items[j], score) < 0 {
				j--
			}
			if i <= j {
				items[i], items[j] = items[j], items[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return
		}
	}
}
