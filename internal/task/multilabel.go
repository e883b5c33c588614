package task

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/train"
)

// Graphs with several binary labels, some of which may be missing, for example the molecules of the
// Open Graph Benchmark in the paper's table 3. The loss is the mean logistic loss over the known
// labels of a batch. The score is ROC-AUC, computed for each label over the graphs that have it and
// averaged over the labels that have both classes (Hu et al., Open Graph Benchmark, NeurIPS 2020).

// resolveLabels sets the targets and the defaults of graphs with several labels. If a model is named, the
// defaults are GMT's settings for molecules, without early stopping: the first epoch with the highest ROC-AUC on
// the validation graphs is tested.
func resolveLabels(s *settings.Settings, l source.Labels, d source.Data, parts map[string]*source.Part) error {
	s.Target.Names = l.Targets
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := binary(parts[name], l.Targets, d.Name()); err != nil {
			return err
		}
	}
	if !labelled(parts[source.PartTrain].Graphs, settings.Graphs) {
		return fmt.Errorf("%s: no graph to train on has a label", d.Name())
	}
	graphDefaults(s, len(l.Targets), parts[source.PartTrain].Graphs)
	encodeCategories(s, parts)
	if !s.Target.Learners {
		s.Train.Patience = 0
	}
	s.Train.Monitor = train.Monitor{Metric: "roc_auc", Maximize: true}
	return nil
}

// binary returns an error for labels other than 0, 1 and missing.
func binary(part *source.Part, names []string, set string) error {
	for i, g := range part.Graphs {
		for k, v := range g.Targets {
			if v != 0 && v != 1 && !math.IsNaN(float64(v)) {
				id := part.ID(source.Place{Graph: i})
				return fmt.Errorf("graph-classification: label %s of graph %d of %s is %v, expected 0, 1 or none; numbers are for --task %s",
					names[k], id, set, v, GraphRegression.Name)
			}
		}
	}
	return nil
}

// labelled reports whether any item of the graphs has a target.
func labelled(graphs []*graph.Graph, items settings.Level) bool {
	for _, g := range graphs {
		for _, v := range NumbersOf(items, g) {
			if !math.IsNaN(float64(v)) {
				return true
			}
		}
	}
	return false
}

// bothClasses reports whether some label has both classes among the graphs. Otherwise ROC-AUC is
// undefined.
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

// CountedScore is the number of labels over which ROC-AUC is averaged.
const CountedScore = "labels_counted"

// LabelProblem is the problem of graphs with several labels.
func LabelProblem(m model.Model, s *settings.Settings) train.Problem {
	return targetProblem(m, settings.Graphs, s.Model.Out, loss.BCEWithLogits, func() train.Scorer {
		return &targetScorer{model: m, items: settings.Graphs, out: s.Model.Out, mean: loss.BCEWithLogits,
			scores: func(prediction, _, target []float32, loss float64, _ bool) (train.Scores, error) {
				auc, counted, err := metric.OverTasks(prediction, target, s.Model.Out, metric.ROCAUC)
				if auc, err = orNaN(auc, err); err != nil {
					return nil, err
				}
				return train.Scores{{Name: "loss", Value: loss}, {Name: "roc_auc", Value: auc}, {Name: CountedScore, Value: float64(counted)}}, nil
			}}
	})
}

// orNaN replaces the error of a metric that is undefined for the data by NaN.
func orNaN(v float64, err error) (float64, error) {
	if errors.Is(err, metric.ErrUndefined) {
		return math.NaN(), nil
	}
	return v, err
}

// labelRows collects a row for each graph: for each label the true value (NaN if missing), the
// probability of 1, and for an ensemble the standard deviation of the members' probabilities.
type labelRows struct {
	settings                *settings.Settings
	names                   []string
	label, probability, std [][]float32
}

func newLabelRows(s *settings.Settings) *labelRows {
	n := len(s.Target.Names)
	return &labelRows{s, s.Target.Names, make([][]float32, n), make([][]float32, n), make([][]float32, n)}
}

func (r *labelRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	outputs := NewOutputs(r.settings, settings.Graphs, out)
	var x Item
	for _, i := range rows {
		outputs.Read(int(i), &x)
		addColumns(r.probability, x.Probabilities)
		addColumns(r.std, x.Std)
	}
	appendColumns(r.label, targetsOf(settings.Graphs, b, len(r.names)), rows)
}

func (r *labelRows) Columns() []report.Column {
	var out []report.Column
	for k, name := range r.names {
		out = append(out, report.Floats("label_"+name, r.label[k]), report.Floats("probability_"+name, r.probability[k]))
		if r.std[k] != nil {
			out = append(out, report.Floats("std_"+name, r.std[k]))
		}
	}
	return out
}
