package rank

import (
	"math"
	"slices"
)

// List has the scores of one recommendation list.
type List struct {
	Recall, Precision, NDCG, MRR, MAP, Hit float64
}

// ListOf scores the first k entries of a list against the held-out entries. A list may be shorter
// than k.
func ListOf[T comparable](top, held []T, k int) List {
	top = top[:min(k, len(top))]
	var l List
	hits, gain := 0, 0.0
	for i, t := range top {
		if !slices.Contains(held, t) {
			continue
		}
		hits++
		gain += 1 / math.Log2(float64(i+2))
		l.MAP += float64(hits) / float64(i+1)
		if l.MRR == 0 {
			l.MRR, l.Hit = 1/float64(i+1), 1
		}
	}
	ideal, most := 0.0, min(k, len(held))
	for i := range most {
		ideal += 1 / math.Log2(float64(i+2))
	}
	if most > 0 {
		l.Recall = float64(hits) / float64(len(held))
		l.NDCG, l.MAP = gain/ideal, l.MAP/float64(most)
	}
	l.Precision = float64(hits) / float64(k)
	return l
}

// Gini returns the Gini coefficient of counts: 0 if all counts are equal.
func Gini(counts []float64) float64 {
	sorted := slices.Sorted(slices.Values(counts))
	n, sum, weighted := float64(len(sorted)), 0.0, 0.0
	for i, c := range sorted {
		sum += c
		weighted += float64(i+1) * c
	}
	if sum == 0 {
		return 0
	}
	return 2*weighted/(n*sum) - (n+1)/n
}
