package tabular

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// Targets are the labels of rows: numbers, or classes for CrossEntropy.
type Targets struct {
	Numbers []float32
	Classes []int32
	Weights []float32 // of the rows, not negative; nil for equal weights
}

// check compares targets with the loss and the number of rows.
func (t *Targets) check(name string, s *Spec, rows int) error {
	n := len(t.Numbers)
	if !s.numbers() {
		n = len(t.Classes)
	}
	switch {
	case n != rows:
		return fmt.Errorf("tabular: %s: %d targets of %d rows", name, n, rows)
	case rows == 0:
		return fmt.Errorf("tabular: %s: no rows", name)
	case t.Weights != nil && len(t.Weights) != rows:
		return fmt.Errorf("tabular: %s: %d weights of %d rows", name, len(t.Weights), rows)
	}
	if s.numbers() {
		for i, y := range t.Numbers {
			if !finite(y) {
				return fmt.Errorf("tabular: %s: target %v of row %d, expected a finite number", name, y, i)
			}
		}
	} else {
		for i, c := range t.Classes {
			if c < 0 || int(c) >= s.Classes {
				return fmt.Errorf("tabular: %s: class %d of row %d, expected 0 to %d", name, c, i, s.Classes-1)
			}
		}
	}
	return t.checkWeights(name)
}

func (t *Targets) checkWeights(name string) error {
	if t.Weights == nil {
		return nil
	}
	sum := 0.0
	for i, w := range t.Weights {
		if !finite(w) || w < 0 {
			return fmt.Errorf("tabular: %s: weight %v of row %d, expected a finite number, 0 or more", name, w, i)
		}
		sum += float64(w)
	}
	if sum == 0 {
		return fmt.Errorf("tabular: %s: all weights are 0", name)
	}
	return nil
}

// batchTargets are the targets of a batch in the form that the loss reads.
type batchTargets struct {
	y      *tensor.Tensor // [1,rows,1] standardised numbers, or 0 and 1 for two classes
	class  []int32        // [members·rows] if there are more classes
	weight *tensor.Tensor // [1,rows,1] with mean 1 over all rows, or nil
}

// lossOf is the mean loss of the outputs z [members, rows, out].
func lossOf(s *Spec, z *tensor.Tensor, t *batchTargets) *tensor.Tensor {
	l := rowLosses(s, z, t)
	if t.weight != nil {
		l = l.Mul(t.weight)
	}
	return l.Mean()
}

// rowLosses is the loss of each member, row and output.
func rowLosses(s *Spec, z *tensor.Tensor, t *batchTargets) *tensor.Tensor {
	if s.Loss == CrossEntropy && s.Classes > 2 {
		members, rows, out := z.Dim(0), z.Dim(1), z.Dim(2)
		logp := z.Reshape(members*rows, out).LogSoftmax()
		return tensor.Pick(logp, t.class).Neg().Reshape(members, rows, 1)
	}
	if s.Loss == CrossEntropy {
		return z.Softplus().Sub(z.Mul(t.y))
	}
	d := z.Sub(t.y)
	switch s.Loss {
	case Squared:
		return d.Square()
	case Huber:
		// c·(2a-c)/2β with c = min(a, β) and a = |d| is d²/2β below β and a-β/2 above.
		a := d.Abs()
		c := a.Clamp(0, huberBeta)
		return c.Mul(a.MulScalar(2).Sub(c)).MulScalar(0.5 / huberBeta)
	case Quantile:
		// |d|/2 + (1/2-q)·d is q·|d| below the target and (1-q)·|d| above.
		lean := tensor.TapeOf(z).New(1, 1, len(s.Quantiles))
		for i, q := range s.Quantiles {
			lean.Data()[i] = float32(0.5 - q)
		}
		return d.Abs().MulScalar(0.5).Add(d.Mul(lean))
	}
	return d.Abs()
}

// LossOf is the mean loss of predictions as Predict writes them, weighted by row. For numbers it is
// the loss of standardised numbers.
func (s *Spec) LossOf(predicted []float32, t Targets) float64 {
	out := s.Outputs()
	sum, total := 0.0, 0.0
	for i := range len(predicted) / out {
		w := 1.0
		if t.Weights != nil {
			w = float64(t.Weights[i])
		}
		total += w
		sum += w * s.rowLoss(predicted[i*out:][:out], &t, i)
	}
	return sum / total
}

func (s *Spec) rowLoss(p []float32, t *Targets, i int) float64 {
	if !s.numbers() {
		return -math.Max(float64(p[t.Classes[i]]), leastLog)
	}
	sum := 0.0
	for k, v := range p {
		d := (float64(v) - float64(t.Numbers[i])) / s.Deviation
		a := math.Abs(d)
		switch {
		case s.Loss == Squared:
			a = d * d
		case s.Loss == Huber && a < huberBeta:
			a = d * d / (2 * huberBeta)
		case s.Loss == Huber:
			a -= huberBeta / 2
		case s.Loss == Quantile:
			a = a/2 + (0.5-s.Quantiles[k])*d
		}
		sum += a
	}
	return sum / float64(len(p))
}

// leastLog is the smallest log probability in a loss, log(1e-7), so that a single confident mistake
// does not decide between epochs.
const leastLog = -16.11809565095832
