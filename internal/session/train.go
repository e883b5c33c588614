package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/version"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// TrainOptions says where a run is written and who receives progress reports.
type TrainOptions struct {
	Dir     string // run folder
	Resume  bool   // continue from the checkpoint in Dir
	Command string // command that asked for the training, for the record; may be empty
	// HoldTest skips the test part. Training again with Resume and without HoldTest adds the scores of
	// the test part and its predictions.
	HoldTest bool
	// Seeds is set by TrainSeeds for the first run, whose folder has a file of seeds; nil for one seed.
	Seeds   *Seeds
	OnStep  func(train.StepInfo)
	OnEpoch func(train.EpochInfo)
	// OnEntry is called with each trained learner of model.Auto.
	OnEntry func(auto.Entry)
}

// Train trains the model and writes the run folder. If the context ends, it returns the result so
// far with the error, and Resume can continue from the folder. Before training starts there is no
// result yet.
func (s *Session) Train(ctx context.Context, o TrainOptions) (*TrainResult, error) {
	if _, err := s.CheckMemory(""); err != nil {
		return nil, err
	}
	if s.autoConfig() != nil {
		s.keptLabels = &model.KeptLabels{}
		defer func() {
			s.keptLabels = nil
			if m, ok := s.Model.(*model.Auto); ok {
				m.KeepLabels(nil)
			}
		}()
	}
	return s.trainInRunDir(ctx, o, func(opts train.Options) (*train.Result, error) {
		if s.autoConfig() != nil {
			return s.fitAuto(ctx, o.Dir, o.OnEntry)
		}
		if s.Settings.Target.Learners {
			// A process that was killed while it trained them left a run without learners.
			if r, result, ok := s.finished(o.Dir); ok && r.Settings.Model.Graphs != nil {
				s.before, s.leaderboard = r, result.Leaderboard
			}
		}
		return train.Fit(ctx, s.problem(), s.trainingGraphs(), s.Graphs(source.PartValid), s.Config(), opts)
	}, func(out *TrainResult) error { return s.finish(ctx, o, out) })
}

// trainInRunDir trains by fit in a run folder, and then calls finish.
func (s *Session) trainInRunDir(ctx context.Context, o TrainOptions, fit func(train.Options) (*train.Result, error), finish func(*TrainResult) error) (*TrainResult, error) {
	release, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	defer release()
	begun, err := prepareDir(o.Dir, o.Resume)
	if err != nil {
		return nil, err
	}
	set := &s.Settings
	if set.Data.Path != "" { // otherwise the data are in memory
		set.Data.FromRun = settings.Relative(o.Dir, set.Data.Path)
	}
	// The settings of a continued run are written only after its checkpoint was found to agree with
	// them.
	if begun {
		err = settings.SameRun(o.Dir, *set)
	} else {
		err = settings.WriteConfig(o.Dir, *set)
	}
	if err != nil {
		return nil, err
	}
	if err := s.writeSchema(o.Dir); err != nil {
		return nil, err
	}
	if o.Seeds != nil {
		if err := o.Seeds.write(o.Dir); err != nil {
			return nil, err
		}
	}
	metadata, err := s.metadata()
	if err != nil {
		return nil, err
	}
	res, err := fit(train.Options{
		Checkpoint: &train.Checkpoint{Dir: o.Dir, Resume: o.Resume, Identity: set.Identity(), Metadata: metadata},
		Recorder:   &train.Recorder{Dir: o.Dir, TensorBoard: true},
		Gradients:  s.Gradients,
		OnStep:     o.OnStep, OnEpoch: o.OnEpoch,
	})
	if res == nil {
		return nil, err
	}
	if begun {
		if err := settings.WriteConfig(o.Dir, *set); err != nil {
			return nil, err
		}
	}
	out := &TrainResult{Run: o.Dir, Task: set.Task, Model: set.ModelName, Dataset: set.Data.Name, PositiveClass: task.PositiveClass(&set.Target)}
	if n := len(set.Target.Units); n > 1 {
		out.Numbers = n
	}
	out.Take(res, s.Model)
	if best, ok := res.Best(); ok {
		out.Valid = best.Valid
	}
	if err != nil {
		return out, err
	}
	err = finish(out)
	out.Interrupted = err != nil && ctx.Err() != nil // resuming writes the missing files
	return out, err
}

// FitOptions says what a training stores and who receives progress reports.
type FitOptions struct {
	// Dir gets a checkpoint, at most once every Interval, from which a later call continues; empty for
	// no checkpoints.
	Dir      string
	Interval time.Duration
	OnEpoch  func(train.EpochInfo)
}

// Fit trains the model without a run folder: only checkpoints are kept.
func (s *Session) Fit(ctx context.Context, o FitOptions) (*train.Result, error) {
	if _, err := s.CheckMemory(""); err != nil {
		return nil, err
	}
	if s.autoConfig() != nil {
		return s.fitAuto(ctx, o.Dir, nil)
	}
	var checkpoint *train.Checkpoint
	if o.Dir != "" {
		checkpoint = &train.Checkpoint{Dir: o.Dir, Resume: true, Interval: o.Interval, Identity: s.Settings.Identity()}
	}
	return train.Fit(ctx, s.problem(), s.trainingGraphs(), s.Graphs(source.PartValid), s.Config(),
		train.Options{Checkpoint: checkpoint, Gradients: s.Gradients, OnEpoch: o.OnEpoch})
}

// metadata is the metadata of the weights. It has no paths (config.yaml has them), so that the same
// training writes the same bytes everywhere.
func (s *Session) metadata() (map[string]string, error) {
	set := s.Settings
	set.Data.Path, set.Data.FromRun = "", ""
	text, err := json.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	classes, err := json.Marshal(s.Settings.Target.Classes)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	out := map[string]string{settingsKey: string(text), schemaKey: string(settings.MustJSON(s.schema())), "format": "pt", "label_names": string(classes), "ehgnn.version": version.Release()}
	if c := set.Target.Curve; c != nil {
		out[thresholdsKey] = string(settings.MustJSON(c))
	}
	return out, nil
}

// finish completes the settings, scores the test part and writes the files of a finished
// run.
func (s *Session) finish(ctx context.Context, o TrainOptions, out *TrainResult) error {
	dir := o.Dir
	if err := s.fitGraphLearners(ctx, out.Seconds, o.OnEntry); err != nil {
		return err
	}
	if out.Leaderboard = s.leaderboard; s.autoConfig() != nil {
		if err := (&train.Recorder{Dir: dir, TensorBoard: true}).Write(s.curve); err != nil {
			return err
		}
	}
	if m, ok := s.Model.(*model.Auto); ok {
		m.KeepLabels(s.keptLabels)
	}
	runtime.GC() // frees the memory of training, because evaluation on large graphs needs as much
	if err := s.choose(ctx, dir); err != nil {
		return err
	}
	if valid := s.Parts[source.PartValid]; valid != nil { // scores of epochs have the training loss, in its unit
		var err error
		if out.Valid, err = s.Scores(ctx, valid); err != nil {
			return err
		}
	}
	s.outcomes = map[string]*task.Outcome{}
	// The report of two classes reads the validation part, whose columns exist only until the training ends.
	if valid := s.Parts[source.PartValid]; valid != nil && s.autoConfig() != nil && s.Settings.Target.Binary != nil {
		got, err := s.collect(ctx, valid)
		if err != nil {
			return err
		}
		s.outcomes[source.PartValid] = s.outcomeOf(valid, got)
	}
	if test := s.Parts[source.PartTest]; s.leaderboard != nil && test != nil && !o.HoldTest && dir != "" {
		if err := s.writeBaselines(ctx, dir, test); err != nil {
			return err
		}
	}
	if s.autoConfig() != nil {
		if err := os.RemoveAll(filepath.Join(dir, keptFolder)); err != nil {
			return fmt.Errorf("run folder: %w", err)
		}
	}
	if test := s.Parts[source.PartTest]; test != nil && !o.HoldTest {
		var err error
		if out.Test, err = s.Scores(ctx, test); err != nil {
			return err
		}
		got, err := s.collect(ctx, test)
		if err != nil {
			return err
		}
		s.outcomes[source.PartTest] = s.outcomeOf(test, got)
		if err := report.WriteTable(filepath.Join(dir, PredictionsFile), s.table(test, source.PartTest, got)); err != nil {
			return err
		}
	}
	out.Threshold = thresholdOf(&s.Settings.Target)
	out.Warnings = slices.Concat(s.warnings, s.oneClass())
	if err := s.writeExample(ctx, dir); err != nil {
		return err
	}
	return atomicfile.WriteJSON(filepath.Join(dir, EnvironmentFile), s.environment(out, o.Command))
}

// Warn adds warnings about a finished run to its result and its folder.
func (r *TrainResult) Warn(dir string, texts []string) error {
	missing := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return slices.Contains(r.Warnings, text) })
	if len(missing) == 0 {
		return nil
	}
	r.Warnings = append(r.Warnings, missing...)
	e, err := ReadEnvironment(dir)
	if err != nil {
		return err
	}
	e.Result.Warnings = r.Warnings
	return atomicfile.WriteJSON(filepath.Join(dir, EnvironmentFile), e)
}

// choose is Choose for a run, and rewrites the run's files.
func (s *Session) choose(ctx context.Context, dir string) error {
	chosen, err := s.Choose(ctx)
	if err != nil || !chosen && s.autoConfig() == nil && s.Settings.Model.Graphs == nil { // the result of internal/auto is not written yet
		return err
	}
	return s.rewrite(dir)
}

// rewrite writes completed settings, and the weights, which contain them.
func (s *Session) rewrite(dir string) error {
	if err := settings.WriteConfig(dir, s.Settings); err != nil {
		return err
	}
	metadata, err := s.metadata()
	if err != nil {
		return err
	}
	return train.SaveParams(filepath.Join(dir, ModelFile), s.Model, metadata)
}

// Choose sets the settings that are chosen on the validation part after training, for example the
// threshold of two classes, and reports whether there is anything to choose. Train calls it. After
// Fit, call it before computing scores.
func (s *Session) Choose(ctx context.Context) (bool, error) {
	valid := s.Parts[source.PartValid]
	if valid == nil {
		return s.Settings.Target.Threshold != "", s.Settings.Target.SetGiven()
	}
	if s.Task.Finish == nil {
		return false, nil
	}
	c := s.Task.Finish(&s.Settings)
	if c == nil {
		return false, nil
	}
	err := s.Each(ctx, valid, func(o *model.Output, b *graph.Batch, _ int) error {
		c.Add(o, b)
		return nil
	})
	if err != nil {
		return false, err
	}
	return true, s.applyChooser(c)
}

// applyChooser lets a chooser choose. A threshold rule that no validation item reaches gives a warning, and
// the nearest threshold is used.
func (s *Session) applyChooser(c task.Chooser) error {
	err := c.Choose()
	if u := (*settings.UnreachableThreshold)(nil); errors.As(err, &u) {
		s.warnings = append(s.warnings, fmt.Sprintf("--threshold %s: %s; %.4g is taken", s.Settings.Target.Threshold, u.Why, s.Settings.Target.Binary.Threshold))
		return nil
	}
	return err
}
