package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// graphClassification predicts one class per graph, or several labels of two classes each
// (multilabel.go). It follows the protocol of the paper's table 3, which has GMT's
// settings: Adam at 5e-4 (1e-3 for molecules) with L2 of 1e-4, gradients clipped to norm 1,
// dropout 0.5 in the classifier, a linear warm-up over 50 epochs and a cosine schedule to
// epoch 500. With one class it stops after 50 epochs without a lower validation loss.
var graphClassification = &Task{
	Kind:    Kind{Name: "graph-classification", Title: "one class per graph, or several labels", Items: Graphs, Collection: true},
	Default: "hyperdrop",
	Scores:  []string{"loss", "accuracy"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		l, err := d.Labels(Graphs)
		switch {
		case err != nil:
			return err
		case l.Classes == 0 && l.Targets != nil:
			return resolveLabels(s, l, d, parts)
		case l.Classes < 2:
			return fmt.Errorf("task: graph-classification needs graphs with at least 2 classes, found %d in %s%s", l.Classes, d.Name(), classesElsewhere(d))
		}
		s.Target.Classes = l.ClassNames
		s.graphDefaults(l.Classes)
		s.encodeCategories(parts)
		return nil
	},
	Check: func(s *Settings, d Data, parts map[string]*Part) error {
		valid := parts[PartValid]
		if s.Target.Names != nil && s.Train.Monitor.Metric == "roc_auc" && valid != nil && len(valid.Graphs) > 0 && !bothClasses(valid.Graphs, s.Model.Out) {
			return fmt.Errorf("task: %s: no label has both classes among the graphs to validate on, which ROC-AUC needs", d.Name())
		}
		return nil
	},
	Problem: func(m model.Model, s *Settings) train.Problem {
		if s.Target.Names != nil {
			return labelProblem(m, s)
		}
		return classProblem(m, s, Graphs)
	},
	Predict: func(s *Settings) Predictor {
		if s.Target.Names != nil {
			return newLabelRows(s)
		}
		return newClassRows(s, Graphs)
	},
	Finish: func(s *Settings) Chooser {
		if s.Target.Names != nil {
			return nil
		}
		return newClassChooser(s, Graphs)
	},
}

// classesElsewhere is a hint for data whose nodes have classes where the graphs have none.
func classesElsewhere(d Data) string {
	if l, err := d.Labels(Nodes); err == nil && l.Classes > 1 {
		return fmt.Sprintf(": the classes are of nodes: see --task %s", nodeClassification.Name)
	}
	return ""
}

// outputOf is the model's prediction for items, a row each: logits or numbers.
func outputOf(items Items, o *model.Output) *tensor.Tensor {
	switch items {
	case Nodes:
		return o.Node
	case Edges:
		return o.Edge
	}
	return o.Graph
}

// classesOf are the classes of the items of a batch; nil where no item has one.
func classesOf(items Items, b *graph.Batch) []int32 {
	switch items {
	case Nodes:
		return b.NodeLabels
	case Edges:
		return b.EdgeLabels
	}
	return b.Labels
}

// classesOfGraph are the classes of the items of a graph.
func classesOfGraph(items Items, g *graph.Graph) []int32 {
	switch items {
	case Edges:
		return g.EdgeLabel
	case Nodes:
		return g.NodeLabel
	}
	return []int32{g.Label}
}

// classLoss is the mean cross-entropy over the items of a batch that have a class.
type classLoss struct {
	items   Items
	classes int
	weights []float32 // nil for ones
	smooth  float64   // Target.LabelSmoothing
}

func lossOf(s *Settings, items Items) classLoss {
	return classLoss{items, s.Model.Out, s.Target.weights(), s.Target.LabelSmoothing}
}

// labels are the classes of the items of a batch. A class that the model has no output for
// is a shape bug of the caller.
func (c classLoss) labels(b *graph.Batch) *loss.Labels { return c.labelsOf(classesOf(c.items, b)) }

func (c classLoss) labelsOf(class []int32) *loss.Labels {
	l, err := loss.NewLabels(class, c.classes, c.weights)
	if err != nil {
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(class)}, {c.classes}}, Want: err.Error()})
	}
	return l
}

// of is the loss of logits, without smoothing.
func (c classLoss) of(logits *tensor.Tensor, l *loss.Labels) *tensor.Tensor {
	return loss.CrossEntropy(logits, l)
}

// training is the loss that gradients are taken of, with label smoothing where it is asked
// for.
func (c classLoss) training(logits *tensor.Tensor, l *loss.Labels) *tensor.Tensor {
	if c.smooth == 0 {
		return c.of(logits, l)
	}
	return loss.SmoothCrossEntropy(logits, l, c.smooth)
}

// classProblem is the problem of one class per item: cross-entropy over the items that have
// a class, scored by classScorer.
func classProblem(m model.Model, s *Settings, items Items) train.Problem {
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
			total := c.training(outputOf(c.items, out), l)
			if out.Aux != nil {
				total = total.Add(out.Aux)
			}
			return total, l.Total
		},
		Score: func() train.Scorer { return &classScorer{model: m, loss: c, target: &s.Target} },
	}
}

// argmaxRows is the column of the largest value of each row; of equal values the first
// counts.
func argmaxRows(x *tensor.Tensor) []int32 {
	n, d := x.Dim(0), x.Dim(1)
	out := make([]int32, n)
	for i := range out {
		out[i] = argmax(x.Data()[i*d : (i+1)*d])
	}
	return out
}

// positiveClass is the name of the class whose F1, precision and recall are scored; empty
// where they are not.
func (t *Target) positiveClass() string {
	if t.Binary == nil {
		return ""
	}
	return className(t.Classes, int32(t.Binary.Positive))
}
