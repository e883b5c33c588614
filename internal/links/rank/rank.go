// Package rank computes scores of rankings for link prediction: ranks among negatives, hits,
// recommendation lists, and bootstrap intervals over nodes. It reads plain numbers.
//
// A rank is 1 plus the number of negatives with a higher score plus half the number of negatives
// with an equal score. So constant scores give the middle rank. A NaN score is an error.
package rank

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// ErrNaN is the error for a score that is NaN.
var ErrNaN = errors.New("a score is NaN")

// Of returns the rank of a positive among negatives.
func Of(positive float64, negatives []float64) (float64, error) {
	if math.IsNaN(positive) {
		return 0, ErrNaN
	}
	above, equal := 0, 0
	for _, n := range negatives {
		switch {
		case n > positive:
			above++
		case n == positive:
			equal++
		case math.IsNaN(n):
			return 0, ErrNaN
		}
	}
	return 1 + float64(above) + float64(equal)/2, nil
}

// Cuts returns the values of K for Hits@K.
func Cuts() []int { return []int{1, 3, 10, 20, 50, 100} }

// Reciprocal returns the mean of 1/rank, or 0 if there are no ranks.
func Reciprocal(ranks []float64) float64 {
	return lists.SumOf(ranks, func(r float64) float64 { return 1 / r }) / max(1, float64(len(ranks)))
}

// Hits returns for each rank 1 if it is at most k, otherwise 0.
func Hits(ranks []float64, k int) []float64 {
	out := make([]float64, len(ranks))
	for i, r := range ranks {
		if r <= float64(k) {
			out[i] = 1
		}
	}
	return out
}

// SharedHits returns for each positive 1 if it is strictly above the k-th largest negative,
// otherwise 0. It returns nil if there are fewer than k negatives.
func SharedHits(positives, negatives []float64, k int) []float64 {
	if len(negatives) < k {
		return nil
	}
	sorted := slices.Sorted(slices.Values(negatives))
	out := make([]float64, len(positives))
	for i, p := range positives {
		if p > sorted[len(sorted)-k] {
			out[i] = 1
		}
	}
	return out
}

// ROCAUC returns the probability that a positive is above a negative. Ties count half.
func ROCAUC(positives, negatives []float64) float64 {
	sorted := slices.Sorted(slices.Values(negatives))
	sum := 0.0
	for _, p := range positives {
		below, _ := slices.BinarySearch(sorted, p)
		upTo := sort.Search(len(sorted), func(i int) bool { return sorted[i] > p })
		sum += float64(below) + float64(upTo-below)/2
	}
	return sum / (float64(len(positives)) * float64(len(negatives)))
}

// AveragePrecision returns the mean precision at the positives. Equal scores share one threshold.
func AveragePrecision(positives, negatives []float64) float64 {
	type scored struct {
		score    float64
		positive bool
	}
	all := make([]scored, 0, len(positives)+len(negatives))
	for _, p := range positives {
		all = append(all, scored{p, true})
	}
	for _, n := range negatives {
		all = append(all, scored{n, false})
	}
	slices.SortFunc(all, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	hits, sum := 0, 0.0
	for i := 0; i < len(all); {
		j, found := i, 0
		for ; j < len(all) && all[j].score == all[i].score; j++ {
			if all[j].positive {
				found++
			}
		}
		hits += found
		sum += float64(found) * float64(hits) / float64(j)
		i = j
	}
	return sum / float64(len(positives))
}

// HasNaN reports whether a value is NaN.
func HasNaN(values []float64) bool { return slices.ContainsFunc(values, math.IsNaN) }
