// Package loss holds training losses, which are functions from predictions to a scalar tensor, and
// GumbelSoftmax, which samples classes with gradients to their logits. All use ordinary tensor
// operations, so they can be differentiated any number of times.
package loss

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Ignore is the label of a row that does not count in a loss.
const Ignore = -1

// Labels are the classes of rows and their weights in the losses.
type Labels struct {
	Class  []int32   // Ignore if there is no label
	Rows   []float32 // weight of each row: that of its class, 0 for ignored ones
	Total  float64   // sum of Rows
	Weight []float32 // of each class; nil means ones
}

// NewLabels checks classes against the number of classes. weight is the weight of each class; nil
// means ones.
func NewLabels(class []int32, classes int, weight []float32) (*Labels, error) {
	if weight != nil && len(weight) != classes {
		return nil, fmt.Errorf("loss: %d class weights, expected %d", len(weight), classes)
	}
	l := &Labels{Class: class, Rows: make([]float32, len(class)), Weight: weight}
	for i, c := range class {
		switch {
		case c == Ignore:
			continue
		case c < 0 || int(c) >= classes:
			return nil, fmt.Errorf("loss: row %d has class %d, expected 0 to %d", i, c, classes-1)
		case weight != nil:
			l.Rows[i] = weight[c]
		default:
			l.Rows[i] = 1
		}
		l.Total += float64(l.Rows[i])
	}
	return l, nil
}

// NLL is the negative log likelihood of log-probabilities [n,c]: the weighted mean over labelled
// rows. It is NaN if there are none, as in PyTorch.
func NLL(logp *tensor.Tensor, l *Labels) *tensor.Tensor {
	return NLLSum(logp, l).MulScalar(float32(1 / l.Total))
}

// NLLSum is NLL without the division: the weighted sum.
func NLLSum(logp *tensor.Tensor, l *Labels) *tensor.Tensor {
	return NLLRows(logp, l).Sum()
}

// NLLRows is the weighted loss of each row [n], 0 for ignored rows.
func NLLRows(logp *tensor.Tensor, l *Labels) *tensor.Tensor {
	picked := tensor.Pick(logp, l.Class)
	return picked.Mul(tensor.FromSlice(l.Rows, len(l.Rows))).Neg()
}

// CrossEntropy is NLL of the log-softmax of logits [n,c].
func CrossEntropy(logits *tensor.Tensor, l *Labels) *tensor.Tensor {
	return NLL(logits.RoundGrad().LogSoftmax(), l)
}

// SmoothCrossEntropy is CrossEntropy with label smoothing: a share eps of each label's probability,
// from 0 to 1, is spread evenly over all k classes. With class weights w, log-probabilities p of
// the logits [n,k] and label y, a labelled row contributes
//
//	-(1-eps)·w_y·p_y - eps/k·Σ_c w_c·p_c
//
// The result is the sum over these rows divided by the sum of their w_y, as in PyTorch. It is NaN
// if there are none. It panics if eps is not from 0 to 1. Szegedy, Vanhoucke, Ioffe, Shlens and
// Wojna 2016, section 7.
func SmoothCrossEntropy(logits *tensor.Tensor, l *Labels, eps float64) *tensor.Tensor {
	if !(eps >= 0 && eps <= 1) {
		panic(fmt.Sprintf("loss: label smoothing %v, expected 0 to 1", eps))
	}
	logp := logits.RoundGrad().LogSoftmax()
	hard := NLLSum(logp, l).MulScalar(float32(1 - eps))
	n, k := logp.Dim(0), logp.Dim(1)
	// The weight of every entry: in labelled rows the weight of its class.
	spread := tensor.New(n, k)
	for i, class := range l.Class {
		if class == Ignore {
			continue
		}
		for c := range k {
			spread.Data()[i*k+c] = 1
			if l.Weight != nil {
				spread.Data()[i*k+c] = l.Weight[c]
			}
		}
	}
	even := logp.Mul(spread).Sum().MulScalar(float32(-eps / float64(k)))
	return hard.Add(even).MulScalar(float32(1 / l.Total))
}

// BCEWithLogits is the logistic loss of logits against targets in [0,1] of the same shape: the mean
// over the entries whose target is not NaN. It is NaN if there are none. Callers skip such batches
// (see Labelled).
func BCEWithLogits(logits, target *tensor.Tensor) *tensor.Tensor {
	sameShape("BCEWithLogits", logits, target)
	y, mask := tensor.New(target.Shape()...), tensor.New(target.Shape()...)
	n := 0
	for i, v := range target.Data() {
		if !math.IsNaN(float64(v)) {
			y.Data()[i], mask.Data()[i] = v, 1
			n++
		}
	}
	logits = logits.RoundGrad()
	sum := logits.Softplus().Sub(logits.Mul(y)).Mul(mask).Sum()
	if n == 0 { // the mean of nothing: its gradient is 0, as in PyTorch
		return sum.MulScalar(0).AddScalar(float32(math.NaN()))
	}
	return sum.MulScalar(1 / float32(n))
}

// Labelled counts the targets that are not NaN.
func Labelled(target *tensor.Tensor) int {
	return lists.Count(target.Data(), func(v float32) bool { return !math.IsNaN(float64(v)) })
}

// MSE is the mean squared error over all elements of two tensors with the same shape.
func MSE(x, target *tensor.Tensor) *tensor.Tensor {
	sameShape("MSE", x, target)
	return x.Sub(target).Square().Mean()
}

// sameShape panics if the shapes of x and y differ. Broadcasting a column against a row would
// compare all pairs.
func sameShape(op string, x, y *tensor.Tensor) {
	if !slices.Equal(x.Shape(), y.Shape()) {
		panic(&tensor.ShapeError{Op: op, Shapes: [][]int{x.Shape(), y.Shape()}, Want: "equal shapes"})
	}
}
