package auto

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// losses has the loss of each validation edge.
type losses []float64

// mean returns the mean loss and its standard error.
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

// ahead returns how much lower the mean of l is than the mean of other, and the standard error of this paired
// difference.
func (l losses) ahead(other losses) (gain, err float64) {
	d := make(losses, len(l))
	for i := range d {
		d[i] = other[i] - l[i]
	}
	return d.mean()
}

// aheadBy reports whether the mean of l is lower than the mean of other by more than so many standard errors of the paired difference.
func (l losses) aheadBy(errors float64, other losses) bool {
	gain, err := l.ahead(other)
	return gain > errors*err
}

// beats is aheadBy for leaveErrors.
func (l losses) beats(other losses) bool { return l.aheadBy(leaveErrors, other) }

// Constants of the race, in standard errors of a paired difference.
const (
	groupErrors = 1   // learners of a kind are averaged if they are worse by no more than this
	leaveErrors = 2   // a kind of learner is left out of the mean if it is worse by this
	tieErrors   = 0.5 // the linear model or dual networks replace the mean of both if they are better by this
)

// members returns the learners that are averaged: all learners that are not significantly worse than the best.
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
	return lists.Where[int](loss, func(i int, l losses) bool { return i == first || !loss[first].beats(l) })
}

// lossesOf returns the losses of predictions with out numbers for each edge: negative log probabilities, or
// the loss of standardised numbers.
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

// leastProbability is the smallest probability in a log loss.
const leastProbability = 1e-9

// distance is the loss of the error of a standardised number.
func (p *problem) distance(e float64) float64 {
	if p.Loss == LossSquared {
		return e * e
	}
	return math.Abs(e)
}

// average is the mean of several predictions.
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
