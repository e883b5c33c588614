package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Ranks returns the rank of the true class of each labelled sample among all classes, from 1: one
// more than the number of classes with a higher score. A class with the same score counts half, so
// that a constant score ranks like a guess. score has a row of classes numbers per sample, row by
// row. A sample with a label below 0 has no rank.
//
// known, if not nil, lists for each sample classes that are also true. They are removed before the
// class of the label is ranked: the filtered setting of Bordes et al., Translating Embeddings for
// Modeling Multi-relational Data, NeurIPS 2013. The class of the label is never removed.
func Ranks(score []float32, label []int32, classes int, known [][]int32) ([]float64, error) {
	if classes < 1 || len(score) != classes*len(label) || known != nil && len(known) != len(label) {
		return nil, fmt.Errorf("metric: ranks: %d scores of %d classes and %d lists of known classes, expected one score for each class and at most one list for each of %d labels",
			len(score), classes, len(known), len(label))
	}
	out := []float64{}
	for i, y := range label {
		if y < 0 {
			continue
		}
		if int(y) >= classes {
			return nil, fmt.Errorf("metric: ranks: sample %d: class %d, expected one from 0 to %d", i, y, classes-1)
		}
		row := score[i*classes:][:classes]
		rank := 1.0
		for k, v := range row {
			if math.IsNaN(float64(v)) {
				return nil, fmt.Errorf("metric: ranks: sample %d: %w", i, ErrNaN)
			}
			switch {
			case k == int(y) || known != nil && slices.Contains(known[i], int32(k)):
			case v > row[y]:
				rank++
			case v == row[y]:
				rank += 0.5
			}
		}
		out = append(out, rank)
	}
	return out, nil
}

// HitsAt is Hit@k: the share of ranks (see Ranks) that are at most k.
func HitsAt(rank []float64, k int) (float64, error) {
	return meanRank("Hit@k", rank, func(r float64) float64 {
		if r <= float64(k) {
			return 1
		}
		return 0
	})
}

// MRR is the mean reciprocal rank: the mean of 1/rank.
func MRR(rank []float64) (float64, error) {
	return meanRank("MRR", rank, func(r float64) float64 { return 1 / r })
}

func meanRank(name string, rank []float64, f func(float64) float64) (float64, error) {
	if len(rank) == 0 {
		return 0, undefined(name, "no sample has a label")
	}
	return lists.SumOf(rank, f) / float64(len(rank)), nil
}
