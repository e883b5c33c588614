package rank

import (
	"math/rand/v2"
	"slices"
)

// Resamples is the number of bootstrap resamples for an interval.
const Resamples = 1000

// Interval is a mean with the 2.5th and 97.5th percentiles of its bootstrap distribution.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bootstrap has resamples of nodes, which are the same for every score. The weight of value i in a
// resample is the product of the numbers of draws of the nodes Ends[i].
type Bootstrap struct {
	at    [][2]int32 // the positions of the ends of each value; the second is -1 if only one end counts
	count [Resamples][]uint8
}

// NewBootstrap resamples the nodes of values: the first end of each value, or both ends if both is
// set.
func NewBootstrap(ends [][2]int32, both bool, r *rand.Rand) *Bootstrap {
	place := map[int32]int32{}
	find := func(v int32) int32 {
		if _, ok := place[v]; !ok {
			place[v] = int32(len(place))
		}
		return place[v]
	}
	b := &Bootstrap{}
	for _, e := range ends {
		at := [2]int32{find(e[0]), -1}
		if both {
			at[1] = find(e[1])
		}
		b.at = append(b.at, at)
	}
	for k := range b.count {
		c := make([]uint8, len(place))
		for range c {
			if i := r.IntN(len(c)); c[i] < 255 {
				c[i]++
			}
		}
		b.count[k] = c
	}
	return b
}

// Mean returns the mean of the values with its interval.
func (b *Bootstrap) Mean(values []float64) Interval {
	out := Interval{}
	for _, v := range values {
		out.Mean += v
	}
	out.Mean /= max(1, float64(len(values)))
	means := make([]float64, 0, Resamples)
	for _, c := range b.count {
		sum, total := 0.0, 0.0
		for i, v := range values {
			at := b.at[i]
			w := float64(c[at[0]])
			if at[1] >= 0 {
				w *= float64(c[at[1]])
			}
			sum += w * v
			total += w
		}
		if total > 0 {
			means = append(means, sum/total)
		}
	}
	if len(means) == 0 {
		out.Low, out.High = out.Mean, out.Mean
		return out
	}
	slices.Sort(means)
	out.Low, out.High = means[len(means)*25/1000], means[min(len(means)-1, len(means)*975/1000)]
	return out
}

// Ahead is the verdict for a model that is better than the baseline.
const Ahead = "ahead of"

// Verdict compares the values of a model and of a baseline on the same resamples. The result is
// ahead of, level with or behind, and the interval of the difference.
func (b *Bootstrap) Verdict(model, baseline []float64) (string, Interval) {
	diff := make([]float64, len(model))
	for i := range diff {
		diff[i] = model[i] - baseline[i]
	}
	d := b.Mean(diff)
	switch {
	case d.Low > 0:
		return Ahead, d
	case d.High < 0:
		return "behind", d
	}
	return "level with", d
}
