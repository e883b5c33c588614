package settings

import "math"

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
	class := Argmax(row)
	if b := t.Binary; b != nil {
		if class = int32(1 - b.Positive); float64(row[b.Positive]) >= t.softmaxThreshold() {
			class = int32(b.Positive)
		}
	}
	Calibrate(t, row)
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
	if w := t.Weights(); w != nil {
		against *= float64(w[1-b.Positive]) / float64(w[b.Positive])
	}
	return 1 / (1 + math.Pow(against, t.Temperature))
}

// Calibrate applies the temperature to a row of probabilities.
func Calibrate[T float32 | float64](t *Target, row []T) {
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
		if w := t.Weights(); w != nil {
			p[k] /= float64(w[k])
		}
		sum += p[k]
	}
	for k, v := range p {
		row[k] = T(v / sum)
	}
}

// Offset is what calibration adds to the logits of the classes: the negative logarithm of
// their weights in the loss.
func (t *Target) Offset(classes int) []float64 {
	out := make([]float64, classes)
	for k, w := range t.Weights() {
		out[k] = -math.Log(float64(w))
	}
	return out
}

// Weights are those of the classes in the loss; nil for ones.
func (t *Target) Weights() []float32 {
	if t.Unweighted {
		return nil
	}
	return t.ClassWeights
}

// PositiveClass is the number of the class of interest of two: the rarer one, as far as that is known.
func (t *Target) PositiveClass() int {
	switch {
	case t.Binary != nil:
		return t.Binary.Positive
	case t.Curve != nil:
		return t.Curve.Positive
	}
	return 1
}

// Argmax is the place of the largest number of a row, the first of equal ones.
func Argmax(row []float32) int32 {
	best := 0
	for j, v := range row {
		if v > row[best] {
			best = j
		}
	}
	return int32(best)
}
