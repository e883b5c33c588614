package auto

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/linear"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// Constants of trainLinear.
const (
	linearPenalty = 30 // of the squared weights of standardised columns
	smallCells    = 4_000_000
)

// linearPenalties are tried if rows times columns times outputs are at most smallCells.
var linearPenalties = []float64{1, linearPenalty, 1000}

// trainLinear fits a linear model exactly on the columns of one draw, with the penalty that has the lowest validation loss.
func trainLinear(_ context.Context, p *problem, _ columnSet, set *trainingSet, columns []int32) (Trained, error) {
	if set.static.Rows > p.large {
		set = set.sample(p.large / 2)
	}
	x := set.columns(0, columns)
	mean, scale := standardise(x)
	penalties := linearPenalties
	if x.Rows*x.Width*p.Out > smallCells || p.Quality == model.QualityFast {
		penalties = []float64{linearPenalty}
	}
	var best Trained
	least := math.Inf(1)
	for _, penalty := range penalties {
		fitted, err := p.fitLinear(x, set.y, p.Loss == LossAbsolute, linear.Options{Penalty: penalty})
		if err != nil {
			return Trained{}, err
		}
		m := &model.Linear{Mean: mean, Scale: scale, Weight: lists.Convert[float32](fitted.Weight), Bias: lists.Convert[float32](fitted.Bias), Classes: !p.Number}
		t, err := p.finish(Trained{}, m, columns)
		if err != nil {
			return Trained{}, err
		}
		if loss, _ := p.lossesOf(t.Prediction).mean(); best.Prediction == nil || loss < least {
			best, least = t, loss
		}
	}
	return best, nil
}

// Constants of trainShared.
const (
	sharedCells   = 640_000 // training rows times classes
	sharedClasses = 200     // most classes; the time of second derivatives grows with their square
	sharedFloor   = 1e-6    // smallest share in a logarithm
	sharedPenalty = 1       // of the squared weights
)

// trainShared fits logits of classes with the same weights for all classes. Its features are the columns about one
// class: shares of the class among known labels (as numbers and as logarithms) and scores.
func trainShared(_ context.Context, p *problem, _ columnSet, set *trainingSet, allowed []int32) (Trained, error) {
	set = set.sample(sharedCells / p.Out)
	m := &model.Linear{Classes: true}
	var read []int32 // columns that are read
	said := p.Layout.ByClass()
	for _, of := range said {
		read = append(read, of...)
	}
	slices.Sort(read)
	read = slices.DeleteFunc(slices.Compact(read), func(c int32) bool { return !slices.Contains(allowed, c) })
	m.Floor = make([]float32, len(read))
	inputs := int32(len(read))
	var of [][]int32 // input of each class, for each feature
	for f, feature := range said {
		places, logarithms := make([]int32, p.Out), make([]int32, p.Out)
		for c, column := range feature {
			at, has := slices.BinarySearch(read, column)
			if places[c], logarithms[c] = int32(at), -1; !has {
				places[c] = -1
			} else if f < columns.EndShares {
				m.Floor[at] = sharedFloor
				logarithms[c] = inputs
				inputs++
			}
		}
		if of = append(of, places); f < columns.EndShares {
			of = append(of, logarithms)
		}
	}
	x := m.Inputs(set.columns(0, read))
	m.Mean, m.Scale = make([]float32, inputs), make([]float32, inputs)
	for _, places := range of {
		standardiseTogether(m, x, slices.DeleteFunc(slices.Clone(places), func(place int32) bool { return place < 0 }))
	}
	weight, bias, err := linear.Shared(linear.Columns{X: x.Data, K: x.Width}, of, p.targets(set.y).Classes, p.Out, linear.Options{Penalty: sharedPenalty, Threads: p.Threads})
	if err != nil {
		return Trained{}, err
	}
	m.Bias, m.Weight = lists.Convert[float32](bias), make([]float32, int(inputs)*p.Out)
	for f, places := range of {
		for c, place := range places {
			if place >= 0 {
				m.Weight[int(place)*p.Out+c] = float32(weight[f])
			}
		}
	}
	return p.finish(Trained{}, m, read)
}

// fitLinear fits a linear model to rows of columns: numbers by absolute or squared errors, or logits of classes.
func (p *problem) fitLinear(x model.Block, y []float32, absolute bool, o linear.Options) (*linear.Model, error) {
	o.Threads = p.Threads
	rows, of := linear.Columns{X: x.Data, K: x.Width}, p.targets(y)
	if !p.Number {
		return linear.Logistic(rows, of.Classes, p.Out, o)
	}
	numbers := lists.Convert[float64](of.Numbers)
	if absolute {
		return linear.LeastAbsolute(rows, numbers, o)
	}
	return linear.LeastSquares(rows, numbers, o)
}

// predict returns the predictions of a learner for the validation edges.
func (p *problem) predict(l model.ColumnLearner, columns []int32) ([]float32, error) {
	y, err := l.Predict(p.valid.x.Select(columns), p.Threads)
	if err != nil {
		return nil, err
	}
	return model.Join(y, len(p.valid.y)*p.Out), nil
}

// fittedLearner is a linear model or trees.
type fittedLearner interface {
	model.ColumnLearner
	Learner(columns []int32) (model.Learner, map[string][]float32)
}

// finish adds a learner and its predictions to the result of its training.
func (p *problem) finish(t Trained, l fittedLearner, columns []int32) (_ Trained, err error) {
	if t.Prediction, err = p.predict(l, columns); err != nil {
		return Trained{}, err
	}
	t.Learner, t.Arrays = l.Learner(columns)
	return t, nil
}

// standardise subtracts the mean of each column, divides by its deviation and clips at LinearBound.
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

// standardiseTogether standardises some inputs by the common mean and deviation of all their numbers.
func standardiseTogether(m *model.Linear, x model.Block, places []int32) {
	var sum, squares float64
	each := func(f func(v *float32)) {
		for i := range x.Rows {
			for _, place := range places {
				f(&x.Data[i*x.Width+int(place)])
			}
		}
	}
	n := float64(max(x.Rows*len(places), 1))
	each(func(v *float32) { sum += float64(*v) })
	each(func(v *float32) { squares += (float64(*v) - sum/n) * (float64(*v) - sum/n) })
	mean, scale := float32(sum/n), float32(math.Sqrt(squares/n))
	if scale < 1e-6 {
		scale = 1
	}
	for _, place := range places {
		m.Mean[place], m.Scale[place] = mean, scale
	}
	each(func(v *float32) { *v = min(max((*v-mean)/scale, -model.LinearBound), model.LinearBound) })
}
