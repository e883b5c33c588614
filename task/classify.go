package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// graphClassification predicts one class per graph: the protocol of the paper's
// table 3 (GMT's settings): Adam 5e-4 with L2 1e-4, gradients clipped to norm 1,
// dropout 0.5 in the classifier, linear warm-up over 50 epochs and a cosine to
// 500, stopping after 50 epochs without a lower validation loss.
var graphClassification = Task{
	Name:   "graph-classification",
	Title:  "one class per graph",
	Scores: []string{"loss", "accuracy"},
	Resolve: func(s *Settings, p *Parts, training []*graph.Graph) error {
		info := p.main().Info
		if info.NumClasses < 2 {
			return fmt.Errorf("task: graph-classification needs graphs with at least 2 classes, found %d in %s", info.NumClasses, info.Name)
		}
		r := recipeOf(info.Name)
		s.Model.Out = info.NumClasses
		s.Model.Hidden, s.Model.EdgeHidden, s.Model.Layers = r.hidden, r.edgeHidden, 3
		s.Model.Ratio, s.Model.Dropout = r.ratio, 0.5
		s.Train = train.Config{Epochs: 500, BatchSize: r.batch, LR: 5e-4, ClipNorm: 1, Patience: 50,
			Optimizer: optim.Config{Name: "adam", WeightDecay: 1e-4},
			Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: 50}}
		return nil
	},
	Problem: func(m model.Model, s Settings) train.Problem {
		return train.Problem{
			Model: m,
			Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
				l := labelsOf(b.Labels, s.Model.Out)
				if l.Total == 0 {
					return nil, 0
				}
				out := m.Forward(p, b)
				total := loss.CrossEntropy(out.Graph, l)
				if out.Aux != nil {
					total = total.Add(out.Aux)
				}
				return total, l.Total
			},
			Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
				l := labelsOf(b.Labels, s.Model.Out)
				logp := m.Forward(p, b).Graph.LogSoftmax()
				right := 0
				for i, c := range argmaxRows(logp) {
					if c == b.Labels[i] {
						right++
					}
				}
				return []train.Sum{
					{Name: "loss", Total: float64(loss.NLLSum(logp, l).Item()), Weight: l.Total},
					{Name: "accuracy", Total: float64(right), Weight: l.Total},
				}
			}),
		}
	},
	Predict: func(s Settings) Predictor {
		return &classRows{classes: s.Data.Classes, probability: make([][]float32, s.Model.Out)}
	},
}

// labelsOf checks labels again: a batch with a class the model has no output
// for is a shape bug of its caller.
func labelsOf(class []int32, classes int) *loss.Labels {
	l, err := loss.NewLabels(class, classes, nil)
	if err != nil {
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(class)}, {classes}}, Want: err.Error()})
	}
	return l
}

// argmaxRows is the column of the largest value of each row, the first of equal
// ones.
func argmaxRows(x *tensor.Tensor) []int32 {
	n, d := x.Dim(0), x.Dim(1)
	out := make([]int32, n)
	for i := range out {
		row := x.Data()[i*d : (i+1)*d]
		for j, v := range row {
			if v > row[out[i]] {
				out[i] = int32(j)
			}
		}
	}
	return out
}

// classRows collects a row per graph: its id, the true class where there is one,
// the predicted class and the probability of each class.
type classRows struct {
	classes           []string
	graph             []int
	label, prediction []string
	probability       [][]float32
}

func (r *classRows) Add(out *model.Output, b *graph.Batch, ids []int) {
	prob := out.Graph.Softmax()
	for i, c := range argmaxRows(prob) {
		r.graph = append(r.graph, ids[i])
		r.label = append(r.label, className(r.classes, b.Labels[i]))
		r.prediction = append(r.prediction, className(r.classes, c))
		for k := range r.probability {
			r.probability[k] = append(r.probability[k], prob.Data()[i*len(r.probability)+k])
		}
	}
}

func (r *classRows) Table() *report.Table {
	t := &report.Table{Columns: []report.Column{
		report.Ints("graph", r.graph), report.Strings("label", r.label), report.Strings("prediction", r.prediction)}}
	for k, p := range r.probability {
		t.Columns = append(t.Columns, report.Floats("probability_"+className(r.classes, int32(k)), p))
	}
	return t
}

// className is the text a class has in the data; empty for none.
func className(classes []string, c int32) string {
	switch {
	case c < 0:
		return ""
	case int(c) < len(classes):
		return classes[c]
	}
	return fmt.Sprint(c)
}
