package sweep

import (
	"cmp"

	"github.com/ehgnn/ehgnn/internal/lists"
	"math"
	"slices"
)

const (
	// leastForImportance is the smallest number of trials for the importance of settings.
	leastForImportance = 12
	// bins is the number of groups into which the values of a range are divided, with equal numbers of trials.
	bins = 4
)

// Importance is the effect of one setting, from 0 to 1: the share of the variance of trial ranks
// between groups of its values, corrected for chance (epsilon squared, Kelley 1935). Trials are
// ranked by their best scores up to Epoch, which all of them reached.
type Importance struct {
	Setting string  `json:"setting"`
	Share   float64 `json:"share"`
}

// Importances lists the settings, most important first, and the epoch; none if there are too few
// trials.
func (s *Study) Importances() (out []Importance, epoch int) {
	var of []*Trial
	epoch = math.MaxInt
	for _, t := range s.Trials {
		if t.State == Failed || math.IsNaN(s.best(t, len(t.Scores))) {
			continue
		}
		of = append(of, t)
		if t.State != Complete { // a trial that stopped early keeps its best score
			epoch = min(epoch, len(t.Scores))
		}
	}
	if len(of) < leastForImportance {
		return nil, 0
	}
	scores := make([]float64, len(of))
	last := 0
	for i, t := range of {
		scores[i] = s.best(t, epoch)
		last = max(last, len(t.Scores))
	}
	ranks := rank(scores)
	for i, d := range s.Config.Space {
		at := lists.Map(of, func(t *Trial) float64 { return t.at[i] })
		out = append(out, Importance{d.Option, explained(ranks, groups(d, at))})
	}
	slices.SortStableFunc(out, func(a, b Importance) int { return cmp.Compare(b.Share, a.Share) })
	return out, min(epoch, last)
}

// rank returns the rank of each value; equal values share their mean rank.
func rank(of []float64) []float64 {
	out := make([]float64, len(of))
	for i, v := range of {
		for _, w := range of {
			switch {
			case w < v:
				out[i]++
			case w == v:
				out[i] += 0.5
			}
		}
	}
	return out
}

// groups returns the group of each trial by a dimension: its choice, or the quarter of its value.
func groups(d Dimension, at []float64) []int {
	out := make([]int, len(at))
	for i, r := range rank(at) {
		if d.Choices != nil {
			out[i] = int(at[i])
		} else {
			out[i] = min(int(r*bins/float64(len(at))), bins-1)
		}
	}
	return out
}

// explained is the share of the variance of values between groups.
func explained(values []float64, group []int) float64 {
	n, mean := float64(len(values)), 0.0
	sum, count := map[int]float64{}, map[int]float64{}
	for i, v := range values {
		mean += v / n
		sum[group[i]] += v
		count[group[i]]++
	}
	total, within := 0.0, 0.0
	for i, v := range values {
		total += (v - mean) * (v - mean)
		d := v - sum[group[i]]/count[group[i]]
		within += d * d
	}
	k := float64(len(count))
	if total == 0 || n <= k {
		return 0
	}
	return max(0, 1-within/(n-k)/(total/(n-1)))
}
