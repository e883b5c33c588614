package linear

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Model is a linear map of k columns to out numbers.
type Model struct {
	Weight []float64 // [k,out]
	Bias   []float64 // [out]
}

// Apply computes the outputs of one row of columns.
func (m *Model) Apply(to []float64, row []float32) {
	copy(to, m.Bias)
	out := len(m.Bias)
	if out == 1 {
		sum, weight := to[0], m.Weight[:len(row)]
		for j, x := range row {
			sum += float64(x) * weight[j]
		}
		to[0] = sum
		return
	}
	for j, x := range row {
		if x != 0 {
			axpy(to, float64(x), m.Weight[j*out:][:out])
		}
	}
}

// Columns are rows of k numbers.
type Columns struct {
	X []float32 // [n,k]
	K int       // may be 0
}

// Options say how a model is fitted.
type Options struct {
	Penalty float64 // factor of the squared weights of standardised columns; 0 for none
	Raw     bool    // the penalty applies to the weights of the columns before standardisation
	// Tolerance is the largest derivative of the mean loss at a solution; 0 means 1e-6.
	Tolerance float64
	Threads   int // 0 for all processors; results do not depend on it
}

// Logistic fits logits of classes by cross-entropy. Without columns the logits are the logarithms
// of the classes' shares, up to a constant. Each class needs at least one row.
func Logistic(x Columns, class []int32, classes int, o Options) (*Model, error) {
	count := make([]int, classes)
	for i, c := range class {
		if c < 0 || int(c) >= classes {
			return nil, fmt.Errorf("linear: row %d is of class %d, expected 0 to %d", i, c, classes-1)
		}
		count[c]++
	}
	for c, n := range count {
		if n == 0 {
			return nil, fmt.Errorf("linear: no row is of class %d", c)
		}
	}
	if classes == 2 {
		return logisticOfTwo(x, class, o)
	}
	return fit(x, len(class), &crossEntropy{class: class, share: make([]float64, len(class)*classes), classes: classes}, o)
}

// logisticOfTwo fits the logit w of the second class: -w/2 and w/2 are the weights of the two classes with the smallest penalty.
func logisticOfTwo(x Columns, class []int32, o Options) (*Model, error) {
	o.Penalty /= 2
	m, err := fit(x, len(class), &logit{class: class, share: make([]float64, len(class))}, o)
	if err != nil {
		return nil, err
	}
	both := func(of []float64) (out []float64) {
		for _, v := range of {
			out = append(out, -v/2, v/2)
		}
		return out
	}
	return &Model{Weight: both(m.Weight), Bias: both(m.Bias)}, nil
}

// LeastSquares fits one number by squared errors.
func LeastSquares(x Columns, y []float64, o Options) (*Model, error) {
	return fit(x, len(y), squares(y), o)
}

// LeastAbsolute fits one number by absolute errors, smoothed near 0: √(e²+d²)-d, where d is a tenth of the mean
// distance of y from its median. The default of Options.Tolerance is 2e-3 here.
func LeastAbsolute(x Columns, y []float64, o Options) (*Model, error) {
	sorted := slices.Sorted(slices.Values(y))
	distance := lists.SumOf(y, func(v float64) float64 { return math.Abs(v - sorted[len(y)/2]) })
	smooth := smoothShare * distance / float64(len(y))
	if !(smooth > 0) { // all numbers equal the median
		return LeastSquares(x, y, o)
	}
	o.Tolerance = cmp.Or(o.Tolerance, 2e-3)
	return fit(x, len(y), &absolute{y: y, smooth: smooth, weight: make([]float64, len(y))}, o)
}

// smoothShare is the width of the smoothed part of absolute errors, as a share of the mean distance from the median.
const smoothShare = 0.1

// loss is the loss of the rows, the objective without its penalty.
type loss interface {
	// out is the number of scores of a row.
	out() int
	// at returns the loss of a row with scores z, and replaces z by its derivatives. Later calls of
	// curve and bend use the second derivatives at z.
	at(row int, z []float64) float64
	// curve multiplies a change of the row's scores by the second derivatives.
	curve(row int, z []float64)
	// bend is the row's second derivative in score c.
	bend(row, c int) float64
}

type crossEntropy struct {
	class   []int32
	classes int
	share   []float64 // [n,classes] softmax of the last scores
}

func (c *crossEntropy) out() int { return c.classes }

func (c *crossEntropy) at(row int, z []float64) float64 {
	most := math.Inf(-1)
	for _, v := range z {
		most = max(most, v)
	}
	own, sum := z[c.class[row]], 0.0
	share := c.share[row*c.classes:][:c.classes]
	for k, v := range z {
		share[k] = math.Exp(v - most)
		sum += share[k]
	}
	for k := range share {
		share[k] /= sum
		z[k] = share[k]
	}
	z[c.class[row]]--
	return math.Log(sum) + most - own
}

func (c *crossEntropy) curve(row int, z []float64) {
	share := c.share[row*c.classes:][:c.classes]
	mean := dot(share, z)
	for k := range z {
		z[k] = share[k] * (z[k] - mean)
	}
}

func (c *crossEntropy) bend(row, k int) float64 {
	share := c.share[row*c.classes+k]
	return share * (1 - share)
}

// logit is the cross-entropy of two classes as a function of the logit of the second class.
type logit struct {
	class []int32
	share []float64 // [n] probability of the second class by the last scores
}

func (*logit) out() int { return 1 }

func (l *logit) at(row int, z []float64) float64 {
	small := math.Exp(-math.Abs(z[0]))
	p, loss := 1/(1+small), math.Log1p(small)
	if z[0] < 0 {
		p = small / (1 + small)
	}
	y := float64(l.class[row])
	if (z[0] > 0) != (y == 1) {
		loss += math.Abs(z[0])
	}
	l.share[row], z[0] = p, p-y
	return loss
}

func (l *logit) curve(row int, z []float64) { z[0] *= l.bend(row, 0) }

func (l *logit) bend(row, _ int) float64 { return l.share[row] * (1 - l.share[row]) }

type squares []float64

func (squares) out() int { return 1 }

func (y squares) at(row int, z []float64) float64 {
	z[0] -= y[row]
	return z[0] * z[0] / 2
}

func (squares) curve(int, []float64) {}

func (squares) bend(int, int) float64 { return 1 }

// absolute is the smoothed absolute error. In place of second derivatives, which vanish far from 0, it uses the larger
// weights of iteratively reweighted least squares: steps never overshoot.
type absolute struct {
	y      []float64
	smooth float64
	weight []float64 // 1/√(e²+d²)
}

func (*absolute) out() int { return 1 }

func (l *absolute) at(row int, z []float64) float64 {
	e := z[0] - l.y[row]
	root := math.Hypot(e, l.smooth)
	l.weight[row], z[0] = 1/root, e/root
	return root - l.smooth
}

func (l *absolute) curve(row int, z []float64) { z[0] *= l.weight[row] }

func (l *absolute) bend(row, _ int) float64 { return l.weight[row] }

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// axpy adds a multiple of x to y.
func axpy(y []float64, a float64, x []float64) {
	for i, v := range x {
		y[i] += a * v
	}
}
