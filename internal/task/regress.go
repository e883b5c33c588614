package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// GraphRegression predicts one or several numbers for each graph, some of which may be missing. The
// model learns numbers that are standardised over the training graphs, with squared error. Scores
// and predictions are in the unit of the data. The paper has no such table.
var GraphRegression = &Task{
	Kind:    settings.Kind{Name: "graph-regression", Title: "numbers per graph", Level: settings.Graphs, Collection: true, Number: true},
	Default: "hyperdrop",
	Scores:  []string{"loss", "mae", "rmse", "r2"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Graphs)
		if err != nil {
			return err
		}
		if len(l.Targets) == 0 {
			return fmt.Errorf("graph-regression needs graphs with regression targets, %s has none", d.Name())
		}
		training := parts[source.PartTrain].Graphs
		if !labelled(training, settings.Graphs) {
			return fmt.Errorf("%s: no graph to train on has a number to predict", d.Name())
		}
		s.Target.Names = l.Targets
		s.Target.Units = UnitsOf(training, settings.Graphs, len(l.Targets))
		graphDefaults(s, len(l.Targets), training)
		encodeCategories(s, parts)
		return nil
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem { return numberProblem(m, s, settings.Graphs) },
	Predict: func(s *settings.Settings) Predictor { return NewNumberRows(s, settings.Graphs) },
	Finish:  func(s *settings.Settings) Chooser { return newNumberChooser(s, settings.Graphs) },
}

type units []settings.Unit

// NumbersOf returns the numbers that are estimated for items, item by item.
func NumbersOf(items settings.Level, g *graph.Graph) []float32 {
	return settings.ByLevel(items, g.Targets, g.NodeTargets, g.EdgeTargets)
}

// UnitsOf returns the mean and the deviation of each target over the training graphs.
func UnitsOf(graphs []*graph.Graph, items settings.Level, targets int) units {
	out := make(units, targets)
	for k := range out {
		n, sum, squares := 0.0, 0.0, 0.0
		each := func(f func(v float64)) {
			for _, g := range graphs {
				all := NumbersOf(items, g)
				for i := k; i < len(all); i += targets {
					if v := float64(all[i]); !math.IsNaN(v) {
						f(v)
					}
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

// Scaled returns standardised targets [n,t].
func (u units) Scaled(target *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(target.Shape()...)
	for i, v := range target.Data() {
		k := u[i%len(u)]
		out.Data()[i] = float32((float64(v) - k.Mean) / k.Scale)
	}
	return out
}

// Restore converts standardised predictions to the unit of the data.
func (u units) Restore(prediction []float32) {
	for i, v := range prediction {
		k := u[i%len(u)]
		prediction[i] = float32(float64(v)*k.Scale + k.Mean)
	}
}

// numberProblem is the problem of predicting numbers, some of which may be missing. It trains with
// squared error, for edges with robustLoss. Scores use squared error in the unit of the data, and
// the loss of a trained model is the mean over the targets in this unit.
func numberProblem(m model.Model, s *settings.Settings, items settings.Level) train.Problem {
	u := units(s.Target.Units)
	mean := func(out, target *tensor.Tensor) *tensor.Tensor { return MaskedMSE(out, u.Scaled(target)) }
	learn := mean
	if items == settings.Edges {
		learn = func(out, target *tensor.Tensor) *tensor.Tensor { return robustLoss(out, u.Scaled(target)) }
	}
	return targetProblem(m, items, s.Model.Out, learn, func() train.Scorer {
		return &targetScorer{model: m, items: items, out: s.Model.Out, mean: mean, bounded: func(o *model.Output) []float32 { return boundsOf(s, items, o) },
			scores: func(prediction, bounds, target []float32, loss float64, final bool) (train.Scores, error) {
				u.Restore(prediction)
				if final {
					mse, _, err := metric.OverTasks(prediction, target, s.Model.Out, metric.MSE)
					if loss, err = orNaN(mse, err); err != nil {
						return nil, err
					}
				}
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
				if c := s.Target.Conformal; c != nil {
					out = append(out, c.OfIntervals(prediction, bounds, target)...)
				}
				return out, nil
			}}
	})
}

// MaskedMSE is the mean squared error over the targets that are not NaN. There must be at
// least one.
func MaskedMSE(out, target *tensor.Tensor) *tensor.Tensor {
	return missed(out, target).Square().Sum().MulScalar(1 / float32(loss.Labelled(target)))
}

// missed is the difference between output and target, 0 if the target is NaN.
func missed(out, target *tensor.Tensor) *tensor.Tensor {
	y, mask := tensor.New(target.Shape()...), tensor.New(target.Shape()...)
	for i, v := range target.Data() {
		if !math.IsNaN(float64(v)) {
			y.Data()[i], mask.Data()[i] = v, 1
		}
	}
	return out.Sub(y).Mul(mask)
}

// robustLoss is Huber's loss over the targets that are not NaN; there must be at least one. It is
// squared error up to twice the median error of the batch and grows like absolute error beyond, so
// that a few outliers do not dominate training (Huber 1964). Its unit is this bound, so its
// absolute value has little meaning.
func robustLoss(out, target *tensor.Tensor) *tensor.Tensor {
	wrong := missed(out, target).Abs()
	var known []float32
	for i, v := range target.Data() {
		if v == v {
			known = append(known, wrong.Data()[i])
		}
	}
	slices.Sort(known)
	bound := max(2*known[len(known)/2], 1e-6)
	near := wrong.Clamp(0, bound)
	return near.Square().MulScalar(0.5 / bound).Add(wrong.Sub(near)).Sum().MulScalar(1 / float32(len(known)))
}

// robustMonitor selects epochs by a loss like robustLoss, because a few outliers dominate squared
// error.
var robustMonitor = train.Monitor{Metric: "mae"}

// targetsOf returns the labels or numbers [n,out] of the items of a batch, NaN if missing; nil if
// the items have none that this model predicts.
func targetsOf(items settings.Level, b *graph.Batch, out int) *tensor.Tensor {
	t := settings.ByLevel(items, b.Targets, b.NodeTargets, b.EdgeTargets)
	if t == nil || t.Dim(1) != out {
		return nil
	}
	return t
}

// targetProblem trains on targets, some of which are missing, with a mean loss over the others.
func targetProblem(m model.Model, items settings.Level, out int, mean func(out, target *tensor.Tensor) *tensor.Tensor, score func() train.Scorer) train.Problem {
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			target := targetsOf(items, b, out)
			if target == nil {
				return nil, 0
			}
			n := loss.Labelled(target)
			if n == 0 {
				return nil, 0
			}
			o := m.Forward(p, b)
			if o.Learn != nil {
				if target = learnedNumbers(o, target); loss.Labelled(target) == 0 {
					return nil, 0
				}
				n = loss.Labelled(target)
			}
			total := mean(OutputOf(items, o), target)
			if o.Aux != nil {
				total = total.Add(o.Aux)
			}
			return total, float64(n)
		},
		Score: score,
	}
}

// targetScorer collects all predictions and targets, and sums the loss.
type targetScorer struct {
	model      model.Model
	items      settings.Level
	out        int
	mean       func(out, target *tensor.Tensor) *tensor.Tensor
	bounded    func(o *model.Output) []float32 // see boundsOf; nil for none
	scores     func(prediction, bounds, target []float32, loss float64, final bool) (train.Scores, error)
	prediction []float32
	bounds     []float32
	target     []float32
	total      float64
	weight     int
	final      bool
}

func (s *targetScorer) Settle() { s.final = true }

func (s *targetScorer) Add(p *nn.Pass, b *graph.Batch) {
	target := targetsOf(s.items, b, s.out)
	if target == nil {
		return
	}
	o := s.model.Forward(p, b)
	out := OutputOf(s.items, o)
	if s.bounded != nil {
		s.bounds = append(s.bounds, s.bounded(o)...)
	}
	s.prediction = append(s.prediction, out.Data()...)
	s.target = append(s.target, target.Data()...)
	if n := loss.Labelled(target); n > 0 {
		s.total += float64(s.mean(out, target).Item()) * float64(n)
		s.weight += n
	}
}

func (s *targetScorer) Scores() (train.Scores, error) {
	return s.scores(s.prediction, s.bounds, s.target, s.total/float64(s.weight), s.final)
}
