package task

import (
	"context"
	"path/filepath"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Facts are what a training has to know of tables of edges that no memory holds.
type Facts struct {
	Data       DataSettings   // of tables, with the encoder that made the features
	Split      Split          // as the edges were divided
	Node, Edge graph.Features // the columns of features; rows are not read
	// Classes are how many training edges each class of the encoder has; nil where labels are
	// numbers.
	Classes      []int
	Valid, Test  int // edges with a label of these parts
	Nodes, Edges int // of the training graph
	Sampling     Sampling
}

// Feed gives a training the edges of Facts.
type Feed interface {
	// Model has the parameters of the session's model and takes the batches of Batch.
	Model() model.Model
	// Batch is the batch of a step of training, counted from 0; see train.Stream.
	Batch(ctx context.Context, step int) (*graph.Batch, error)
	// Each gives f what the session's model predicts for the edges with a label of a part, exactly,
	// in batches that have labels alone. f may keep what it is given.
	Each(ctx context.Context, part string, f func(out *model.Output, b *graph.Batch) error) error
}

// OpenFed is Open on data that a Feed gives to TrainOn: it resolves settings and builds the
// model. Request.Path is not read. Options of data and split do not apply.
func OpenFed(r Request, facts Facts) (*Session, error) {
	t, spec, err := choose(r.Task, r.Model, suited(Edges, facts.Classes == nil), false)
	if err != nil {
		return nil, err
	}
	if t.Items != Edges || t.Reconstructs || t.Number != (facts.Classes == nil) {
		return nil, Misuse("task: %s does not apply to %s, whose labels are for --task %s", t.Name, facts.Data.Name, suited(Edges, facts.Classes == nil))
	}
	s := &Session{Threads: r.Threads, task: t, spec: spec, own: true, maxMemory: r.MaxMemory, request: r, facts: &facts}
	set := &s.Settings
	*set = Settings{Version: settingsVersion, Task: t.Name, Kind: t.Kind, ModelName: spec.Name, Data: facts.Data.clone(), Split: facts.Split, Sampling: &facts.Sampling, Model: spec.Config()}
	set.Model.Node, set.Model.Edge = facts.Node.Width(), facts.Edge.Width()
	e := set.Data.Tables.Encoder
	if t.Number {
		set.Target.Units = []Unit{{e.Mean, e.Scale}}
		set.edgeDefaults(1)
	} else {
		if len(facts.Classes) < 2 {
			return nil, Misuse("task: %s needs training edges of at least 2 classes, found %q in %s", t.Name, e.Classes, set.Data.Name)
		}
		set.Target.Classes, set.Target.Calibrate = e.Classes, true
		set.edgeDefaults(len(facts.Classes))
		set.weigh(facts.Classes)
	}
	if err := s.options(r); err != nil {
		return nil, err
	}
	if set.Model.Encode || set.Model.Members > 1 {
		return nil, Misuse("task: --encode and --members do not apply to edges that no memory holds")
	}
	if err := s.build(); err != nil {
		return nil, err
	}
	return s, nil
}

// TrainOn is Train on a feed. The run folder has the scores of the test part, but no predictions for
// it, as they may be as many as the edges.
func (s *Session) TrainOn(ctx context.Context, feed Feed, o TrainOptions) (*TrainResult, error) {
	stream := train.Stream{Steps: s.facts.Sampling.Steps, Batch: feed.Batch}
	if s.facts.Valid > 0 {
		stream.Valid = func(ctx context.Context) (train.Scores, error) {
			return s.fedScores(outputsOf(ctx, feed, PartValid), false)
		}
	}
	return s.inFolder(ctx, o, func(opts train.Options) (*train.Result, error) {
		return train.FitStream(ctx, s.task.Problem(feed.Model(), &s.Settings), stream, s.config(), opts)
	}, func(out *TrainResult) error { return s.finishFed(ctx, feed, o, out) })
}

// finishFed is finish for a feed.
func (s *Session) finishFed(ctx context.Context, feed Feed, o TrainOptions, out *TrainResult) (err error) {
	if c := s.task.Finish(&s.Settings); c != nil && s.facts.Valid > 0 {
		var kept keptOutputs
		if err := feed.Each(ctx, PartValid, kept.add); err != nil {
			return err
		}
		if err := kept.each(func(o *model.Output, b *graph.Batch) error { c.Add(o, b); return nil }); err != nil {
			return err
		}
		if err := c.Choose(); err != nil {
			return err
		}
		if out.Valid, err = s.fedScores(kept.each, true); err != nil {
			return err
		}
		if err := s.rewrite(o.Dir); err != nil {
			return err
		}
	}
	if s.facts.Test > 0 && !o.HoldTest {
		if out.Test, err = s.fedScores(outputsOf(ctx, feed, PartTest), true); err != nil {
			return err
		}
	}
	return atomicfile.WriteJSON(filepath.Join(o.Dir, environmentFile), s.environment(out, o.Command))
}

// outputs gives a function what a model predicts for a part, batch by batch.
type outputs func(f func(out *model.Output, b *graph.Batch) error) error

// outputsOf are those of a feed.
func outputsOf(ctx context.Context, feed Feed, part string) outputs {
	return func(f func(out *model.Output, b *graph.Batch) error) error { return feed.Each(ctx, part, f) }
}

// keptOutputs are outputs that are gone through again.
type keptOutputs []keptOutput

type keptOutput struct {
	out   *model.Output
	batch *graph.Batch
}

func (k *keptOutputs) add(out *model.Output, b *graph.Batch) error {
	*k = append(*k, keptOutput{out, b})
	return nil
}

func (k *keptOutputs) each(f func(out *model.Output, b *graph.Batch) error) error {
	for _, o := range *k {
		if err := f(o.out, o.batch); err != nil {
			return err
		}
	}
	return nil
}

// fedScores are the scores of a part of a feed; all of them where asked for and where they need
// no more than the edges one by one, as the ranks of many classes do.
func (s *Session) fedScores(each outputs, all bool) (train.Scores, error) {
	known := &knownOutput{Module: s.Model}
	scorer := s.task.Problem(known, &s.Settings).Score()
	if t, ok := scorer.(thorough); ok && all && s.Settings.Model.Out <= 2 {
		t.examine(&Part{})
	}
	if f, ok := scorer.(final); ok && all {
		f.settle()
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

// knownOutput is a model whose output is known.
type knownOutput struct {
	nn.Module
	out *model.Output
}

func (k *knownOutput) Forward(*nn.Pass, *graph.Batch) *model.Output { return k.out }
