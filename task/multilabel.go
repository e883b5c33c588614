package task

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// Graphs with several labels at once, some of them missing: the molecules of the
// Open Graph Benchmark in the paper's table 3. The loss is the mean logistic loss
// over the labelled entries of a batch; the score is ROC-AUC, for each label over
// the graphs that have it, averaged over the labels with both classes (Hu et al.,
// Open Graph Benchmark, NeurIPS 2020).

// resolveLabels sets what graphs with several labels are trained with: GMT's
// settings for molecules. There is no early stop; the first epoch with the highest
// ROC-AUC on the validation graphs is the one that is tested.
func resolveLabels(s *Settings, l Labels, d Data, parts map[string]*Part) error {
	s.Target.Names = l.Targets
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := binary(parts[name], l.Targets, d.Name()); err != nil {
			return err
		}
	}
	if !labelled(parts[PartTrain].Graphs) {
		return fmt.Errorf("task: %s: no graph to train on has a label", d.Name())
	}
	s.graphDefaults(len(l.Targets))
	s.encodeCategories(parts)
	s.Train.Patience = 0
	s.Train.Monitor = train.Monitor{Metric: "roc_auc", Maximize: true}
	return nil
}

// binary makes sure that every label is 0, 1 or missing.
func binary(part *Part, names []string, set string) error {
	for i, g := range part.Graphs {
		for k, v := range g.Targets {
			if v != 0 && v != 1 && !math.IsNaN(float64(v)) {
				id := part.ID(Place{Graph: i})
				return fmt.Errorf("task: graph-classification: label %s of graph %d of %s is %v, expected 0, 1 or none; numbers are for --task %s",
					names[k], id, set, v, graphRegression.Name)
			}
		}
	}
	return nil
}

// labelled reports whether any target is there.
func labelled(graphs []*graph.Graph) bool {
	for _, g := range graphs {
		for _, v := range g.Targets {
			if !math.IsNaN(float64(v)) {
				return true
			}
		}
	}
	return false
}

// bothClasses reports whether some label has both classes among the graphs, as
// ROC-AUC needs.
func bothClasses(graphs []*graph.Graph, labels int) bool {
	seen := make([][2]bool, labels)
	for _, g := range graphs {
		for k, v := range g.Targets {
			if v == 0 || v == 1 {
				seen[k][int(v)] = true
				if seen[k] == [2]bool{true, true} {
					return true
				}
			}
		}
	}
	return false
}

// countedScore is the number of labels that ROC-AUC is the mean over.
const countedScore = "labels_counted"

// labelProblem is the problem of graphs with several labels.
func labelProblem(m model.Model, s *Settings) train.Problem {
	return targetProblem(m, Graphs, s.Model.Out, loss.BCEWithLogits, func() train.Scorer {
		return &targetScorer{model: m, items: Graphs, out: s.Model.Out, mean: loss.BCEWithLogits,
			scores: func(prediction, target []float32, loss float64) (train.Scores, error) {
				auc, counted, err := metric.OverTasks(prediction, target, s.Model.Out, metric.ROCAUC)
				if auc, err = orNaN(auc, err); err != nil {
					return nil, err
				}
				return train.Scores{{Name: "loss", Value: loss}, {Name: "roc_auc", Value: auc}, {Name: countedScore, Value: float64(counted)}}, nil
			}}
	})
}

// orNaN makes a metric that the data do not define a score that could not be
// measured.
func orNaN(v float64, err error) (float64, error) {
	if errors.Is(err, metric.ErrUndefined) {
		return math.NaN(), nil
	}
	return v, err
}

// labelRows collects a row per graph: for each label the true value, NaN where it is
// missing, and the probability of 1.
type labelRows struct {
	names              []string
	label, probability [][]float32
}

func newLabelRows(names []string) *labelRows {
	return &labelRows{names: names, label: make([][]float32, len(names)), probability: make([][]float32, len(names))}
}

func (r *labelRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	probability := out.Graph.Clone()
	for i, v := range probability.Data() {
		probability.Data()[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
	appendColumns(r.probability, probability, rows)
	appendColumns(r.label, targetsOf(Graphs, b, len(r.names)), rows)
}

func (r *labelRows) Columns() []report.Column {
	var out []report.Column
	for k, name := range r.names {
		out = append(out, report.Floats("label_"+name, r.label[k]), report.Floats("probability_"+name, r.probability[k]))
	}
	return out
}
