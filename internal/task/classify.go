package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// GraphClassification predicts one class for each graph, or several binary labels (multilabel.go).
// With a named model it follows the protocol of the paper's table 3, which uses GMT's settings: Adam
// at 5e-4 (1e-3 for molecules) with L2 of 1e-4, gradients clipped to norm 1, dropout 0.5 in the
// classifier, a linear warm-up over 50 epochs and a cosine schedule to epoch 500. When it predicts
// one class, it stops after 50 epochs without a lower validation loss.
var GraphClassification = &Task{
	Kind:    settings.Kind{Name: "graph-classification", Title: "one class per graph, or several labels", Level: settings.Graphs, Collection: true},
	Default: "hyperdrop",
	Scores:  []string{"loss", "accuracy"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Graphs)
		switch {
		case err != nil:
			return err
		case l.Classes == 0 && l.Targets != nil:
			return resolveLabels(s, l, d, parts)
		case l.Classes < 2:
			return fmt.Errorf("graph-classification needs graphs with at least 2 classes, found %d in %s%s", l.Classes, d.Name(), classesElsewhere(d))
		}
		s.Target.Classes = l.ClassNames
		graphDefaults(s, l.Classes, parts[source.PartTrain].Graphs)
		encodeCategories(s, parts)
		return nil
	},
	Check: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		valid := parts[source.PartValid]
		if s.Target.Names != nil && s.Train.Monitor.Metric == "roc_auc" && valid != nil && len(valid.Graphs) > 0 && !bothClasses(valid.Graphs, s.Model.Out) {
			return fmt.Errorf("%s: no label has both classes among the validation graphs, which ROC-AUC needs", d.Name())
		}
		return nil
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem {
		if s.Target.Names != nil {
			return LabelProblem(m, s)
		}
		return classProblem(m, s, settings.Graphs)
	},
	Predict: func(s *settings.Settings) Predictor {
		if s.Target.Names != nil {
			return newLabelRows(s)
		}
		return newClassRows(s, settings.Graphs)
	},
	Finish: func(s *settings.Settings) Chooser {
		if s.Target.Names != nil {
			return nil
		}
		return newClassChooser(s, settings.Graphs)
	},
}

// classesElsewhere is a hint for data in which nodes have classes and graphs have none.
func classesElsewhere(d source.Data) string {
	if l, err := d.Labels(settings.Nodes); err == nil && l.Classes > 1 {
		return fmt.Sprintf(": the classes are of nodes: see --task %s", NodeClassification.Name)
	}
	return ""
}

// OutputOf is the model's output for items, one row for each: logits or numbers.
func OutputOf(items settings.Level, o *model.Output) *tensor.Tensor {
	return settings.ByLevel(items, o.Graph, o.Node, o.Edge)
}

// classesOf returns the classes of the items of a batch; nil if no item has one.
func classesOf(items settings.Level, b *graph.Batch) []int32 {
	return settings.ByLevel(items, b.Labels, b.NodeLabels, b.EdgeLabels)
}

// ClassesOfGraph returns the classes of the items of a graph.
func ClassesOfGraph(items settings.Level, g *graph.Graph) []int32 {
	return settings.ByLevel(items, []int32{g.Label}, g.NodeLabel, g.EdgeLabel)
}

// classLoss is the mean cross-entropy over the items of a batch that have a class.
type classLoss struct {
	items   settings.Level
	classes int
	weights []float32 // nil for weights of 1
	smooth  float64   // see Target.LabelSmoothing
}

func lossOf(s *settings.Settings, items settings.Level) classLoss {
	return classLoss{items, s.Model.Out, s.Target.Weights(), s.Target.LabelSmoothing}
}

// labels are the classes of the items of a batch. A class without an output of the model is a bug
// of the caller.
func (c classLoss) labels(b *graph.Batch) *loss.Labels { return c.labelsOf(classesOf(c.items, b)) }

func (c classLoss) labelsOf(class []int32) *loss.Labels {
	l, err := loss.NewLabels(class, c.classes, c.weights)
	if err != nil {
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(class)}, {c.classes}}, Want: err.Error()})
	}
	return l
}

// value is the loss of logits, without smoothing.
func (c classLoss) value(logits *tensor.Tensor, l *loss.Labels) *tensor.Tensor {
	return loss.CrossEntropy(logits, l)
}

// training is the loss whose gradient is taken, with label smoothing if it is set.
func (c classLoss) training(logits *tensor.Tensor, l *loss.Labels) *tensor.Tensor {
	if c.smooth == 0 {
		return c.value(logits, l)
	}
	return loss.SmoothCrossEntropy(logits, l, c.smooth)
}

// classProblem is the problem of one class for each item: cross-entropy over the items that have a
// class, scored by classScorer.
func classProblem(m model.Model, s *settings.Settings, items settings.Level) train.Problem {
	c := lossOf(s, items)
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			l := c.labels(b)
			if l.Total == 0 {
				return nil, 0
			}
			out := m.Forward(p, b)
			if out.Learn != nil {
				if l = c.labelsOf(learnedClasses(out, classesOf(c.items, b))); l.Total == 0 {
					return nil, 0
				}
			}
			total := c.training(OutputOf(c.items, out), l)
			if out.Aux != nil {
				total = total.Add(out.Aux)
			}
			return total, l.Total
		},
		Score: func() train.Scorer { return &classScorer{model: m, loss: c, target: &s.Target} },
	}
}

// argmaxRows is the column of the largest value of each row, the first of equal values.
func argmaxRows(x *tensor.Tensor) []int32 {
	n, d := x.Dim(0), x.Dim(1)
	out := make([]int32, n)
	for i := range out {
		out[i] = settings.Argmax(x.Data()[i*d : (i+1)*d])
	}
	return out
}

// PositiveClass is the name of the class whose F1, precision and recall are scored; empty if they
// are not scored.
func PositiveClass(t *settings.Target) string {
	if t.Binary == nil {
		return ""
	}
	return settings.ClassName(t.Classes, int32(t.Binary.Positive))
}
