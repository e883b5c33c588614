package settings

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/train"
)

// Conformal holds the bounds that split conformal prediction chose on the validation part, for
// Target.Coverage.
type Conformal struct {
	// Least has for each class the probability from which the class is in the set of an item. Each
	// class has its own bound, so that a rare class is covered as often as a frequent one. If
	// validation has too few items of a class, its bound is 0 and the class is in all sets (Sadinle,
	// Lei and Wasserman, JASA 114, 2019).
	Least []float64 `json:"least,omitempty"`
	// Margin has for each number the distance of the interval's ends from the prediction, in the unit
	// of the data. If a model estimates quantiles, it is the distance beyond the lower and the upper
	// quantile (Romano, Patterson and Candès, NeurIPS 2019), which may be negative.
	Margin []float64 `json:"margin,omitempty"`
}

// Set lists the classes in the set of an item, given its probabilities after Target.Decide.
func (c *Conformal) Set(row []float32) []int32 {
	return lists.Where[int32](row, func(k int, p float32) bool { return float64(p) >= c.Least[k] })
}

// Interval returns the interval around the prediction of number k, which it always contains. bounds are a lower and an
// upper quantile of the number; nil if the model does not estimate them.
func (c *Conformal) Interval(prediction float32, bounds []float32, k int) (lower, upper float32) {
	if bounds == nil {
		return float32(float64(prediction) - c.Margin[k]), float32(float64(prediction) + c.Margin[k])
	}
	return min(float32(float64(bounds[0])-c.Margin[k]), prediction), max(float32(float64(bounds[1])+c.Margin[k]), prediction)
}

// OfIntervals returns the share of numbers that their intervals cover, and the mean width of the intervals. Predictions
// and targets are in the unit of the data; bounds has two quantiles for each prediction, or is nil.
func (c *Conformal) OfIntervals(prediction, bounds, target []float32) train.Scores {
	covered, n, width := 0, 0, 0.0
	for i, v := range target {
		if math.IsNaN(float64(v)) {
			continue
		}
		k := i % len(c.Margin)
		var own []float32
		if bounds != nil {
			own = bounds[2*i:][:2]
		}
		lower, upper := c.Interval(prediction[i], own, k)
		if n, width = n+1, width+float64(upper)-float64(lower); lower <= v && v <= upper {
			covered++
		}
	}
	return train.Scores{{Name: "coverage", Value: float64(covered) / float64(n)}, {Name: "interval_width", Value: width / float64(n)}}
}
