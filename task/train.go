package task

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/kernel"
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
	// PositiveClass is the class that f1, precision and recall are of, if they are there.
	PositiveClass string       `json:"positive_class,omitempty"`
	Valid         train.Scores `json:"valid,omitempty"`
	Test          train.Scores `json:"test,omitempty"`
	// Interrupted says that the run can be continued with Resume.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Text prints the result for people.
func (r *TrainResult) Text(w io.Writer) error {
	why := map[train.Stopped]string{train.StoppedEpochs: "all done", train.StoppedPatience: "no better one for long enough"}[r.Stopped]
	_, err := fmt.Fprintf(w, "%s on %s: %d parameters, best epoch %d of %d (%s), %.1f s\n",
		r.Model, r.Dataset, r.Params, r.BestEpoch, r.Epochs, why, r.Seconds)
	if err == nil && r.Valid != nil {
		_, err = fmt.Fprintf(w, "  valid  %s\n", scoresText(r.Valid, r.PositiveClass))
	}
	if err == nil && r.Test != nil {
		_, err = fmt.Fprintf(w, "  test   %s\n", scoresText(r.Test, r.PositiveClass))
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "  run    %s\n", r.Run)
	}
	return err
}

// scoresText lists scores; those of one class are called by it.
func scoresText(s train.Scores, class string) string {
	parts := make([]string, len(s))
	for i, v := range s {
		digits, name := 4, strings.ReplaceAll(v.Name, "_", " ")
		if v.Name == countedScore {
			digits = 0
		}
		if class != "" && slices.Contains([]string{"f1", "precision", "recall"}, v.Name) {
			name += " of " + class
		}
		parts[i] = fmt.Sprintf("%s %.*f", name, digits, v.Value)
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
	set := &s.Settings
	set.Data.FromRun = relative(o.Dir, set.Data.Path)
	// The settings of a run that goes on stay until its checkpoint, too, has been
	// found to agree with these.
	if begun {
		err = sameRun(o.Dir, *set)
	} else {
		err = writeConfig(o.Dir, *set)
	}
	if err != nil {
		return nil, err
	}
	if err := s.writeSchema(o.Dir); err != nil {
		return nil, err
	}
	metadata, err := s.metadata()
	if err != nil {
		return nil, err
	}
	res, err := train.Fit(ctx, s.problem(), s.graphs(PartTrain), s.graphs(PartValid), s.config(), train.Options{
		Checkpoint: &train.Checkpoint{Dir: o.Dir, Resume: o.Resume, Identity: set.identity(), Metadata: metadata},
		Recorder:   &train.Recorder{Dir: o.Dir, TensorBoard: true},
		Gradients:  s.Gradients,
		OnStep:     o.OnStep, OnEpoch: o.OnEpoch,
	})
	if res == nil {
		return nil, err
	}
	if begun {
		if err := writeConfig(o.Dir, *set); err != nil {
			return nil, err
		}
	}
	out := &TrainResult{Run: o.Dir, Task: set.Task, Model: set.ModelName, Dataset: set.Data.Name, PositiveClass: set.Target.PositiveClass()}
	out.take(res, s.Model)
	if best, ok := res.Best(); ok {
		out.Valid = best.Valid
	}
	if err != nil {
		return out, err
	}
	return out, s.finish(ctx, o.Dir, out)
}

// relative is the path to the data from the run folder, with /; empty where there is
// none.
func relative(dir, path string) string {
	from, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// FitOptions say what a training keeps and who is told of its progress.
type FitOptions struct {
	// Dir gets a checkpoint at most every Interval, from which a later call goes on;
	// empty keeps none.
	Dir      string
	Interval time.Duration
	OnEpoch  func(train.EpochInfo)
}

// Fit trains the model without a run folder: nothing is kept but checkpoints.
func (s *Session) Fit(ctx context.Context, o FitOptions) (*train.Result, error) {
	var checkpoint *train.Checkpoint
	if o.Dir != "" {
		checkpoint = &train.Checkpoint{Dir: o.Dir, Resume: true, Interval: o.Interval, Identity: s.Settings.identity()}
	}
	return train.Fit(ctx, s.problem(), s.graphs(PartTrain), s.graphs(PartValid), s.config(),
		train.Options{Checkpoint: checkpoint, Gradients: s.Gradients, OnEpoch: o.OnEpoch})
}

// identity is what a checkpoint must agree with: model and data, not paths.
func (s Settings) identity() string {
	s.withoutPaths()
	s.Train = train.Config{} // package train compares that itself
	return string(mustJSON(s))
}

// withoutPaths forgets where the data are, and what is chosen after training.
func (s *Settings) withoutPaths() {
	s.Data = s.Data.clone()
	s.Data.Path, s.Data.FromRun, s.Data.Format = "", "", ""
	if g := s.Data.Graphs; g != nil {
		g.Set = ""
	}
	if t := s.Data.Tables; t != nil {
		t.NodesFile, t.EdgesFile = "", ""
	}
	if s.Target.Binary != nil {
		s.Target.Binary = &Binary{Positive: s.Target.Binary.Positive}
	}
}

// Selection says how the settings choose the epoch that is tested.
func (s Settings) Selection() string {
	which, metric := "lowest", s.Train.Monitor.Metric
	if metric == "" {
		metric = "loss"
	}
	if s.Train.Monitor.Maximize {
		which = "highest"
	}
	part := "part"
	if s.Split.Kind == SplitFold || s.Split.Kind == SplitFolds {
		part = "fold"
	}
	return fmt.Sprintf("%s validation %s, then one look at the test %s", which, ScoreTitle(metric), part)
}

// ScoreTitle is a score's name for people.
func ScoreTitle(name string) string {
	switch name {
	case "roc_auc":
		return "ROC-AUC"
	case "rmse":
		return "RMSE"
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Key identifies what decides the result of a training besides its seed and fold.
func (s Settings) Key() string {
	s.withoutPaths()
	s.Split.Fold, s.Split.Seed, s.Model.Seed, s.Train.Seed = 0, 0, 0, 0
	if g := s.Data.Graphs; g != nil {
		g.NodeScale, g.EdgeScale = nil, nil // of the fold
	}
	return digest(mustJSON(s))
}

func (s *Session) metadata() (map[string]string, error) {
	text, err := json.Marshal(s.Settings)
	if err != nil {
		return nil, fmt.Errorf("task: settings: %w", err)
	}
	classes, err := json.Marshal(s.Settings.Target.Classes)
	if err != nil {
		return nil, fmt.Errorf("task: settings: %w", err)
	}
	return map[string]string{settingsKey: string(text), schemaKey: string(mustJSON(s.schema())), "format": "pt", "label_names": string(classes), "ehgnn.version": version.Version}, nil
}

// finish chooses what is chosen after training, scores the test part once and writes
// what a finished run holds.
func (s *Session) finish(ctx context.Context, dir string, out *TrainResult) error {
	if err := s.choose(ctx, dir, out); err != nil {
		return err
	}
	if test := s.parts[PartTest]; test != nil {
		var err error
		if out.Test, err = s.scores(ctx, test); err != nil {
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
	return out.writeEnvironment(s.Settings.Data.Checksum, s.Settings.Train.Seed, s.Threads)
}

// choose lets the task complete its settings by the outputs for the validation part.
func (s *Session) choose(ctx context.Context, dir string, out *TrainResult) error {
	valid := s.parts[PartValid]
	if s.task.Finish == nil || valid == nil {
		return nil
	}
	c := s.task.Finish(&s.Settings)
	if c == nil {
		return nil
	}
	err := s.each(ctx, valid, func(o *model.Output, b *graph.Batch, _ int) error {
		c.Add(o, b)
		return nil
	})
	if err != nil {
		return err
	}
	c.Choose()
	if out.Valid, err = s.scores(ctx, valid); err != nil {
		return err
	}
	if err := writeConfig(dir, s.Settings); err != nil {
		return err
	}
	metadata, err := s.metadata()
	if err != nil {
		return err
	}
	return train.SaveParams(filepath.Join(dir, modelFile), s.Model, metadata)
}
