// Package metric scores predictions: accuracy, F1 and others from a confusion matrix, ROC-AUC,
// average precision and recall at a budget from the order of scores, Hit@k and MRR from the ranks
// of true classes, and the errors of a regression. It also measures and corrects calibration: the
// expected calibration error, temperature scaling, Platt scaling, the quantile of split conformal
// prediction.
//
// All functions work on plain slices and are pure, with sums in float64 in a fixed order. Three
// rules apply to all:
//
//   - Samples without a label (a class below 0 or a target of NaN) do not count, whatever their
//     prediction.
//   - A prediction that counts and is NaN is an error, ErrNaN. A model that predicts NaN is broken.
//     Leaving the sample out or counting it as wrong would hide that. Infinite scores can be
//     ordered and are accepted. In a regression they make the error infinite.
//   - A number that the data do not define, such as ROC-AUC over samples of one class, is the error
//     ErrUndefined. It is never a 0 or 1 that looks like a result.
//
// Values agree with scikit-learn if it has the metric; the tests compare them. The package has no
// models, data sets or tensors. Package train averages over the batches of an epoch.
package metric

import (
	"errors"
	"fmt"
	"math"
)

// ErrUndefined is wrapped by the error of a metric that the labels do not define: no sample is
// labelled, or one of two classes is missing.
var ErrUndefined = errors.New("undefined")

// ErrNaN is wrapped by the error of a metric when a prediction that counts is NaN.
var ErrNaN = errors.New("prediction is NaN")

// undefined returns an error with the metric's name and the reason.
func undefined(name, why string) error {
	return fmt.Errorf("metric: %s: %w: %s", name, ErrUndefined, why)
}

// labelled returns the predictions and targets of the samples that have a target, as float64.
func labelled(name string, prediction, target []float32) (p, t []float64, err error) {
	if len(prediction) != len(target) {
		return nil, nil, fmt.Errorf("metric: %s: %d predictions, expected one for each of %d targets", name, len(prediction), len(target))
	}
	p, t = make([]float64, 0, len(target)), make([]float64, 0, len(target))
	for i, want := range target {
		if math.IsNaN(float64(want)) {
			continue
		}
		if math.IsNaN(float64(prediction[i])) {
			return nil, nil, fmt.Errorf("metric: %s: sample %d: %w", name, i, ErrNaN)
		}
		p, t = append(p, float64(prediction[i])), append(t, float64(want))
	}
	if len(p) == 0 {
		return nil, nil, undefined(name, "no sample has a target")
	}
	return p, t, nil
}
