package auto

import (
	"context"
	"math"

	"github.com/ehgnn/ehgnn/internal/linear"
	"github.com/ehgnn/ehgnn/model"
)

// linearPenalty is that of the squared weights of standardised columns.
const linearPenalty = 1

// trainLinear fits a linear model of the columns of one draw, exactly.
func trainLinear(_ context.Context, p *problem, _ columnSet, set *trainingSet, columns []int32) (Trained, error) {
	if set.static.Rows > p.large {
		set = set.sample(p.large / 2)
	}
	x := set.columns(0, columns)
	mean, scale := standardise(x)
	fitted, err := p.fitLinear(x, set.y, linear.Options{Penalty: linearPenalty})
	if err != nil {
		return Trained{}, err
	}
	m := &model.Linear{Mean: mean, Scale: scale, Weight: narrow(fitted.Weight), Bias: narrow(fitted.Bias), Classes: !p.Number}
	prediction, err := p.predict(m, columns)
	if err != nil {
		return Trained{}, err
	}
	t := Trained{Prediction: prediction}
	t.Learner, t.Arrays = m.Learner(columns)
	return t, nil
}

// fitLinear fits a linear model of numbers, or of logits of classes, to rows of columns.
func (p *problem) fitLinear(x model.Block, y []float32, o linear.Options) (*linear.Model, error) {
	o.Threads = p.Threads
	rows, of := linear.Columns{X: x.Data, K: x.Width}, p.targets(y)
	if !p.Number {
		return linear.Logistic(rows, of.Classes, p.Out, o)
	}
	numbers := make([]float64, len(of.Numbers))
	for i, v := range of.Numbers {
		numbers[i] = float64(v)
	}
	return linear.LeastSquares(rows, numbers, o)
}

// predict has the predictions of a learner for the validation edges.
func (p *problem) predict(l model.ColumnLearner, columns []int32) ([]float32, error) {
	y, err := l.Predict(p.valid.x.Select(columns), p.Threads)
	if err != nil {
		return nil, err
	}
	return model.Join(y, len(p.valid.y)*p.Out), nil
}

// standardise subtracts the mean of each column, divides by its deviation and cuts what is left off at LinearBound.
func standardise(x model.Block) (mean, scale []float32) {
	mean, scale = make([]float32, x.Width), make([]float32, x.Width)
	sum, squares, n := make([]float64, x.Width), make([]float64, x.Width), float64(max(x.Rows, 1))
	each := func(f func(row []float32)) {
		for i := range x.Rows {
			f(x.Data[i*x.Width:][:x.Width])
		}
	}
	each(func(row []float32) {
		for c, v := range row {
			sum[c] += float64(v)
		}
	})
	each(func(row []float32) {
		for c, v := range row {
			d := float64(v) - sum[c]/n
			squares[c] += d * d
		}
	})
	for c := range mean {
		mean[c], scale[c] = float32(sum[c]/n), float32(math.Sqrt(squares[c]/n))
		if scale[c] < 1e-6 {
			scale[c] = 1
		}
	}
	each(func(row []float32) {
		for c, v := range row {
			row[c] = min(max((v-mean[c])/scale[c], -model.LinearBound), model.LinearBound)
		}
	})
	return mean, scale
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
