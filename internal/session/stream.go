package session

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// StreamInfo is what a training must know about tables of edges that do not fit into memory.
type StreamInfo struct {
	Data       settings.DataSettings // settings of tables, with the encoder that made the features
	Split      settings.Split        // how the edges were divided
	Node, Edge graph.Features        // descriptions of feature columns; their rows are not read
	// Classes has the number of training edges of each class of the encoder; nil if labels are
	// numbers.
	Classes      []int
	Valid, Test  int // labelled edges of these parts
	Nodes, Edges int // of the training graph
	Sampling     settings.Sampling
}

// BatchSource provides a training with the edges that a StreamInfo describes.
type BatchSource interface {
	// Model has the parameters of the session's model and reads the batches of Batch.
	Model() model.Model
	// Batch returns the batch of a training step, counted from 0; see train.Stream.
	Batch(ctx context.Context, step int) (*graph.Batch, error)
	// Each calls f with the exact predictions of the session's model for the labelled edges of a part,
	// in batches that contain only labels. f may keep its arguments.
	Each(ctx context.Context, part string, f func(out *model.Output, b *graph.Batch) error) error
}

// OpenTrainStream is Open for data that a BatchSource provides to TrainStream: it resolves settings and
// builds the model. It does not read Request.Path. Options of data and split do not apply.
func OpenTrainStream(r Request, info StreamInfo) (*Session, error) {
	t, spec, err := task.Choose(r.Task, cmp.Or(r.Model, source.RolesModel), settings.TaskOf(settings.Edges, info.Classes == nil), false, nil)
	if err != nil {
		return nil, err
	}
	if t.Level != settings.Edges || t.Reconstructs || t.Number != (info.Classes == nil) {
		return nil, settings.Misuse("%s does not apply to %s, whose labels are for --task %s", t.Name, info.Data.Name, settings.TaskOf(settings.Edges, info.Classes == nil))
	}
	s := &Session{Threads: r.Threads, Task: t, Spec: spec, own: true, maxMemory: r.MaxMemory, request: r, stream: &info}
	set := &s.Settings
	*set = settings.Settings{Version: settings.SettingsVersion, Task: t.Name, Kind: t.Kind, ModelName: spec.Name, Data: info.Data.Clone(), Split: info.Split, Sampling: &info.Sampling, Model: spec.Config()}
	set.Model.Node, set.Model.Edge = info.Node.Width(), info.Edge.Width()
	e := set.Data.Tables.Encoder
	if t.Number {
		set.Target.Units = []settings.Unit{{Mean: e.Mean, Scale: e.Scale}}
		task.EdgeDefaults(set, 1)
	} else {
		if len(info.Classes) < 2 {
			return nil, settings.Misuse("%s needs training edges of at least 2 classes, found %q in %s", t.Name, e.Classes, set.Data.Name)
		}
		set.Target.Classes, set.Target.Calibrate = e.Classes, true
		task.EdgeDefaults(set, len(info.Classes))
		task.Weigh(set, info.Classes)
	}
	if err := s.options(r); err != nil {
		return nil, err
	}
	if set.Model.Encode || set.Model.Members > 1 {
		return nil, settings.Misuse("--encode and --members do not apply to edges that no memory holds")
	}
	if err := s.build(); err != nil {
		return nil, err
	}
	return s, nil
}

// TrainStream is Train with a BatchSource. The run folder has the scores of the test part, but no
// predictions, because there may be as many as edges.
func (s *Session) TrainStream(ctx context.Context, batches BatchSource, o TrainOptions) (*TrainResult, error) {
	stream := train.Stream{Steps: s.stream.Sampling.Steps, Batch: batches.Batch}
	if s.stream.Valid > 0 {
		stream.Valid = func(ctx context.Context) (train.Scores, error) {
			return s.streamScores(outputsOf(ctx, batches, source.PartValid), false)
		}
	}
	return s.trainInRunDir(ctx, o, func(opts train.Options) (*train.Result, error) {
		return train.FitStream(ctx, s.Task.Problem(batches.Model(), &s.Settings), stream, s.Config(), opts)
	}, func(out *TrainResult) error { return s.finishStream(ctx, batches, o, out) })
}

// finishStream is finish for a BatchSource.
func (s *Session) finishStream(ctx context.Context, batches BatchSource, o TrainOptions, out *TrainResult) (err error) {
	if s.stream.Valid > 0 {
		var kept keptOutputs
		if err := batches.Each(ctx, source.PartValid, kept.Add); err != nil {
			return err
		}
		c := s.Task.Finish(&s.Settings)
		if c != nil {
			if err := kept.Each(func(o *model.Output, b *graph.Batch) error { c.Add(o, b); return nil }); err != nil {
				return err
			}
			if err := s.applyChooser(c); err != nil {
				return err
			}
		}
		if out.Valid, err = s.streamScores(kept.Each, true); err != nil {
			return err
		}
		if c != nil {
			if err := s.rewrite(o.Dir); err != nil {
				return err
			}
		}
	}
	if s.stream.Test > 0 && !o.HoldTest {
		if out.Test, err = s.streamScores(outputsOf(ctx, batches, source.PartTest), true); err != nil {
			return err
		}
	}
	out.Threshold, out.Warnings = thresholdOf(&s.Settings.Target), s.warnings
	return atomicfile.WriteJSON(filepath.Join(o.Dir, EnvironmentFile), s.environment(out, o.Command))
}

// outputs calls a function with the model's outputs for each batch of a part.
type outputs func(f func(out *model.Output, b *graph.Batch) error) error

// outputsOf returns the outputs of a BatchSource.
func outputsOf(ctx context.Context, batches BatchSource, part string) outputs {
	return func(f func(out *model.Output, b *graph.Batch) error) error { return batches.Each(ctx, part, f) }
}

// keptOutputs stores outputs for repeated use.
type keptOutputs []keptOutput

type keptOutput struct {
	out   *model.Output
	batch *graph.Batch
}

func (k *keptOutputs) Add(out *model.Output, b *graph.Batch) error {
	*k = append(*k, keptOutput{out, b})
	return nil
}

func (k *keptOutputs) Each(f func(out *model.Output, b *graph.Batch) error) error {
	for _, o := range *k {
		if err := f(o.out, o.batch); err != nil {
			return err
		}
	}
	return nil
}

// streamScores returns the scores of a part of a BatchSource. With all it returns all scores,
// except ranks of many classes, which need more than one edge at a time.
func (s *Session) streamScores(each outputs, all bool) (train.Scores, error) {
	known := &precomputed{Module: s.Model}
	scorer := s.Task.Problem(known, &s.Settings).Score()
	if t, ok := scorer.(task.FullScorer); ok && all && s.Settings.Model.Out <= 2 {
		t.EnableFull(&source.Part{})
	}
	if f, ok := scorer.(task.Final); ok && all {
		f.Settle()
	}
	arena := tensor.NewArena(s.Threads)
	err := each(func(out *model.Output, b *graph.Batch) error {
		known.out = out
		p := nn.Pass{Tape: arena.Tape()}
		defer p.Tape.Close()
		scorer.Add(&p, b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return scorer.Scores()
}

// precomputed is a model whose output is already known.
type precomputed struct {
	nn.Module
	out *model.Output
}

func (k *precomputed) Forward(*nn.Pass, *graph.Batch) *model.Output { return k.out }
