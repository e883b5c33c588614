package metric

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// MAE is the mean absolute error over the samples with a target, in the unit of the target.
func MAE(prediction, target []float32) (float64, error) {
	return meanOf("MAE", prediction, target, math.Abs)
}

// RMSE is the root of the mean squared error over the samples with a target, in the unit of the
// target.
func RMSE(prediction, target []float32) (float64, error) {
	mean, err := meanOf("RMSE", prediction, target, squared)
	return math.Sqrt(mean), err
}

// MSE is the mean squared error over the samples with a target. A missing target is NaN.
func MSE(prediction, target []float32) (float64, error) {
	return meanOf("MSE", prediction, target, squared)
}

func squared(d float64) float64 { return d * d }

// meanOf is the mean of f over the differences.
func meanOf(name string, prediction, target []float32, f func(float64) float64) (float64, error) {
	p, t, err := labelled(name, prediction, target)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i := range p {
		sum += f(p[i] - t[i])
	}
	return sum / float64(len(p)), nil
}

// R2 is the coefficient of determination over the samples with a target: 1 minus the squared error
// of the predictions divided by the squared error of the targets' mean. 1 is perfect, 0 is as good
// as the mean, and there is no lower bound. It returns ErrUndefined if all targets are equal, so
// also for a single target.
func R2(prediction, target []float32) (float64, error) {
	p, t, err := labelled("R2", prediction, target)
	if err != nil {
		return 0, err
	}
	mean := lists.Sum(t)
	mean /= float64(len(t))
	var residual, spread float64
	equal := true
	for i, v := range t {
		residual += (p[i] - v) * (p[i] - v)
		spread += (v - mean) * (v - mean)
		equal = equal && v == t[0] // the mean of equal numbers may have a rounding error
	}
	if equal {
		return 0, undefined("R2", "all targets are equal")
	}
	return 1 - residual/spread, nil
}
