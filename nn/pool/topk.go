package pool

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Keep is the number of items of each sample that a selection keeps. Exactly one field is set. A
// fraction and a count are different: a fraction of 1 keeps everything, while PyTorch Geometric
// reads any ratio of 1 or more as a count.
type Keep struct {
	// Fraction in (0,1] keeps ceil(Fraction·n) of n items. The product is computed in float32 as
	// the reference libraries do: 0.15 of 100 is 16, not 15.
	Fraction float64
	// Count keeps at most this many items.
	Count int
	// MinScore keeps every item with a score above min(MinScore, best-1e-7), so at least the best
	// item of each sample.
	MinScore *float64
}

// Validate returns an error if not exactly one field is set or its value is not valid.
func (k Keep) Validate() error {
	set := lists.Count([]bool{k.Fraction != 0, k.Count != 0, k.MinScore != nil}, func(b bool) bool { return b })
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

// Of is how many of n items a fraction or a count keeps.
func (k Keep) Of(n int) int {
	if k.Count > 0 {
		return min(k.Count, n)
	}
	if k.Fraction == 1 { // exact, also if n is not a float32
		return n
	}
	// n·r in float32, then the ceiling: see Keep.Fraction.
	return min(int(math.Ceil(float64(float32(k.Fraction)*float32(n)))), n)
}

// TopK returns the items that each sample keeps, sample by sample and within a sample by descending
// score. Ties go to the lower index. For MinScore the items are in ascending order. Samples without
// items give none. NaN counts as the lowest score.
func TopK(score []float32, of *tensor.Index, keep Keep) []int32 {
	ptr, perm := of.Segments()
	largest := int32(0)
	for g := range of.Slots() {
		largest = max(largest, ptr[g+1]-ptr[g])
	}
	out := make([]int32, 0, len(score))
	own, ranks := make([]float32, largest), make([]int32, largest)
	for g := range of.Slots() {
		n := int(ptr[g+1] - ptr[g])
		item := func(k int) int32 {
			if perm == nil {
				return ptr[g] + int32(k)
			}
			return perm[int(ptr[g])+k]
		}
		for k := range n {
			own[k] = score[item(k)]
		}
		kernel.Ranks(ranks, own[:n])
		if keep.MinScore != nil && n > 0 {
			best := own[slices.Index(ranks[:n], 0)]
			for k := range n {
				if aboveLimit(own[k], ranks[k], best, *keep.MinScore) {
					out = append(out, item(k))
				}
			}
			continue
		}
		kept := keep.Of(n)
		base := len(out)
		out = out[:base+kept]
		for k, rank := range ranks[:n] {
			if int(rank) < kept {
				out[base+int(rank)] = item(k)
			}
		}
	}
	return out
}

// aboveLimit decides by MinScore, given the best score of the sample. The best item is kept by its
// rank: in float32 a large score minus 1e-7 is the score itself, and all scores may be NaN.
func aboveLimit(score float32, rank int32, best float32, minScore float64) bool {
	return rank == 0 || score == best || score > min(best-1e-7, float32(minScore))
}
