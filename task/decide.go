package task

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/train"
)

// Decide turns a row of probabilities, as the softmax of a model's logits gives them, into
// those that are predicted, in place, and returns the predicted class.
//
// With a temperature T the probability p of class k becomes proportional to p^(1/T)/w,
// where w is the weight of k in the loss: a model that was trained with weights gives the
// probabilities of a world in which all classes are equally frequent. The class is decided
// as if there were no temperature: of two classes by the threshold, which is one of
// calibrated probabilities, else it is the one with the largest logit. Where classes have
// weights that need not be the most probable one, but is the one whose probability times
// its weight is largest.
func (t *Target) Decide(row []float32) int32 {
	class := argmax(row)
	if b := t.Binary; b != nil {
		if class = int32(1 - b.Positive); float64(row[b.Positive]) >= t.softmaxThreshold() {
			class = int32(b.Positive)
		}
	}
	calibrate(t, row)
	return class
}

// softmaxThreshold is the threshold as a probability before calibration, after which
// probabilities may be so close to each other that they are rounded to the same number.
func (t *Target) softmaxThreshold() float64 {
	b := t.Binary
	if t.Temperature == 0 {
		return b.Threshold
	}
	against := (1 - b.Threshold) / b.Threshold // the odds
	if w := t.ClassWeights; w != nil {
		against *= float64(w[1-b.Positive]) / float64(w[b.Positive])
	}
	return 1 / (1 + math.Pow(against, t.Temperature))
}

// calibrate applies the temperature to a row of probabilities.
func calibrate[T float32 | float64](t *Target, row []T) {
	if t.Temperature == 0 {
		return
	}
	p, most := make([]float64, 0, 16), 0.0
	for _, v := range row {
		p, most = append(p, float64(v)), max(most, float64(v))
	}
	if b := t.Binary; b != nil {
		// The rounding of the other one would tell positives of equal probability apart.
		p[1-b.Positive] = 1 - p[b.Positive]
	}
	sum := 0.0
	for k, v := range p {
		p[k] = math.Pow(v/most, 1/t.Temperature) // of which one is 1, whatever underflows
		if t.ClassWeights != nil {
			p[k] /= float64(t.ClassWeights[k])
		}
		sum += p[k]
	}
	for k, v := range p {
		row[k] = T(v / sum)
	}
}

// offset is what calibration adds to the logits of the classes: the negative logarithm of
// their weights in the loss.
func (t *Target) offset(classes int) []float64 {
	out := make([]float64, classes)
	for k, w := range t.ClassWeights {
		out[k] = -math.Log(float64(w))
	}
	return out
}

// Conformal holds the bounds that split conformal prediction found on the validation part,
// for Target.Coverage.
type Conformal struct {
	// Least is, by class, the probability from which the class is in the set of an item.
	// Each class has a bound of its own, so that a rare class is covered as often as a
	// frequent one; 0, where validation has too few items of the class, keeps it in all sets
	// (Sadinle, Lei and Wasserman, JASA 114, 2019).
	Least []float64 `json:"least,omitempty"`
	// Margin is, by number, how far intervals reach to either side of a prediction, in the
	// unit of the data.
	Margin []float64 `json:"margin,omitempty"`
}

// Set lists the classes in the set of an item, by a row of probabilities as Target.Decide
// leaves them.
func (c *Conformal) Set(row []float32) []int32 {
	var out []int32
	for k, p := range row {
		if float64(p) >= c.Least[k] {
			out = append(out, int32(k))
		}
	}
	return out
}

// Interval is the interval about the prediction of number k.
func (c *Conformal) Interval(prediction float32, k int) (lower, upper float32) {
	return float32(float64(prediction) - c.Margin[k]), float32(float64(prediction) + c.Margin[k])
}

// setText lists classes by name, as a column of predictions has them.
func (t *Target) setText(set []int32) string {
	names := make([]string, len(set))
	for i, k := range set {
		names[i] = className(t.Classes, k)
	}
	return strings.Join(names, "|")
}

// defaultBudget are the shares of edges at which recall is scored where none are given.
var defaultBudget = []float64{0.01, 0.05}

// recallScore names the recall at a budget: a share of the items, or a number of them.
func recallScore(budget float64) string {
	if budget >= 1 {
		return fmt.Sprintf("recall@%.0f", budget)
	}
	return "recall@" + strconv.FormatFloat(100*budget, 'g', 6, 64) + "%"
}

// budgeted is the number of n items that a budget pays for, 1 or more.
func budgeted(budget float64, n int) int {
	if budget < 1 {
		budget *= float64(n)
	}
	return max(int(math.Round(budget)), 1)
}

// ofIntervals are the share of numbers that their intervals cover, and the mean width of the
// intervals, for rows of predictions and targets in the unit of the data.
func (c *Conformal) ofIntervals(prediction, target []float32) train.Scores {
	covered, n, width := 0, 0, 0.0
	for i, v := range target {
		if math.IsNaN(float64(v)) {
			continue
		}
		k := i % len(c.Margin)
		n, width = n+1, width+2*c.Margin[k]
		if lower, upper := c.Interval(prediction[i], k); lower <= v && v <= upper {
			covered++
		}
	}
	return train.Scores{{Name: "coverage", Value: float64(covered) / float64(n)}, {Name: "interval_width", Value: width / float64(n)}}
}
