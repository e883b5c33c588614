// Package metric scores predictions: accuracy, F1 and the like from a confusion
// matrix, ROC-AUC, average precision and recall at a budget from the order of scores,
// Hit@k and MRR from the ranks of true classes, and the errors of a regression. It
// measures and mends how far probabilities can be trusted: the expected calibration
// error, the temperature that calibrates, the quantile of split conformal prediction.
//
// Everything works on plain slices and is a pure function of them, summed in
// float64 in a fixed order. Three rules hold throughout:
//
//   - Samples without a label, a class below 0 or a target of NaN, do not count,
//     whatever their prediction.
//   - A prediction that counts and is NaN is an error, ErrNaN. A model that
//     predicts NaN is broken, and neither leaving the sample out nor calling it
//     wrong would show that. Infinite scores can be ordered and are; in a
//     regression they make the error infinite.
//   - A number that the data do not define, such as ROC-AUC over samples of one
//     class, is the error ErrUndefined and never a 0 or 1 that could be mistaken
//     for a result.
//
// Values agree with scikit-learn where it has them, as the tests check. The package knows no model, no
// data set and no tensor; averages over the batches of an epoch are in package train.
package metric

import (
	"errors"
	"fmt"
	"math"
)

// ErrUndefined is wrapped by the error of a metric that the labels leave
// undefined: none is labelled, or, where two classes are told apart, one is
// missing.
var ErrUndefined = errors.New("undefined")

// ErrNaN is wrapped by the error of a metric when a prediction that counts is NaN.
var ErrNaN = errors.New("prediction is NaN")

// undefined is an error with the metric's name and the reason.
func undefined(name, why string) error {
	return fmt.Errorf("metric: %s: %w: %s", name, ErrUndefined, why)
}

// labelled returns the predictions and targets that have one, as float64.
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
