package metric

import "fmt"

// Confusion is a confusion matrix.
type Confusion struct {
	Classes int
	// Count[t*Classes+p] is the number of samples of class t that are predicted as p.
	Count []int
}

// NewConfusion counts predictions against labels, both from 0 to classes-1. A sample with a label
// below 0 has no label and is left out, whatever its prediction. Any other number out of range is
// an error, and so are slices of different lengths.
func NewConfusion(predicted, label []int32, classes int) (*Confusion, error) {
	if classes < 1 {
		return nil, fmt.Errorf("metric: confusion of %d classes, expected at least 1", classes)
	}
	c := &Confusion{Classes: classes, Count: make([]int, classes*classes)}
	return c, c.Add(predicted, label)
}

// Add counts more samples, such as those of the next batch. After an error nothing has been added.
func (c *Confusion) Add(predicted, label []int32) error {
	if len(predicted) != len(label) {
		return fmt.Errorf("metric: confusion: %d predictions, expected one for each of %d labels", len(predicted), len(label))
	}
	for i, t := range label {
		if p := predicted[i]; t >= 0 && (int(t) >= c.Classes || p < 0 || int(p) >= c.Classes) {
			return fmt.Errorf("metric: confusion: sample %d: class %d predicted as %d, expected both from 0 to %d", i, t, p, c.Classes-1)
		}
	}
	for i, t := range label {
		if t >= 0 {
			c.Count[int(t)*c.Classes+int(predicted[i])]++
		}
	}
	return nil
}

// Labelled is the number of samples of class k.
func (c *Confusion) Labelled(k int) int {
	sum := 0
	for p := range c.Classes {
		sum += c.Count[k*c.Classes+p]
	}
	return sum
}

// Predicted is the number of samples predicted as class k.
func (c *Confusion) Predicted(k int) int {
	sum := 0
	for t := range c.Classes {
		sum += c.Count[t*c.Classes+k]
	}
	return sum
}

// Right is the number of samples of class k that are predicted correctly.
func (c *Confusion) Right(k int) int { return c.Count[k*c.Classes+k] }

// Accuracy is the share of samples that are predicted correctly.
func (c *Confusion) Accuracy() (float64, error) {
	right, all := 0, 0
	for k := range c.Classes {
		right, all = right+c.Right(k), all+c.Labelled(k)
	}
	if all == 0 {
		return 0, undefined("accuracy", "no sample has a label")
	}
	return float64(right) / float64(all), nil
}

// BalancedAccuracy is the mean recall of the classes that occur among the labels. For a random
// guess it is 1/classes, however rare a class is.
func (c *Confusion) BalancedAccuracy() (float64, error) {
	sum, occur := 0.0, 0
	for k := range c.Classes {
		if n := c.Labelled(k); n > 0 {
			sum, occur = sum+float64(c.Right(k))/float64(n), occur+1
		}
	}
	if occur == 0 {
		return 0, undefined("balanced accuracy", "no sample has a label")
	}
	return sum / float64(occur), nil
}

// Precision is the share of class k among the samples predicted as k. It is 0 if no sample is
// predicted as k. It is undefined for a class that occurs in neither labels nor predictions.
func (c *Confusion) Precision(k int) (float64, error) {
	return c.ofClass("precision", k, func() (right, of int) { return c.Right(k), c.Predicted(k) })
}

// Recall is the share of samples of class k that are predicted as k. It is 0 if there are no such
// samples, but some are predicted. It is undefined as Precision is.
func (c *Confusion) Recall(k int) (float64, error) {
	return c.ofClass("recall", k, func() (right, of int) { return c.Right(k), c.Labelled(k) })
}

// F1 is the harmonic mean of precision and recall of class k. It is undefined as Precision is. With
// two classes, F1(1) is the F1 of the positive class.
func (c *Confusion) F1(k int) (float64, error) {
	return c.ofClass("F1", k, func() (right, of int) { return 2 * c.Right(k), c.Labelled(k) + c.Predicted(k) })
}

// ofClass returns a share for a class, or an error if the class does not occur.
func (c *Confusion) ofClass(name string, k int, share func() (right, of int)) (float64, error) {
	if k < 0 || k >= c.Classes {
		return 0, fmt.Errorf("metric: %s of class %d, expected one from 0 to %d", name, k, c.Classes-1)
	}
	if c.Labelled(k)+c.Predicted(k) == 0 {
		return 0, undefined(name, fmt.Sprintf("class %d occurs in neither labels nor predictions", k))
	}
	right, of := share()
	if right == 0 {
		return 0, nil // also for 0/0
	}
	return float64(right) / float64(of), nil
}

// MacroF1 is the mean of F1 over the classes that occur in labels or predictions.
func (c *Confusion) MacroF1() (float64, error) {
	sum, occur := 0.0, 0
	for k := range c.Classes {
		if f, err := c.F1(k); err == nil {
			sum, occur = sum+f, occur+1
		}
	}
	if occur == 0 {
		return 0, undefined("macro F1", "no sample has a label")
	}
	return sum / float64(occur), nil
}
