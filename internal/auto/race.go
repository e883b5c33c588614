package auto

import (
	"math"
	"slices"
)

// losses are the losses of each validation edge by the predictions of a learner.
type losses []float64

// mean is the mean loss and its standard error.
func (l losses) mean() (mean, err float64) {
	for _, v := range l {
		mean += v / float64(len(l))
	}
	for _, v := range l {
		err += (v - mean) * (v - mean)
	}
	n := float64(len(l))
	return mean, math.Sqrt(err / max(n-1, 1) / max(n, 1))
}

// ahead is how much lower the losses of l are than those of other in the mean, and the standard error of that paired
// difference.
func (l losses) ahead(other losses) (gain, err float64) {
	d := make(losses, len(l))
	for i := range d {
		d[i] = other[i] - l[i]
	}
	return d.mean()
}

// beats reports whether l is lower than other by leaveErrors standard errors of the paired difference.
func (l losses) beats(other losses) bool {
	gain, err := l.ahead(other)
	return gain > leaveErrors*err
}

// Constants of the race, in standard errors of a paired difference.
const (
	groupErrors = 1   // within which learners of a kind are averaged
	leaveErrors = 2   // by which a kind of learner is worse that is left out of the mean
	tieErrors   = 0.5 // by which the linear model must be ahead of the mean to take its place
)

// members are the learners whose predictions are averaged: all that the best one does not beat.
func members(loss []losses) []int {
	if len(loss) == 0 {
		return nil
	}
	first := 0
	least := math.Inf(1)
	for i, l := range loss {
		if mean, _ := l.mean(); mean < least {
			first, least = i, mean
		}
	}
	var out []int
	for i, l := range loss {
		if i == first || !loss[first].beats(l) {
			out = append(out, i)
		}
	}
	return out
}

// lossesOf are the losses of predictions, out numbers for each edge: negative logarithms of probabilities, or
// distances of standardised numbers by a loss.
func (p *problem) lossesOf(prediction []float32) losses {
	out := make(losses, len(p.valid.y))
	for i, y := range p.valid.y {
		if p.Number {
			out[i] = p.distance(float64(prediction[i]) - float64(y))
			continue
		}
		out[i] = -math.Log(max(float64(prediction[i*p.Out+int(y)]), leastProbability))
	}
	return out
}

// leastProbability bounds the loss of a class that was taken for impossible.
const leastProbability = 1e-9

// distance is the loss of an error of a standardised number.
func (p *problem) distance(e float64) float64 {
	if p.Loss == LossSquared {
		return e * e
	}
	return math.Abs(e)
}

// average is the mean of some predictions.
func average(of [][]float32) []float32 {
	out := slices.Clone(of[0])
	for i := range out {
		sum := 0.0
		for _, p := range of {
			sum += float64(p[i])
		}
		out[i] = float32(sum / float64(len(of)))
	}
	return out
}
