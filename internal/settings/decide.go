package settings

import "math"

// Decide replaces a row of softmax probabilities by the predicted probabilities, and returns the
// predicted class.
//
// With a temperature T the probability p of class k becomes proportional to p^(1/T)/w, where w is
// the weight of k in the loss: a model trained with weights predicts probabilities for data with
// equally frequent classes, and dividing by w corrects this. Calibration never changes the
// predicted class. If there are two classes, the threshold decides, which applies to calibrated
// probabilities. Otherwise the class with the largest logit is predicted. With class weights this
// need not be the most probable class, but the class with the largest probability times weight.
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

// softmaxThreshold is the threshold for probabilities before calibration. Calibrated probabilities
// may be so close to each other that they are rounded to the same number.
func (t *Target) softmaxThreshold() float64 {
	b := t.Binary
	if t.Temperature == 0 {
		return b.Threshold
	}
	against := (1 - b.Threshold) / b.Threshold // odds
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
		// Rounding the other probability could give positives of equal probability different values.
		p[1-b.Positive] = 1 - p[b.Positive]
	}
	sum := 0.0
	for k, v := range p {
		p[k] = math.Pow(v/most, 1/t.Temperature) // the largest is 1, even if others underflow
		if w := t.Weights(); w != nil {
			p[k] /= float64(w[k])
		}
		sum += p[k]
	}
	for k, v := range p {
		row[k] = T(v / sum)
	}
}

// Offset is what calibration adds to the logits: the negative logarithms of the class weights in
// the loss.
func (t *Target) Offset(classes int) []float64 {
	out := make([]float64, classes)
	for k, w := range t.Weights() {
		out[k] = -math.Log(float64(w))
	}
	return out
}

// Weights are the class weights in the loss; nil for weights of 1.
func (t *Target) Weights() []float32 {
	if t.Unweighted {
		return nil
	}
	return t.ClassWeights
}

// PositiveClass is the positive class of two: the rarer class, as far as this is known.
func (t *Target) PositiveClass() int {
	switch {
	case t.Binary != nil:
		return t.Binary.Positive
	case t.Curve != nil:
		return t.Curve.Positive
	}
	return 1
}

// Argmax is the index of the largest number of a row, the first of equal numbers.
func Argmax(row []float32) int32 {
	best := 0
	for j, v := range row {
		if v > row[best] {
			best = j
		}
	}
	return int32(best)
}
