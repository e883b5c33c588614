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

// TrainOptions say where a run is written and who is told about its progress.
type TrainOptions struct {
	Dir     string // run folder
	Resume  bool   // continue from the checkpoint in Dir
	Command string // by which the training was asked for, for the record; may be empty
	// HoldTest leaves the test part alone. Training again with Resume and without it adds the
	// scores of the test part and its predictions.
	HoldTest bool
	// Seeds are those of TrainSeeds, which the run folder of the first one has a file of; nil for one.
	Seeds   *Seeds
	OnStep  func(train.StepInfo)
	OnEpoch func(train.EpochInfo)
	// OnEntry is told, where learners compete, of each that was trained.
	OnEntry func(auto.Entry)
}

// Train trains the model and writes the run folder. When the context ends, the result so far comes
// back with the error, and Resume can continue from the folder; before training starts there is no
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
			// A process that was killed while it took them has left a run without them.
			if r, result, ok := s.finished(o.Dir); ok && r.Settings.Model.Graphs != nil {
				s.before, s.leaderboard = r, result.Leaderboard
			}
		}
		return train.Fit(ctx, s.problem(), s.trainingGraphs(), s.Graphs(source.PartValid), s.Config(), opts)
	}, func(out *TrainResult) error { return s.finish(ctx, o, out) })
}

// trainInRunDir is a training by fit with its run folder, and finish once it has ended.
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
	if set.Data.Path != "" { // else the data were in memory
		set.Data.FromRun = settings.Relative(o.Dir, set.Data.Path)
	}
	// The settings of a run that is continued are written only once its checkpoint, too,
	// agrees with these.
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
	out.Interrupted = err != nil && ctx.Err() != nil // resuming writes what is missing
	return out, err
}

// FitOptions say what a training keeps and who is told about its progress.
type FitOptions struct {
	// Dir gets a checkpoint, at most once every Interval, from which a later call
	// continues; empty keeps none.
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

// metadata is that of the weights. It has no paths, which config.yaml has: the same training has the same
// bytes wherever it runs.
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
	runtime.GC() // what training took, or evaluation, on large graphs as much again, would come on top
	if err := s.choose(ctx, dir); err != nil {
		return err
	}
	if valid := s.Parts[source.PartValid]; valid != nil { // epochs have the loss that was learned by, in its unit
		var err error
		if out.Valid, err = s.Scores(ctx, valid); err != nil {
			return err
		}
	}
	s.outcomes = map[string]*task.Outcome{}
	// The report of two classes reads the validation part, whose columns are kept until the training ends.
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

// Warn adds what a look at a finished run has found to its result and to its folder.
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

// choose is Choose for a run, whose files then have what was chosen.
func (s *Session) choose(ctx context.Context, dir string) error {
	chosen, err := s.Choose(ctx)
	if err != nil || !chosen && s.autoConfig() == nil && s.Settings.Model.Graphs == nil { // what internal/auto trained has not been written yet
		return err
	}
	return s.rewrite(dir)
}

// rewrite writes settings that were completed, and the weights, which have them too.
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

// Choose sets what is chosen on the validation part after training, as the threshold of two
// classes, and reports whether there is anything to choose. Train does it by itself; after
// Fit, scores are those of the choice only once this was called.
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
	return true, s.settle(c)
}

// settle has a chooser choose. A threshold that no validation item reaches is a warning: the nearest one
// is taken.
func (s *Session) settle(c task.Chooser) error {
	err := c.Choose()
	if u := (*settings.UnreachableThreshold)(nil); errors.As(err, &u) {
		s.warnings = append(s.warnings, fmt.Sprintf("--threshold %s: %s; %.4g is taken", s.Settings.Target.Threshold, u.Why, s.Settings.Target.Binary.Threshold))
		return nil
	}
	return err
}
