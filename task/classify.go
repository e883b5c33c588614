package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// graphClassification predicts one class per graph, or several labels of two
// classes each (multilabel.go): the protocol of the paper's table 3 (GMT's
// settings): Adam 5e-4, for molecules 1e-3, with L2 1e-4, gradients clipped to norm
// 1, dropout 0.5 in the classifier, linear warm-up over 50 epochs and a cosine to
// 500; for one class stopping after 50 epochs without a lower validation loss.
var graphClassification = Task{
	Name:    "graph-classification",
	Title:   "one class per graph, or several labels",
	Default: "hyperdrop",
	Scores:  []string{"loss", "accuracy"},
	Resolve: func(s *Settings, p *Parts, training []*graph.Graph) error {
		info := p.main().Info
		switch {
		case info.NumClasses == 0 && info.NumTargets > 0:
			return resolveLabels(s, p, training)
		case info.NumNodeClasses > 1:
			return fmt.Errorf("task: graph-classification needs graphs with classes, the classes of %s are of nodes: see --task %s", info.Name, nodeClassification.Name)
		case info.NumClasses < 2:
			return fmt.Errorf("task: graph-classification needs graphs with at least 2 classes, found %d in %s", info.NumClasses, info.Name)
		}
		s.trainAs(recipeOf(s.Data), info.NumClasses)
		s.encodeCategories(training)
		return nil
	},
	Problem: func(m model.Model, s Settings) train.Problem {
		if s.Data.Targets != nil {
			return labelProblem(m, s)
		}
		return classProblem(m, s.Model.Out, func(b *graph.Batch) []int32 { return b.Labels },
			func(o *model.Output) *tensor.Tensor { return o.Graph })
	},
	Predict: func(s Settings) Predictor {
		if s.Data.Targets != nil {
			return newLabelRows(s.Data.Targets)
		}
		return &classRows{classes: s.Data.Classes, probability: make([][]float32, s.Model.Out)}
	},
}

// classProblem is the problem of one class per graph or per node: cross-entropy
// over those that have one, and accuracy.
func classProblem(m model.Model, classes int, of func(*graph.Batch) []int32, logits func(*model.Output) *tensor.Tensor) train.Problem {
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			l := labelsOf(of(b), classes)
			if l.Total == 0 {
				return nil, 0
			}
			out := m.Forward(p, b)
			total := loss.CrossEntropy(logits(out), l)
			if out.Aux != nil {
				total = total.Add(out.Aux)
			}
			return total, l.Total
		},
		Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
			l := labelsOf(of(b), classes)
			logp := logits(m.Forward(p, b)).LogSoftmax()
			right := 0
			for i, c := range argmaxRows(logp) {
				if c == l.Class[i] {
					right++
				}
			}
			return []train.Sum{
				{Name: "loss", Total: float64(loss.NLLSum(logp, l).Item()), Weight: l.Total},
				{Name: "accuracy", Total: float64(right), Weight: l.Total},
			}
		}),
	}
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

func (r *classRows) Add(out *model.Output, b *graph.Batch, of Items) {
	prob := out.Graph.Softmax()
	r.graph = append(r.graph, of.Graphs...)
	for i, c := range argmaxRows(prob) {
		r.add(b.Labels[i], c, prob.Data()[i*prob.Dim(1):])
	}
}

// add takes the classes of one item and the row of its probabilities.
func (r *classRows) add(label, prediction int32, probability []float32) {
	r.label = append(r.label, className(r.classes, label))
	r.prediction = append(r.prediction, className(r.classes, prediction))
	for k := range r.probability {
		r.probability[k] = append(r.probability[k], probability[k])
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
