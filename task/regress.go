package task

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// graphRegression predicts one or several numbers per graph, some of which may be
// missing. The model learns them less their mean over the training graphs and
// divided by their deviation, by squared error; scores and predictions are in the
// unit of the data. The paper has no such table: settings are those of
// graph-classification, with patience on the validation loss.
var graphRegression = Task{
	Name:    "graph-regression",
	Title:   "numbers per graph",
	Default: "hyperdrop",
	Scores:  []string{"loss", "mae", "rmse", "r2"},
	Resolve: func(s *Settings, p *Parts, training []*graph.Graph) error {
		info := p.main().Info
		if info.NumTargets < 1 {
			return fmt.Errorf("task: graph-regression needs graphs with numbers to predict, %s has none", info.Name)
		}
		var err error
		if s.Data.Targets, err = p.targets(); err != nil {
			return err
		}
		if !labelled(training) {
			return fmt.Errorf("task: %s: no graph to train on has a number to predict", info.Name)
		}
		s.Data.Units = unitsOf(training, info.NumTargets)
		s.trainAs(recipeOf(s.Data), info.NumTargets)
		s.encodeCategories(training)
		return nil
	},
	Problem: func(m model.Model, s Settings) train.Problem {
		u := units(s.Data.Units)
		mean := func(out, target *tensor.Tensor) *tensor.Tensor { return maskedMSE(out, u.scaled(target)) }
		return targetProblem(m, s.Model.Out, mean, func() train.Scorer {
			return &targetScorer{model: m, out: s.Model.Out, mean: mean,
				scores: func(prediction, target []float32, loss float64) (train.Scores, error) {
					u.restore(prediction)
					out := train.Scores{{Name: "loss", Value: loss}}
					for _, f := range []struct {
						name string
						of   func(prediction, target []float32) (float64, error)
					}{{"mae", metric.MAE}, {"rmse", metric.RMSE}, {"r2", metric.R2}} {
						v, _, err := metric.OverTasks(prediction, target, s.Model.Out, f.of)
						if v, err = orNaN(v, err); err != nil {
							return nil, err
						}
						out = append(out, train.Score{Name: f.name, Value: v})
					}
					return out, nil
				}}
		})
	},
	Predict: func(s Settings) Predictor {
		n := len(s.Data.Targets)
		return &numberRows{names: s.Data.Targets, units: units(s.Data.Units), target: make([][]float32, n), prediction: make([][]float32, n)}
	},
}

// Unit is what a target was before it was scaled: mean and deviation over the
// training graphs that have it.
type Unit struct {
	Mean  float64 `json:"mean" yaml:"mean"`
	Scale float64 `json:"scale" yaml:"scale"` // 1 where all are equal
}

type units []Unit

// unitsOf measures the targets of the training graphs.
func unitsOf(graphs []*graph.Graph, targets int) units {
	out := make(units, targets)
	for k := range out {
		n, sum, squares := 0.0, 0.0, 0.0
		each := func(f func(v float64)) {
			for _, g := range graphs {
				if v := float64(g.Targets[k]); !math.IsNaN(v) {
					f(v)
				}
			}
		}
		each(func(v float64) { n, sum = n+1, sum+v })
		if out[k].Scale = 1; n == 0 {
			continue
		}
		out[k].Mean = sum / n
		each(func(v float64) { squares += (v - out[k].Mean) * (v - out[k].Mean) })
		if s := math.Sqrt(squares / n); s > 0 {
			out[k].Scale = s
		}
	}
	return out
}

// scaled are targets [n,t] in the model's unit.
func (u units) scaled(target *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(target.Shape()...)
	for i, v := range target.Data() {
		k := u[i%len(u)]
		out.Data()[i] = float32((float64(v) - k.Mean) / k.Scale)
	}
	return out
}

// restore puts predictions, row by row, into the unit of the data.
func (u units) restore(prediction []float32) {
	for i, v := range prediction {
		k := u[i%len(u)]
		prediction[i] = float32(float64(v)*k.Scale + k.Mean)
	}
}

// maskedMSE is the mean squared error over the targets that are not NaN, of which
// there is one at least.
func maskedMSE(out, target *tensor.Tensor) *tensor.Tensor {
	y, mask := tensor.New(target.Shape()...), tensor.New(target.Shape()...)
	for i, v := range target.Data() {
		if !math.IsNaN(float64(v)) {
			y.Data()[i], mask.Data()[i] = v, 1
		}
	}
	return out.Sub(y).Mul(mask).Square().Sum().MulScalar(1 / float32(loss.Labelled(target)))
}

// numberRows collects a row per graph: its id, and for each target the true value,
// NaN where it is missing, and the predicted one.
type numberRows struct {
	names              []string
	units              units
	graph              []int
	target, prediction [][]float32
}

func (r *numberRows) Add(out *model.Output, b *graph.Batch, of Items) {
	r.graph = append(r.graph, of.Graphs...)
	prediction := out.Graph.Clone()
	r.units.restore(prediction.Data())
	appendColumns(r.prediction, prediction)
	appendTargets(r.target, targetsOf(b, len(r.names)), b.N)
}

func (r *numberRows) Table() *report.Table {
	t := &report.Table{Columns: []report.Column{report.Ints("graph", r.graph)}}
	for k, name := range r.names {
		t.Columns = append(t.Columns, report.Floats("target_"+name, r.target[k]), report.Floats("prediction_"+name, r.prediction[k]))
	}
	return t
}
