package task

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// Tasks on the edges of one graph, read from tables of nodes and edges (package
// data/tables). They are beyond the paper, whose edges are learned to serve nodes
// and graphs. The graph is trained on as a whole: a part of the data is one graph
// in which the edges of the part have labels and no others do.
const (
	EdgeClassification = "edge-classification"
	EdgeRegression     = "edge-regression"
)

// EdgeTasks lists the tasks on edges in the order help shows them.
var EdgeTasks = []string{EdgeClassification, EdgeRegression}

// EdgeRequest is what a user asks to train on edges.
type EdgeRequest struct {
	Path   string // of the tables: a folder, a zip or the table of edges
	Task   string // EdgeClassification when empty
	Model  string // a model of edges; ehgnn-edge when empty
	Tables tables.Options
	Split  tables.SplitOptions
	Input  tables.InputOptions
	// Unweighted counts every edge alike in the loss. Otherwise an edge of a class
	// weighs as much as the class is rare: m/(classes·edges of the class), over the
	// training edges.
	Unweighted bool
	Seed       uint64
	// Threads does not change results.
	Threads   int
	Overrides Overrides // of those: Epochs, Hidden, EdgeHidden, Layers, Patience, LR, WeightDecay, Dropout, Constant
}

// EdgeSettings are all decisions behind a run on edges, resolved.
type EdgeSettings struct {
	Task      string `json:"task"`
	ModelName string `json:"model_name"`
	Path      string `json:"path"`
	// Nodes and Edges are the files of the tables where the request named them.
	Nodes    string              `json:"nodes,omitempty"`
	Edges    string              `json:"edges,omitempty"`
	Name     string              `json:"name"`
	Checksum string              `json:"checksum"`
	Encoder  *tables.Encoder     `json:"encoder"`
	Split    tables.SplitOptions `json:"split"`
	Input    tables.InputOptions `json:"input"`
	// ClassWeights are those of the loss, nil for ones.
	ClassWeights []float32 `json:"class_weights,omitempty"`
	// Positive is the rarer of two classes among the training edges, -1 where there
	// are not two. An edge is said to be of it when its probability is at least
	// Threshold, which is chosen on the validation edges after training.
	Positive  int          `json:"positive"`
	Threshold float64      `json:"threshold"`
	Model     ModelConfig  `json:"model"`
	Train     train.Config `json:"train"`
}

// EdgeSession is a model of edges with its data and settings.
type EdgeSession struct {
	Settings EdgeSettings
	Set      *tables.Set
	Model    model.Model
	Threads  int

	inputs map[string]*tables.Input
}

// OpenEdges reads the tables, divides the edges, fits the encoder on those that
// train and builds the model. Every error is the input's or the settings'.
func OpenEdges(ctx context.Context, r EdgeRequest) (*EdgeSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &EdgeSession{Threads: r.Threads}
	set := &s.Settings
	set.Task, set.ModelName, set.Path, set.Input, set.Positive, set.Threshold = r.Task, r.Model, r.Path, r.Input, -1, 0.5
	if set.Task == "" {
		set.Task = EdgeClassification
	}
	if set.ModelName == "" {
		set.ModelName = DefaultEdgeModel
	}
	if set.Task != EdgeClassification && set.Task != EdgeRegression {
		return nil, misuse("task: task of edges %q, expected %s or %s", set.Task, EdgeClassification, EdgeRegression)
	}
	spec, err := FindEdgeModel(set.ModelName)
	if err != nil {
		return nil, usageError{err}
	}
	if err := r.Overrides.checkRead(spec); err != nil {
		return nil, err
	}
	r.Tables.Number = set.Task == EdgeRegression
	if set.Edges = r.Tables.Edges; r.Tables.Nodes != tables.None { // which the encoder knows
		set.Nodes = r.Tables.Nodes
	}
	if s.Set, err = tables.Open(r.Path, r.Tables); err != nil {
		return nil, usageError{err}
	}
	if s.Set.Label == nil {
		return nil, misuse("task: %s: the table of edges has no labels to learn from: expected a column called label, class or y, or one that the option Label names; its features are %s",
			s.Set.Name, columnNames(s.Set.EdgeColumns))
	}
	set.Name, set.Checksum = s.Set.Name, s.Set.Checksum
	set.Split = r.Split
	if set.Split.Fractions == ([3]float64{}) {
		set.Split.Fractions = [3]float64{0.6, 0.2, 0.2}
	}
	if set.Split.By == "" {
		set.Split.By = tables.ByRandom
	}
	set.Split.Seed = r.Seed
	if err := s.divide(true); err != nil {
		return nil, usageError{err}
	}
	training := s.inputs[PartTrain].Graph
	set.Model = ModelConfig{NodeDim: training.Node.Width(), EdgeDim: training.Edge.Width(), Out: 1, Hidden: 64, Layers: 2, Dropout: 0.1, Seed: r.Seed}
	set.Train = train.Config{Epochs: 300, LR: 0.005, ClipNorm: 1, Patience: 60, Seed: r.Seed, Threads: r.Threads,
		Optimizer: optim.Config{Name: "adam", WeightDecay: 1e-4}}
	if err := set.resolveLabels(training, r.Unweighted); err != nil {
		return nil, err
	}
	if valid := s.inputs[PartValid]; valid != nil && set.Positive >= 0 && twoClasses(valid.Graph.EdgeLabel) {
		// Accuracy says little of a rare class, and the loss little of its ranking.
		set.Train.Monitor = train.Monitor{Metric: "average_precision", Maximize: true}
	}
	set.override(r.Overrides)
	if err := set.Train.Validate(); err != nil {
		return nil, usageError{err}
	}
	s.Model, err = set.Model.build(spec)
	return s, err
}

// columnNames lists columns by name, "none" without.
func columnNames(columns []*tables.Column) string {
	const most = 8
	var names []string
	for i, c := range columns {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(columns)-most))
			break
		}
		names = append(names, c.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// resolveLabels sets what the labels of the training edges decide.
func (s *EdgeSettings) resolveLabels(training *graph.Graph, unweighted bool) error {
	if s.Task == EdgeRegression {
		return nil
	}
	k := len(s.Encoder.Classes)
	if k < 2 {
		return misuse("task: %s needs training edges of at least 2 classes, found %q in %s", s.Task, s.Encoder.Classes, s.Name)
	}
	s.Model.Out = k
	count, total := make([]int, k), 0
	for _, c := range training.EdgeLabel {
		if c >= 0 {
			count[c]++
			total++
		}
	}
	if !unweighted {
		for _, n := range count {
			s.ClassWeights = append(s.ClassWeights, float32(float64(total)/(float64(k)*float64(n))))
		}
	}
	if k == 2 {
		if s.Positive = 0; count[1] <= count[0] {
			s.Positive = 1
		}
	}
	return nil
}

// twoClasses reports whether labels are of two classes, as average precision needs.
func twoClasses(labels []int32) bool {
	var seen [2]bool
	for _, c := range labels {
		if c >= 0 {
			seen[c] = true
		}
	}
	return seen[0] && seen[1]
}

// override applies what the user gave.
func (s *EdgeSettings) override(o Overrides) {
	set(&s.Model.Hidden, o.Hidden)
	set(&s.Model.EdgeHidden, o.EdgeHidden)
	set(&s.Model.Layers, o.Layers)
	set(&s.Model.Dropout, o.Dropout)
	set(&s.Train.Epochs, o.Epochs)
	set(&s.Train.Patience, o.Patience)
	set(&s.Train.LR, o.LR)
	set(&s.Train.Optimizer.WeightDecay, o.WeightDecay)
	if o.Constant != nil && !*o.Constant {
		s.Train.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: s.Train.Epochs / 20}
	}
}

// divide makes the inputs of the parts as the settings say; with fit, the encoder
// is fitted, else it is there.
func (s *EdgeSession) divide(fit bool) error {
	split, err := s.Set.Split(s.Settings.Split)
	if err != nil {
		return err
	}
	if fit {
		if s.Settings.Encoder, err = s.Set.Fit(split.Train); err != nil {
			return err
		}
	}
	s.inputs = map[string]*tables.Input{}
	for part, edges := range map[string][]int{PartTrain: split.Train, PartValid: split.Valid, PartTest: split.Test} {
		if len(edges) == 0 {
			continue
		}
		if s.inputs[part], err = s.Set.Input(s.Settings.Encoder, split, part, s.Settings.Input); err != nil {
			return err
		}
	}
	return nil
}

// part is the input of a part. PartAll is every edge, also where the data are those
// of the training.
func (s *EdgeSession) part(name string) (in *tables.Input, err error) {
	if in, ok := s.inputs[name]; ok {
		return in, nil
	}
	if name != PartAll {
		have := append(slices.Sorted(maps.Keys(s.inputs)), PartAll)
		return nil, misuse("task: no part %q of %s, expected %s", name, s.Set.Name, strings.Join(slices.Compact(have), ", "))
	}
	if in, err = s.Set.Whole(s.Settings.Encoder); err != nil {
		return nil, usageError{err}
	}
	s.inputs[PartAll] = in
	return in, nil
}

func (s *EdgeSession) config() train.Config {
	c := s.Settings.Train
	c.Threads = s.Threads
	return c
}

// Train trains the model and fills the run folder, with the threshold chosen on the
// validation edges and the predictions for the test. When the context ends, the
// result so far comes back with the error, and the folder has what Resume needs.
func (s *EdgeSession) Train(ctx context.Context, o TrainOptions) (*TrainResult, error) {
	begun, err := prepareEdgesDir(o.Dir, o.Resume)
	if err != nil {
		return nil, err
	}
	// The settings of a run that goes on stay until it ends.
	if begun {
		err = s.sameRun(o.Dir)
	} else {
		err = s.save(o.Dir)
	}
	if err != nil {
		return nil, err
	}
	identity := s.Settings
	identity.Path, identity.Nodes, identity.Edges, identity.Train, identity.Threshold = "", "", "", train.Config{}, 0
	graphs := func(part string) []*graph.Graph {
		if in := s.inputs[part]; in != nil {
			return []*graph.Graph{in.Graph}
		}
		return nil
	}
	res, err := train.Fit(ctx, s.problem(), graphs(PartTrain), graphs(PartValid), s.config(), train.Options{
		Checkpoint: &train.Checkpoint{Dir: o.Dir, Resume: o.Resume, Identity: string(mustJSON(identity)), Metadata: map[string]string{"format": "pt"}},
		Recorder:   &train.Recorder{Dir: o.Dir, TensorBoard: true},
		OnStep:     o.OnStep, OnEpoch: o.OnEpoch,
	})
	if res == nil {
		return nil, err
	}
	out := &TrainResult{Run: o.Dir, Task: s.Settings.Task, Model: s.Settings.ModelName, Dataset: s.Settings.Name}
	out.take(res, s.Model)
	if err != nil {
		return out, err
	}
	return out, s.finish(ctx, o.Dir, out)
}

// finish chooses the threshold, scores the test edges once and writes what a
// finished run holds.
func (s *EdgeSession) finish(ctx context.Context, dir string, out *TrainResult) error {
	if s.inputs[PartValid] != nil {
		if err := s.chooseThreshold(ctx); err != nil {
			return err
		}
		var err error
		if out.Valid, err = s.scores(ctx, PartValid); err != nil {
			return err
		}
	}
	if s.inputs[PartTest] != nil {
		var err error
		if out.Test, err = s.scores(ctx, PartTest); err != nil {
			return err
		}
		table, err := s.Predict(ctx, PartTest)
		if err != nil {
			return err
		}
		if err := report.WriteTable(filepath.Join(dir, predictionsFile), table); err != nil {
			return err
		}
	}
	if err := s.save(dir); err != nil {
		return err
	}
	return out.writeEnvironment(s.Settings.Checksum, s.Settings.Train.Seed, s.Threads)
}
