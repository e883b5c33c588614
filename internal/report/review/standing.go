package review

import (
	"context"
	"math"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// Standing says whether one of two runs or models is better, by a score on the same items.
type Standing string

// Level means that the interval of the difference contains 0. Reports, warnings of train and comparisons use Ahead and
// Behind only if it does not, or if there is no interval, which is so for very many items.
const (
	Level  Standing = "level"
	Ahead  Standing = "ahead"
	Behind Standing = "behind"
)

// standingOf is the standing of the first of two, given the difference of their scores and the ends of its interval, NaN for none.
func standingOf(score string, difference, low, high float64) Standing {
	switch ahead := difference > 0 != smaller(score); {
	case math.IsNaN(low) && difference == 0, low <= 0 && high >= 0:
		return Level
	case ahead:
		return Ahead
	}
	return Behind
}

// Standing is the standing of B.
func (d Difference) Standing() Standing {
	if !d.Paired {
		return Level // nothing is certain
	}
	return standingOf(d.Name, d.Of, d.Low, d.High)
}

// countRight sets whether the model's accuracy is lower than that of always predicting the most frequent class.
func (r *Review) countRight(ctx context.Context) error {
	c := r.outcome.Classes
	if c == nil || r.session.Usual().Counts == nil {
		return nil
	}
	usual := usualOutcome(r.outcome, r.session.Usual(), true).Classes
	rows, more := r.rows(), make([]float64, len(c.True)) // how much more often the model is correct than the baseline
	for _, i := range rows {
		if c.Predicted[i] == c.True[i] {
			more[i]++
		}
		if usual.Predicted[i] == c.True[i] {
			more[i]--
		}
	}
	share := func(times func(i int32) float64) float64 {
		sum, n := 0.0, 0.0
		for _, i := range rows {
			sum, n = sum+times(i)*more[i], n+times(i)
		}
		return sum / n
	}
	whole, low, high := share(func(int32) float64 { return 1 }), math.NaN(), math.NaN()
	if whole >= 0 {
		return nil
	}
	samples, units := samplesOf(len(rows)), unitsOf(r.outcome, r.manyGraphs(), rows)
	if samples > 0 && len(units) > 1 {
		values := make([]float64, samples)
		err := draws(ctx, rng.Stream(r.environment.Seed, "review", "right"), samples, units, len(c.True), r.session.Threads, func(sample int, times []int32) error {
			values[sample] = share(func(i int32) float64 { return float64(times[i]) })
			return nil
		})
		if err != nil {
			return err
		}
		if a, b, ok := middle(values, samples); ok {
			low, high = a, b
		}
	}
	r.lessRight = standingOf("accuracy", whole, low, high) == Behind
	return nil
}
