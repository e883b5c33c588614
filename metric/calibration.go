package metric

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// ExpectedCalibrationError compares confidences with accuracies. Confidences are divided into bins
// of equal width, (0, 1/bins] and so on. It is the mean over the samples of the difference between
// the mean confidence and the accuracy of their bin. target is 1 for a correct prediction, 0 for a
// wrong one and NaN if that is not known. 0 is perfect (Guo, Pleiss, Sun and Weinberger, On
// Calibration of Modern Neural Networks, ICML 2017, with 15 bins).
func ExpectedCalibrationError(confidence, target []float32, bins int) (float64, error) {
	const name = "expected calibration error"
	if bins < 1 {
		return 0, fmt.Errorf("metric: %s with %d bins, expected at least 1", name, bins)
	}
	p, t, err := labelled(name, confidence, target)
	if err != nil {
		return 0, err
	}
	excess := make([]float64, bins) // sum of confidences minus number of correct predictions
	for i, v := range p {
		if v < 0 || v > 1 {
			return 0, fmt.Errorf("metric: %s: sample %d: confidence %v, expected 0 to 1", name, i, v)
		}
		excess[max(int(math.Ceil(v*float64(bins)))-1, 0)] += v - t[i]
	}
	return lists.SumOf(excess, func(e float64) float64 { return math.Abs(e) }) / float64(len(p)), nil
}

// Bounds of Temperature, and the number of bisections of the interval between their logarithms. The
// remaining interval is smaller than the precision of float64.
const (
	leastTemperature, mostTemperature = 1e-3, 1e3
	temperatureSteps                  = 60
)

// Temperature returns the T for which the probabilities softmax(z/T + offset) of classes fit the
// labels best, by log likelihood, for rows z of logits: temperature scaling (Guo et al. 2017).
// offset has a number for each class, such as -log w if training weighed the classes by w, so that
// the logits belong to other class frequencies. Samples with a label below 0 do not count.
//
// The likelihood uses Platt's targets (Probabilistic Outputs for Support Vector Machines, 1999): if
// a class has n labels, the target of each is (n+1)/(n+2), and the other classes share the rest.
// Without them, logits that are always correct would have temperature 0.
//
// The derivative by 1/T increases, so bisection finds its root. T is from 0.001 to 1000.
func Temperature(logit []float32, label []int32, offset []float64) (float64, error) {
	const name = "temperature"
	k := len(offset)
	if k < 2 || len(logit) != k*len(label) {
		return 0, fmt.Errorf("metric: %s: %d logits of %d classes for %d labels, expected 2 classes or more and a logit for each class of a label", name, len(logit), k, len(label))
	}
	count, any := make([]float64, k), false
	for i, y := range label {
		if y < 0 {
			continue
		}
		if int(y) >= k {
			return 0, fmt.Errorf("metric: %s: sample %d: class %d, expected one from 0 to %d", name, i, y, k-1)
		}
		for _, v := range logit[i*k:][:k] {
			if math.IsNaN(float64(v)) {
				return 0, fmt.Errorf("metric: %s: sample %d: %w", name, i, ErrNaN)
			}
		}
		count[y]++
		any = true
	}
	if !any {
		return 0, undefined(name, "no sample has a label")
	}
	p := make([]float64, k)
	slope := func(beta float64) float64 { // derivative of the negative log likelihood by 1/T
		sum := 0.0
		for i, y := range label {
			if y < 0 {
				continue
			}
			row := logit[i*k:][:k]
			softmax(p, row, beta, offset)
			miss := 1 / (count[y] + 2)
			for c, v := range row {
				want := miss / float64(k-1)
				if c == int(y) {
					want = 1 - miss
				}
				sum += (p[c] - want) * float64(v)
			}
		}
		return sum
	}
	low, high := -math.Log(mostTemperature), -math.Log(leastTemperature)
	for range temperatureSteps {
		if mid := (low + high) / 2; slope(math.Exp(mid)) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Exp(-(low + high) / 2), nil
}

// softmax writes the probabilities of beta·z + offset to p.
func softmax(p []float64, z []float32, beta float64, offset []float64) {
	most := math.Inf(-1)
	for c, v := range z {
		p[c] = beta*float64(v) + offset[c]
		most = max(most, p[c])
	}
	sum := 0.0
	for c := range p {
		p[c] = math.Exp(p[c] - most)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// Bounds of Platt's search: the number of Newton steps, and of halvings of one step.
const (
	plattSteps  = 100
	plattHalves = 40
)

// Platt returns the slope a and the intercept b for which the probabilities 1/(1+exp(-(a·s+b))) of
// scores s fit positive and negative samples best, by log likelihood with Platt's targets (see
// Temperature). This is Platt scaling, by Newton's method. The probabilities assume the given ratio
// of positives to negatives. If all scores are equal, the slope is 0.
func Platt(positive, negative []float64) (slope, intercept float64, err error) {
	const name = "Platt scaling"
	if len(positive) == 0 || len(negative) == 0 {
		return 0, 0, undefined(name, fmt.Sprintf("there are %d positives and %d negatives", len(positive), len(negative)))
	}
	p, n := float64(len(positive)), float64(len(negative))
	mean, square := 0.0, 0.0
	each := func(f func(score, target float64)) {
		for _, s := range positive {
			f(s, (p+1)/(p+2))
		}
		for _, s := range negative {
			f(s, 1/(n+2))
		}
	}
	each(func(s, _ float64) { mean += s / (p + n) })
	each(func(s, _ float64) { square += (s - mean) * (s - mean) / (p + n) })
	scale := math.Sqrt(square)
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return 0, 0, fmt.Errorf("metric: %s: %w", name, ErrNaN)
	}
	if scale == 0 {
		return 0, math.Log(p / n), nil
	}
	cost := func(a, b float64) (sum float64) {
		each(func(s, t float64) {
			z := a*(s-mean)/scale + b
			sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - t*z
		})
		return sum
	}
	a, b := 0.0, math.Log(p/n)
	now := cost(a, b)
	for range plattSteps {
		var ga, gb, haa, hab, hbb float64
		each(func(s, t float64) {
			x := (s - mean) / scale
			q := 1 / (1 + math.Exp(-(a*x + b)))
			ga, gb = ga+(q-t)*x, gb+(q-t)
			w := q*(1-q) + 1e-12
			haa, hab, hbb = haa+w*x*x, hab+w*x, hbb+w
		})
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		if math.Abs(ga)+math.Abs(gb) < 1e-9*(p+n) || !(det > 0) {
			break
		}
		size, next := 1.0, 0.0
		for range plattHalves {
			if next = cost(a+size*da, b+size*db); next < now {
				break
			}
			size /= 2
		}
		if !(next < now) {
			break
		}
		a, b, now = a+size*da, b+size*db, next
	}
	return a / scale, b - a*mean/scale, nil
}
