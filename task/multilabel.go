package task

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Graphs with several labels at once, some of them missing: the molecules of the
// Open Graph Benchmark in the paper's table 3. The loss is the mean logistic loss
// over the labelled entries of a batch; the score is ROC-AUC, for each label over
// the graphs that have it, averaged over the labels with both classes (Hu et al.,
// Open Graph Benchmark, NeurIPS 2020).

// targets are the names of the targets of the sets, which have the same.
func (p *Parts) targets() ([]string, error) {
	names := targetNames(p.main().Info)
	for _, d := range p.sets() {
		if !slices.Equal(targetNames(d.Info), names) {
			return nil, fmt.Errorf("task: %s has targets %q, %s has %q, expected the same", p.main().Info.Name, names, d.Info.Name, targetNames(d.Info))
		}
	}
	return names, nil
}

// targetNames are the names of a set's targets, their numbers where it has none.
func targetNames(i data.Info) []string {
	if len(i.TargetNames) == i.NumTargets && distinct(i.TargetNames) {
		return i.TargetNames
	}
	names := make([]string, i.NumTargets)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	return names
}

// distinct reports whether names tell the columns of a table apart.
func distinct(names []string) bool {
	seen := map[string]bool{"": true}
	for _, n := range names {
		if seen[n] || !utf8.ValidString(n) {
			return false
		}
		seen[n] = true
	}
	return true
}

// resolveLabels sets what graphs with several labels are trained with: GMT's
// settings for molecules. There is no early stop; the first epoch with the highest
// ROC-AUC on the validation graphs is the one that is tested.
func resolveLabels(s *Settings, p *Parts, training []*graph.Graph) error {
	info := p.main().Info
	var err error
	if s.Data.Targets, err = p.targets(); err != nil {
		return err
	}
	for _, d := range p.sets() {
		if err := binary(d.Graphs, s.Data.Targets, info.Name); err != nil {
			return err
		}
	}
	if !labelled(training) {
		return fmt.Errorf("task: %s: no graph to train on has a label", info.Name)
	}
	s.trainAs(recipeOf(s.Data), info.NumTargets)
	s.encodeCategories(training)
	s.Train.Patience = 0
	s.Train.Monitor = train.Monitor{Metric: "roc_auc", Maximize: true}
	return nil
}

// trainAs sets model and training by a recipe, with the settings that all data
// sets of the paper share.
func (s *Settings) trainAs(r recipe, out int) {
	s.Model.Out = out
	s.Model.Hidden, s.Model.EdgeHidden, s.Model.Layers = r.hidden, r.edgeHidden, 3
	s.Model.Ratio, s.Model.Dropout = r.ratio, 0.5
	s.Train.Config = train.Config{Epochs: 500, BatchSize: r.batch, LR: r.lr, ClipNorm: 1, Patience: 50,
		Optimizer: optim.Config{Name: "adam", WeightDecay: 1e-4},
		Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: 50}}
}

// encodeCategories puts encoders before the model where features have several
// categorical columns, as those of molecules have.
func (s *Settings) encodeCategories(graphs []*graph.Graph) {
	s.Model.Encode = max(len(graphs[0].Node.Codes), len(graphs[0].Edge.Codes)) > 1
}

// binary makes sure that every label is 0, 1 or missing.
func binary(graphs []*graph.Graph, names []string, set string) error {
	for i, g := range graphs {
		for k, v := range g.Targets {
			if v != 0 && v != 1 && !math.IsNaN(float64(v)) {
				return fmt.Errorf("task: graph-classification: label %s of graph %d of %s is %v, expected 0, 1 or none; numbers are for --task %s",
					names[k], i, set, v, graphRegression.Name)
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

// targetsOf are the targets [N,out] of a batch, nil where its graphs have none
// for this model.
func targetsOf(b *graph.Batch, out int) *tensor.Tensor {
	if b.Targets == nil || b.Targets.Dim(1) != out {
		return nil
	}
	return b.Targets
}

// targetProblem is the training on targets, some missing: a mean loss over those
// that are there.
func targetProblem(m model.Model, out int, mean func(out, target *tensor.Tensor) *tensor.Tensor, score func() train.Scorer) train.Problem {
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			target := targetsOf(b, out)
			if target == nil {
				return nil, 0
			}
			n := loss.Labelled(target)
			if n == 0 {
				return nil, 0
			}
			o := m.Forward(p, b)
			total := mean(o.Graph, target)
			if o.Aux != nil {
				total = total.Add(o.Aux)
			}
			return total, float64(n)
		},
		Score: score,
	}
}

// targetScorer keeps predictions and targets to the end, row by row, and adds up
// the loss.
type targetScorer struct {
	model      model.Model
	out        int
	mean       func(out, target *tensor.Tensor) *tensor.Tensor
	scores     func(prediction, target []float32, loss float64) (train.Scores, error)
	prediction []float32
	target     []float32
	total      float64
	weight     int
}

func (s *targetScorer) Add(p *nn.Pass, b *graph.Batch) {
	target := targetsOf(b, s.out)
	if target == nil {
		return
	}
	out := s.model.Forward(p, b).Graph
	s.prediction = append(s.prediction, out.Data()...)
	s.target = append(s.target, target.Data()...)
	if n := loss.Labelled(target); n > 0 {
		s.total += float64(s.mean(out, target).Item()) * float64(n)
		s.weight += n
	}
}

func (s *targetScorer) Scores() (train.Scores, error) {
	return s.scores(s.prediction, s.target, s.total/float64(s.weight))
}

// countedScore is the number of labels that ROC-AUC is the mean over.
const countedScore = "labels_counted"

// labelProblem is the problem of graphs with several labels.
func labelProblem(m model.Model, s Settings) train.Problem {
	return targetProblem(m, s.Model.Out, loss.BCEWithLogits, func() train.Scorer {
		return &targetScorer{model: m, out: s.Model.Out, mean: loss.BCEWithLogits,
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

// labelRows collects a row per graph: its id, and for each label the true value,
// NaN where it is missing, and the probability of 1.
type labelRows struct {
	names              []string
	graph              []int
	label, probability [][]float32
}

func newLabelRows(names []string) *labelRows {
	return &labelRows{names: names, label: make([][]float32, len(names)), probability: make([][]float32, len(names))}
}

func (r *labelRows) Add(out *model.Output, b *graph.Batch, of Items) {
	r.graph = append(r.graph, of.Graphs...)
	probability := out.Graph.Clone()
	for i, v := range probability.Data() {
		probability.Data()[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
	appendColumns(r.probability, probability)
	appendTargets(r.label, targetsOf(b, len(r.names)), b.N)
}

// appendColumns adds the rows of x to columns.
func appendColumns(columns [][]float32, x *tensor.Tensor) {
	for i, v := range x.Data() {
		k := i % len(columns)
		columns[k] = append(columns[k], v)
	}
}

// appendTargets is appendColumns of the targets of n graphs, which may have none.
func appendTargets(columns [][]float32, target *tensor.Tensor, n int) {
	if target == nil {
		target = tensor.Full(float32(math.NaN()), n, len(columns))
	}
	appendColumns(columns, target)
}

func (r *labelRows) Table() *report.Table {
	t := &report.Table{Columns: []report.Column{report.Ints("graph", r.graph)}}
	for k, name := range r.names {
		t.Columns = append(t.Columns, report.Floats("label_"+name, r.label[k]), report.Floats("probability_"+name, r.probability[k]))
	}
	return t
}
