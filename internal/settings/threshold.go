package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Threshold rules: how to choose the probability from which an item is predicted to be in the
// positive one of two classes.
const (
	ThresholdNumber    = "number"    // a given number
	ThresholdF1        = "f1"        // best F1 of the positive class
	ThresholdMacroF1   = "macro_f1"  // best mean of the F1 of both classes
	ThresholdRecall    = "recall"    // highest threshold with at least this recall
	ThresholdPrecision = "precision" // lowest threshold with at least this precision
	ThresholdBudget    = "budget"    // this many items are predicted to be positive
	ThresholdCost      = "cost"      // lowest cost of false positives and false negatives
)

// ThresholdForms describes the texts that ParseThreshold reads.
const ThresholdForms = "a number from 0 to 1, macro_f1, f1, recall=0.9, precision=0.8, budget=50 (below 1 a share) or cost=FP:FN"

// ThresholdRule says how a threshold is chosen on the validation set.
type ThresholdRule struct {
	Kind  string
	Value float64 // for number, recall, precision and budget
	// FalsePositive and FalseNegative are the costs of one error of each kind.
	FalsePositive, FalseNegative float64
}

// ParseThreshold parses a rule (ThresholdForms).
func ParseThreshold(text string) (ThresholdRule, error) {
	wrong := errors.New(ThresholdForms)
	kind, value, has := strings.Cut(text, "=")
	if !has {
		if kind == ThresholdF1 || kind == ThresholdMacroF1 {
			return ThresholdRule{Kind: kind}, nil
		}
		kind, value = ThresholdNumber, text
	} else if slices.Contains([]string{ThresholdNumber, ThresholdF1, ThresholdMacroF1}, kind) {
		return ThresholdRule{}, wrong
	}
	r := ThresholdRule{Kind: kind}
	if kind == ThresholdCost {
		positive, negative, ok := strings.Cut(value, ":")
		var one, two error
		r.FalsePositive, one = strconv.ParseFloat(positive, 64)
		r.FalseNegative, two = strconv.ParseFloat(negative, 64)
		if !ok || one != nil || two != nil || Positive(r.FalsePositive) != nil || Positive(r.FalseNegative) != nil {
			return ThresholdRule{}, errors.New("cost=FP:FN with the costs of a false positive and a false negative, two numbers above 0, such as cost=1:20")
		}
		return r, nil
	}
	var err error
	if r.Value, err = strconv.ParseFloat(value, 64); err != nil {
		return ThresholdRule{}, wrong
	}
	ok := r.Value >= 0 && r.Value <= 1 // also rejects NaN
	switch kind {
	case ThresholdNumber:
	case ThresholdRecall, ThresholdPrecision:
		ok = ok && r.Value > 0
	case ThresholdBudget:
		ok = budgets([]float64{r.Value}) == nil
	default:
		ok = false
	}
	if !ok {
		return ThresholdRule{}, wrong
	}
	return r, nil
}

// thresholdText checks the option threshold; the empty text is the default.
func thresholdText(v any) error {
	if v == "" {
		return nil
	}
	_, err := ParseThreshold(v.(string))
	return err
}

// ThresholdCurve says what each threshold does on the validation set, the highest first. With it
// another threshold can be chosen without the data and without training.
type ThresholdCurve struct {
	Positive  int `json:"positive"`  // number of the positive class
	Items     int `json:"items"`     // in the validation set
	Positives int `json:"positives"` // items of the positive class
	// Threshold is a predicted probability of the positive class. Predicted counts the items with at
	// least this probability, and Found those of them in the positive class.
	Threshold []float64 `json:"threshold"`
	Predicted []int     `json:"predicted"`
	Found     []int     `json:"found"`
}

// A curve has at most mostThresholds points: the denseThresholds highest thresholds, then evenly spaced ones.
const (
	mostThresholds  = 2000
	denseThresholds = 1000
)

// NewThresholdCurve makes the curve from scores and targets, which are 1 for the positive class and 0 otherwise.
func NewThresholdCurve(positive int, score, target []float32) *ThresholdCurve {
	c := &ThresholdCurve{Positive: positive, Items: len(score)}
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
		c.Positives += int(target[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	if len(order) > 0 && score[order[0]] < 1 {
		c.add((1+float64(score[order[0]]))/2, 0, 0)
	}
	found := 0
	for n, i := range order {
		found += int(target[i])
		next := 0.0 // next lower score
		if n+1 < len(order) {
			if next = float64(score[order[n+1]]); next == float64(score[i]) {
				continue // a threshold cannot separate equal scores
			}
		}
		c.add((float64(score[i])+next)/2, n+1, found)
	}
	c.thin()
	return c
}

// Check returns an error for an inconsistent curve, which a file from somebody else may have.
func (c *ThresholdCurve) Check() error {
	n := len(c.Threshold)
	if c.Positive < 0 || c.Positive > 1 || len(c.Predicted) != n || len(c.Found) != n || c.Positives < 0 || n == 0 && c.Positives > 0 {
		return fmt.Errorf("%d thresholds, %d and %d counts of class %d, expected as many of each and class 0 or 1", n, len(c.Predicted), len(c.Found), c.Positive)
	}
	for i := range n {
		if !(c.Threshold[i] >= 0 && c.Threshold[i] <= 1) || c.Found[i] < 0 || c.Found[i] > c.Predicted[i] || c.Found[i] > c.Positives {
			return fmt.Errorf("threshold %v with %d of %d items, expected one from 0 to 1 and no more than %d", c.Threshold[i], c.Found[i], c.Predicted[i], c.Positives)
		}
	}
	return nil
}

func (c *ThresholdCurve) add(threshold float64, predicted, found int) {
	c.Threshold, c.Predicted, c.Found = append(c.Threshold, threshold), append(c.Predicted, predicted), append(c.Found, found)
}

// thin keeps mostThresholds points, including those with the best F1 and macro F1.
func (c *ThresholdCurve) thin() {
	n := len(c.Threshold)
	if n <= mostThresholds {
		return
	}
	best, macro := c.best(c.f1), c.best(c.macroF1)
	whole := *c
	c.Threshold, c.Predicted, c.Found = nil, nil, nil
	step := (n - denseThresholds + mostThresholds - denseThresholds - 1) / (mostThresholds - denseThresholds)
	for i := range n {
		if i < denseThresholds || i == best || i == macro || i == n-1 || (i-denseThresholds)%step == 0 {
			c.add(whole.Threshold[i], whole.Predicted[i], whole.Found[i])
		}
	}
}

// best is the index of the largest value, the first of equal values.
func (c *ThresholdCurve) best(of func(i int) float64) int {
	best := 0
	for i := range c.Threshold {
		if of(i) > of(best) {
			best = i
		}
	}
	return best
}

func (c *ThresholdCurve) f1(i int) float64 {
	return 2 * float64(c.Found[i]) / float64(c.Predicted[i]+c.Positives)
}

// macroF1 is the mean of the F1 of both classes.
func (c *ThresholdCurve) macroF1(i int) float64 {
	negatives, rest := c.Items-c.Positives, c.Items-c.Predicted[i] // items of the other class; items predicted to be in it
	right := rest - (c.Positives - c.Found[i])
	return (c.f1(i) + 2*float64(right)/float64(max(negatives+rest, 1))) / 2
}

func (c *ThresholdCurve) precision(i int) float64 {
	return float64(c.Found[i]) / float64(max(c.Predicted[i], 1))
}

// UnreachableThreshold is the error that no threshold reaches on the validation set what a rule requires.
type UnreachableThreshold struct{ Why string }

func (e *UnreachableThreshold) Error() string { return e.Why }

// Choose returns the threshold of a rule, or the nearest one with an *UnreachableThreshold.
func (c *ThresholdCurve) Choose(r ThresholdRule) (float64, error) {
	if r.Kind == ThresholdNumber {
		return r.Value, nil
	}
	if c == nil || c.Positives == 0 || len(c.Threshold) == 0 {
		return 0.5, &UnreachableThreshold{"the validation set has no item of the positive class to choose a threshold by; give a number"}
	}
	switch r.Kind {
	case ThresholdRecall:
		for i, found := range c.Found {
			if float64(found) >= r.Value*float64(c.Positives)-1e-9 {
				return c.Threshold[i], nil
			}
		}
	case ThresholdPrecision:
		for i := len(c.Threshold) - 1; i >= 0; i-- {
			if c.Found[i] > 0 && c.precision(i) >= r.Value {
				return c.Threshold[i], nil
			}
		}
		best := c.best(c.precision)
		return c.Threshold[best], &UnreachableThreshold{fmt.Sprintf("no threshold has precision %v on the validation set; the highest is %.3f, at %.4g", r.Value, c.precision(best), c.Threshold[best])}
	case ThresholdBudget:
		n := r.Value
		if n < 1 {
			n = math.Round(n * float64(c.Items))
		}
		at := 0 // items of equal score are predicted together; at most the budget is predicted
		for i, predicted := range c.Predicted {
			if float64(predicted) <= max(n, 1) {
				at = i
			}
		}
		return c.Threshold[at], nil
	case ThresholdCost:
		return c.Threshold[c.best(func(i int) float64 {
			return -r.FalsePositive*float64(c.Predicted[i]-c.Found[i]) - r.FalseNegative*float64(c.Positives-c.Found[i])
		})], nil
	case ThresholdMacroF1:
		return c.Threshold[c.best(c.macroF1)], nil
	}
	return c.Threshold[c.best(c.f1)], nil
}

// At counts the items that a threshold predicts to be positive, and how many of them are.
func (c *ThresholdCurve) At(threshold float64) (predicted, found int) {
	for i, t := range c.Threshold {
		if t < threshold {
			break
		}
		predicted, found = c.Predicted[i], c.Found[i]
	}
	return predicted, found
}

// calibrate maps the thresholds of a curve from softmax to calibrated probabilities.
func (c *ThresholdCurve) calibrate(t *Target) {
	for i, v := range c.Threshold {
		c.Threshold[i] = t.calibratedThreshold(c.Positive, v)
	}
}

// calibratedThreshold converts a threshold of softmax probabilities to one of calibrated
// probabilities; no decision changes.
func (t *Target) calibratedThreshold(positive int, threshold float64) float64 {
	pair := []float64{threshold, threshold}
	pair[1-positive] = 1 - threshold
	Calibrate(t, pair)
	return pair[positive]
}

// TakeCurve stores the threshold curve of softmax scores and sets the threshold by the rule of the
// target. The temperature must be set before. With an *UnreachableThreshold the nearest threshold
// is set.
func (t *Target) TakeCurve(positive int, score, target []float32) error {
	t.Curve = NewThresholdCurve(positive, score, target)
	t.Curve.calibrate(t)
	if t.Binary == nil {
		return nil
	}
	if t.Threshold == "" {
		t.Binary.Threshold, _ = t.Curve.Choose(ThresholdRule{Kind: ThresholdMacroF1})
		return nil
	}
	rule, err := ParseThreshold(t.Threshold)
	if err != nil {
		return err
	}
	t.Binary.Threshold, err = t.Curve.Choose(rule)
	return err
}

// SetThreshold changes the threshold of a trained run by a rule. Its errors are usage errors.
func (t *Target) SetThreshold(text string) error {
	rule, err := ParseThreshold(text)
	if err != nil {
		return Misuse("--threshold is %q, expected %w", text, err)
	}
	if t.Binary == nil && t.Curve == nil {
		return Misuse("--threshold is for runs that predict one of two classes and had a validation set")
	}
	if t.Curve == nil && rule.Kind != ThresholdNumber {
		return Misuse("--threshold %s is chosen on the validation set, of which the run has kept nothing; give a number from 0 to 1, or train again", text)
	}
	b := Binary{}
	if t.Binary != nil {
		b = *t.Binary
	} else {
		b.Positive = t.Curve.Positive
	}
	if b.Threshold, err = t.Curve.Choose(rule); err != nil {
		return Misuse("--threshold %s: %w", text, err)
	}
	t.Binary, t.Threshold = &b, text
	return nil
}

// SetGiven sets the threshold of a target without a validation set, if the rule is a number.
func (t *Target) SetGiven() error {
	if t.Threshold == "" || t.Binary == nil {
		return nil
	}
	rule, err := ParseThreshold(t.Threshold)
	if err == nil && rule.Kind != ThresholdNumber {
		err = errors.New("it is chosen on the validation set, and there is none; give a number from 0 to 1")
	}
	if err != nil {
		return Misuse("--threshold %s: %w", t.Threshold, err)
	}
	t.Binary.Threshold = rule.Value
	return nil
}
