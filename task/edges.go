package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
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

// edgesFile keeps the settings of a run on edges.
const edgesFile = "edges.json"

// EdgeRequest is what a user asks to train on edges.
type EdgeRequest struct {
	Path   string // of the tables: a folder, a zip or the table of edges
	Task   string // EdgeClassification when empty
	Model  string // one of model.EdgeLevel; ehgnn-edge when empty
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
	Task      string              `json:"task"`
	ModelName string              `json:"model_name"`
	Path      string              `json:"path"`
	Name      string              `json:"name"`
	Checksum  string              `json:"checksum"`
	Encoder   *tables.Encoder     `json:"encoder"`
	Split     tables.SplitOptions `json:"split"`
	Input     tables.InputOptions `json:"input"`
	// ClassWeights are those of the loss, nil for ones.
	ClassWeights []float32 `json:"class_weights,omitempty"`
	// Positive is the rarer of two classes among the training edges, -1 where there
	// are not two. An edge is said to be of it when its probability is at least
	// Threshold, which is chosen on the validation edges after training.
	Positive  int          `json:"positive"`
	Threshold float64      `json:"threshold"`
	Model     model.Config `json:"model"`
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
		set.ModelName = model.EdgeLevel[0].Name
	}
	if set.Task != EdgeClassification && set.Task != EdgeRegression {
		return nil, misuse("task: task of edges %q, expected %s or %s", set.Task, EdgeClassification, EdgeRegression)
	}
	spec, err := model.FindEdgeLevel(set.ModelName)
	if err != nil {
		return nil, usageError{err}
	}
	r.Tables.Number = set.Task == EdgeRegression
	if s.Set, err = tables.Open(r.Path, r.Tables); err != nil {
		return nil, usageError{err}
	}
	if s.Set.Label == nil {
		return nil, misuse("task: %s: the table of edges has no labels to learn from", s.Set.Name)
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
	set.Model = model.Config{NodeDim: training.Node.Width(), EdgeDim: training.Edge.Width(), Out: 1, Hidden: 64, Layers: 2, Dropout: 0.1, Seed: r.Seed}
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
	s.Model, err = spec.New(set.Model)
	return s, err
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

// part is the input of a part.
func (s *EdgeSession) part(name string) (*tables.Input, error) {
	in, ok := s.inputs[name]
	if !ok {
		return nil, misuse("task: no part %q of these edges, expected %s, %s or %s, and %s for data that are not those of the training", name, PartTrain, PartValid, PartTest, PartAll)
	}
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
	if !begun {
		if err := s.save(o.Dir); err != nil {
			return nil, err
		}
	}
	identity := s.Settings
	identity.Path, identity.Train, identity.Threshold = "", train.Config{}, 0
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
	out := &TrainResult{Run: o.Dir, Task: s.Settings.Task, Model: s.Settings.ModelName, Dataset: s.Settings.Name, Epochs: len(res.History),
		BestEpoch: res.BestEpoch, Stopped: res.Stopped, Seconds: res.Seconds, Interrupted: res.Stopped == train.StoppedCancelled}
	for _, p := range s.Model.Params() {
		if !p.Buffer {
			out.Params += p.Value.Size()
		}
	}
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
		if out.Valid, err = s.Evaluate(ctx, PartValid); err != nil {
			return err
		}
	}
	if s.inputs[PartTest] != nil {
		var err error
		if out.Test, err = s.Evaluate(ctx, PartTest); err != nil {
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
	return writeJSON(filepath.Join(dir, environmentFile), map[string]any{"data_checksum": s.Settings.Checksum,
		"seed": s.Settings.Train.Seed, "threads": s.Threads, "seconds": out.Seconds, "result": out})
}

// save writes the settings.
func (s *EdgeSession) save(dir string) error {
	return writeJSON(filepath.Join(dir, edgesFile), s.Settings)
}

// prepareEdgesDir is prepareDir of a folder whose settings are in edgesFile.
func prepareEdgesDir(dir string, resume bool) (begun bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, edgesFile)); err == nil {
		if !resume {
			return true, misuse("task: %s holds a run already; choose another folder, remove it, or continue it with --resume", dir)
		}
		begun = true
	}
	if _, err := prepareDir(dir, false); err != nil { // a run of another task
		return begun, err
	}
	return begun, nil
}

// LoadEdges opens the folder of a run on edges with the tables at path, which are
// encoded as those of the training were; with those of the training when path is
// empty. New data are one part, PartAll.
func LoadEdges(ctx context.Context, dir, path string, threads int) (*EdgeSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &EdgeSession{Threads: threads}
	text, err := os.ReadFile(filepath.Join(dir, edgesFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, misuse("task: %s is no folder of a run on edges: there is no %s in it", dir, edgesFile)
	}
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	if err := json.Unmarshal(text, &s.Settings); err != nil {
		return nil, fmt.Errorf("task: run %s: %s: %w", dir, edgesFile, err)
	}
	if s.Settings.Encoder == nil {
		return nil, fmt.Errorf("task: run %s: %s has no encoder", dir, edgesFile)
	}
	spec, err := model.FindEdgeLevel(s.Settings.ModelName)
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	if s.Model, err = spec.New(s.Settings.Model); err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	weights, err := safetensors.ReadFile(filepath.Join(dir, modelFile))
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	if err := train.LoadParams(s.Model, weights); err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	own := path == ""
	if own {
		path = s.Settings.Path
	}
	if s.Set, err = s.Settings.Encoder.Open(path); err != nil {
		return nil, usageError{err}
	}
	if s.Set.Checksum == s.Settings.Checksum {
		return s, s.divide(false)
	}
	if own {
		return nil, misuse("task: %s has changed since run %s was trained; name it to use it all the same", path, dir)
	}
	all, err := s.Set.Whole(s.Settings.Encoder)
	if err != nil {
		return nil, usageError{err}
	}
	s.inputs = map[string]*tables.Input{PartAll: all}
	return s, nil
}

// outputs runs the model over a part and gives its output for each scored edge, row
// by row.
func (s *EdgeSession) outputs(ctx context.Context, part string) (in *tables.Input, rows []float32, err error) {
	if in, err = s.part(part); err != nil {
		return nil, nil, err
	}
	k := s.Settings.Model.Out
	err = train.ForEachBatch(ctx, []*graph.Graph{in.Graph}, s.config(), func(p *nn.Pass, _ int, b *graph.Batch) error {
		out := s.Model.Forward(p, b).Edge
		if s.Settings.Task == EdgeClassification {
			out = out.Softmax()
		}
		for _, e := range in.Scored {
			rows = append(rows, out.Data()[int(e)*k:][:k]...)
		}
		return nil
	})
	return in, rows, err
}

// Predict returns a row per edge of a part: its row among the edges, the ids of its
// ends, the label where there is one, and the predicted class with the probability
// of each, or the predicted number.
func (s *EdgeSession) Predict(ctx context.Context, part string) (*report.Table, error) {
	in, rows, err := s.outputs(ctx, part)
	if err != nil {
		return nil, err
	}
	n := len(in.Scored)
	edge, from, to := make([]int, n), make([]string, n), make([]string, n)
	for i, e := range in.Scored {
		edge[i] = int(in.Edges[e])
		from[i], to[i] = s.Set.NodeIDs[s.Set.Ends[2*edge[i]]], s.Set.NodeIDs[s.Set.Ends[2*edge[i]+1]]
	}
	t := &report.Table{Columns: []report.Column{report.Ints("edge", edge), report.Strings("source", from), report.Strings("target", to)}}
	if s.Settings.Task == EdgeRegression {
		want := make([]float32, n)
		for i, e := range in.Scored {
			want[i] = in.Graph.Targets[e]
		}
		t.Columns = append(t.Columns, report.Floats("label", want), report.Floats("prediction", s.restore(rows)))
		return t, nil
	}
	classes := s.Settings.Encoder.Classes
	label, prediction := make([]string, n), make([]string, n)
	probability := make([][]float32, len(classes))
	for i, c := range s.predicted(rows) {
		label[i], prediction[i] = className(classes, in.Graph.EdgeLabel[in.Scored[i]]), classes[c]
		for k := range probability {
			probability[k] = append(probability[k], rows[i*len(classes)+k])
		}
	}
	t.Columns = append(t.Columns, report.Strings("label", label), report.Strings("prediction", prediction))
	for k, p := range probability {
		t.Columns = append(t.Columns, report.Floats("probability_"+classes[k], p))
	}
	return t, nil
}

// restore puts numbers into the unit of the data.
func (s *EdgeSession) restore(rows []float32) []float32 {
	out := make([]float32, len(rows))
	for i, v := range rows {
		out[i] = float32(float64(v)*s.Settings.Encoder.Scale + s.Settings.Encoder.Mean)
	}
	return out
}

// predicted is the class of each row of probabilities: by the threshold of two
// classes, else the most probable.
func (s *EdgeSession) predicted(rows []float32) []int32 {
	k := s.Settings.Model.Out
	out := make([]int32, len(rows)/k)
	for i := range out {
		row := rows[i*k:][:k]
		if pos := s.Settings.Positive; pos >= 0 {
			if out[i] = int32(1 - pos); float64(row[pos]) >= s.Settings.Threshold {
				out[i] = int32(pos)
			}
			continue
		}
		for c, v := range row {
			if v > row[out[i]] {
				out[i] = int32(c)
			}
		}
	}
	return out
}
