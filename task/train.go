package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/version"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// TrainOptions say where a run goes and who is told of its progress.
type TrainOptions struct {
	Dir     string // run folder
	Resume  bool   // continue from the checkpoint in Dir
	OnStep  func(train.StepInfo)
	OnEpoch func(train.EpochInfo)
}

// TrainResult is the outcome of a run.
type TrainResult struct {
	Run       string        `json:"run"`
	Task      string        `json:"task"`
	Model     string        `json:"model"`
	Dataset   string        `json:"dataset"`
	Epochs    int           `json:"epochs"`
	BestEpoch int           `json:"best_epoch"`
	Stopped   train.Stopped `json:"stopped"`
	Seconds   float64       `json:"seconds"`
	Params    int           `json:"parameters"`
	Valid     train.Scores  `json:"valid,omitempty"`
	Test      train.Scores  `json:"test,omitempty"`
	// Interrupted says that the run can be continued with Resume.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Text prints the result for people.
func (r *TrainResult) Text(w io.Writer) error {
	why := map[train.Stopped]string{train.StoppedEpochs: "all done", train.StoppedPatience: "no better one for long enough"}[r.Stopped]
	_, err := fmt.Fprintf(w, "%s on %s: %d parameters, best epoch %d of %d (%s), %.1f s\n",
		r.Model, r.Dataset, r.Params, r.BestEpoch, r.Epochs, why, r.Seconds)
	if err == nil && r.Valid != nil {
		_, err = fmt.Fprintf(w, "  valid  %s\n", scoresText(r.Valid))
	}
	if err == nil && r.Test != nil {
		_, err = fmt.Fprintf(w, "  test   %s\n", scoresText(r.Test))
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "  run    %s\n", r.Run)
	}
	return err
}

// Text prints the evaluation for people.
func (e *Evaluation) Text(w io.Writer) error {
	items := fmt.Sprintf("%d graphs", e.Graphs)
	if e.Nodes > 0 {
		items = fmt.Sprintf("%d nodes", e.Nodes)
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s: %s\n", e.Data, e.Part, items, scoresText(e.Scores))
	return err
}

func scoresText(s train.Scores) string {
	parts := make([]string, len(s))
	for i, v := range s {
		digits := 4
		if v.Name == countedScore {
			digits = 0
		}
		parts[i] = fmt.Sprintf("%s %.*f", strings.ReplaceAll(v.Name, "_", " "), digits, v.Value)
	}
	return strings.Join(parts, ", ")
}

// take adopts the outcome of training m.
func (r *TrainResult) take(res *train.Result, m model.Model) {
	r.Epochs, r.BestEpoch, r.Stopped, r.Seconds = len(res.History), res.BestEpoch, res.Stopped, res.Seconds
	r.Interrupted = res.Stopped == train.StoppedCancelled
	for _, p := range m.Params() {
		if !p.Buffer {
			r.Params += p.Value.Size()
		}
	}
}

// writeEnvironment writes what a finished run was made with.
func (r *TrainResult) writeEnvironment(checksum string, seed uint64, threads int) error {
	return writeJSON(filepath.Join(r.Run, environmentFile), map[string]any{
		"version": version.Get(kernel.Level()), "data_checksum": checksum, "seed": seed,
		"threads": threads, "seconds": r.Seconds, "result": r,
	})
}

// Train trains the model and fills the run folder. When the context ends, the
// result so far comes back with the error, and the folder has what Resume needs.
func (s *Session) Train(ctx context.Context, o TrainOptions) (*TrainResult, error) {
	begun, err := prepareDir(o.Dir, o.Resume)
	if err != nil {
		return nil, err
	}
	set := s.Settings
	metadata, err := s.metadata()
	if err != nil {
		return nil, err
	}
	// The settings of a run that goes on stay until its checkpoint, too, has been
	// found to agree with these.
	if begun {
		err = sameRun(o.Dir, set)
	} else {
		err = writeConfig(o.Dir, set)
	}
	if err != nil {
		return nil, err
	}
	res, err := train.Fit(ctx, s.problem(), s.subsets[PartTrain].graphs, s.subsets[PartValid].graphs, s.config(), train.Options{
		Checkpoint: &train.Checkpoint{Dir: o.Dir, Resume: o.Resume, Identity: set.identity(), Metadata: metadata},
		Recorder:   &train.Recorder{Dir: o.Dir, TensorBoard: true},
		Gradients:  set.Train.hook(),
		OnStep:     o.OnStep, OnEpoch: o.OnEpoch,
	})
	if res == nil {
		return nil, err
	}
	if begun {
		if err := writeConfig(o.Dir, set); err != nil {
			return nil, err
		}
	}
	out := &TrainResult{Run: o.Dir, Task: set.Task, Model: set.ModelName, Dataset: set.Data.Name}
	out.take(res, s.Model)
	if best, ok := res.Best(); ok {
		out.Valid = best.Valid
	}
	if err != nil {
		return out, err
	}
	return out, s.finish(ctx, o.Dir, out)
}

// identity is what a checkpoint must agree with: model and data, not paths.
func (s Settings) identity() string {
	s.Data.Path, s.Data.Set, s.Data.Format = "", "", ""
	s.Train.Config = train.Config{} // package train compares that itself
	return string(mustJSON(s))
}

func (s *Session) metadata() (map[string]string, error) {
	text, err := json.Marshal(s.Settings)
	if err != nil {
		return nil, fmt.Errorf("task: settings: %w", err)
	}
	classes, err := json.Marshal(s.Settings.Data.Classes)
	if err != nil {
		return nil, fmt.Errorf("task: settings: %w", err)
	}
	return map[string]string{settingsKey: string(text), "format": "pt", "label_names": string(classes), "ehgnn.version": version.Version}, nil
}

// finish scores the test part once and writes what a finished run holds.
func (s *Session) finish(ctx context.Context, dir string, out *TrainResult) error {
	test, err := s.Evaluate(ctx, PartTest)
	if err != nil {
		return err
	}
	out.Test = test.Scores
	table, err := s.Predict(ctx, PartTest)
	if err != nil {
		return err
	}
	if err := report.WriteTable(filepath.Join(dir, predictionsFile), table); err != nil {
		return err
	}
	return out.writeEnvironment(s.Settings.Data.Checksum, s.Settings.Train.Seed, s.Threads)
}

// LoadOptions say on what a trained run is used.
type LoadOptions struct {
	Data    string // path of the data; empty for those of the training
	Set     string // the set to read where the path holds several; empty for that of the training
	Format  string
	Threads int
}

// Load opens a run folder with the data it was trained on or others, which are
// encoded as those were: a label the model does not know is an error.
func Load(ctx context.Context, dir string, o LoadOptions) (*Session, error) {
	set, weights, err := readRun(dir)
	if err != nil {
		return nil, err
	}
	t, spec, err := choose(set.Task, set.ModelName)
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	s := &Session{Settings: set, Threads: o.Threads, task: t}
	if s.Model, err = spec.New(set.Model); err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	if err := train.LoadParams(s.Model, weights); err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	own := o.Data == ""
	if own {
		o.Data, o.Format = set.Data.Path, set.Data.Format
	}
	if own || o.Set == "" && o.Data == set.Data.Path {
		o.Set = set.Data.Set
	}
	if s.Parts, err = openParts(o.Data, set.dataOptions(o.Set, o.Format)); err != nil {
		if own {
			err = fmt.Errorf("task: the data of run %s cannot be read again; name them as DATA: %w", dir, err)
		}
		return nil, err
	}
	info := s.Parts.main().Info
	if info.NodeWidth != set.Model.NodeDim || info.EdgeWidth != set.Model.EdgeDim {
		return nil, fmt.Errorf("task: %s has node features of width %d and edge features of width %d; run %s was trained with %d and %d",
			o.Data, info.NodeWidth, info.EdgeWidth, dir, set.Model.NodeDim, set.Model.EdgeDim)
	}
	if own && info.Checksum != set.Data.Checksum {
		return nil, fmt.Errorf("task: %s has changed since run %s was trained (checksum %s, expected %s); name it as DATA to use it all the same",
			o.Data, dir, info.Checksum, set.Data.Checksum)
	}
	same := info.Checksum == set.Data.Checksum
	if !same && max(len(info.NodeLabelOffset), len(info.EdgeLabelOffset)) > 1 {
		return nil, fmt.Errorf("task: %s has several label columns; their codes depend on the data set, so run %s can be used only with the data it was trained on", o.Data, dir)
	}
	if err := set.checkTargets(info); err != nil {
		return nil, fmt.Errorf("task: %s %w; run %s cannot be used with it", o.Data, err, dir)
	}
	// The split of the training applies to its own data; others are one part, and
	// so is one part of its data given by itself.
	switch {
	case s.Parts.Whole == nil || same && (set.Split.Kind != SplitGiven || s.Parts.given(t)):
		err = s.divide(spec)
	case t.Nodes:
		var whole subset
		whole, err = s.Parts.oneGraph(spec.Form)
		s.subsets = map[string]subset{PartAll: whole}
	default:
		s.subsets = map[string]subset{PartAll: allOf(s.Parts.Whole)}
	}
	return s, err
}

// checkTargets refuses data whose labels or numbers are others than those the
// model predicts. Data without any can be predicted.
func (s Settings) checkTargets(i data.Info) error {
	switch {
	case s.Task == nodeClassification.Name && i.NumNodeClasses > s.Model.Out:
		return fmt.Errorf("has %d classes of nodes where the model knows %d", i.NumNodeClasses, s.Model.Out)
	case s.Data.Targets == nil || i.NumTargets*i.NumGraphs == i.MissingTargets:
		return nil
	case i.NumTargets != len(s.Data.Targets):
		return fmt.Errorf("has %d targets where the model predicts %d", i.NumTargets, len(s.Data.Targets))
	}
	for k, name := range targetNames(i) {
		if name != s.Data.Targets[k] {
			return fmt.Errorf("has target %q where the model predicts %q", name, s.Data.Targets[k])
		}
	}
	return nil
}

// dataOptions read data in the encoding of the training.
func (s Settings) dataOptions(name, format string) data.Options {
	o := data.Options{Format: format, Name: name, Edges: data.Undirected, ClassNames: s.Data.Classes,
		NodeCodes: s.Data.NodeCodes, EdgeCodes: s.Data.EdgeCodes, NodeOffset: s.Data.NodeOffset, EdgeOffset: s.Data.EdgeOffset}
	if s.Data.Directed {
		o.Edges = data.Directed
	}
	return o
}

func readRun(dir string) (Settings, *safetensors.File, error) {
	var set Settings
	path := filepath.Join(dir, modelFile)
	f, err := safetensors.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return set, nil, fmt.Errorf("task: %s is no run folder: there is no %s in it", dir, modelFile)
	}
	if err != nil {
		return set, nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	text, ok := f.Metadata[settingsKey]
	if !ok {
		return set, nil, fmt.Errorf("task: %s has no settings in its metadata (%s): it was not written by ehgnn", path, settingsKey)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&set); err != nil {
		return set, nil, fmt.Errorf("task: %s: settings: %w", path, err)
	}
	return set, f, nil
}
