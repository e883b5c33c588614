package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
)

// source is the data that a run trains on and is validated with.
type source interface {
	// open checks and prepares the data. It returns the number of steps of an epoch.
	open(ctx context.Context, r *run) (steps int, err error)
	// batches returns a function that returns one batch after the other, starting with that of step
	// r.Step, and a function that ends it.
	batches(ctx context.Context, r *run) (next func() (*graph.Batch, error), end func(), err error)
	// validated reports whether there is a validation set. score scores the model on it.
	validated() bool
	score(ctx context.Context, r *run) (Scores, error)
	sizes() (train, valid dataSize)
}

// graphData are graphs in memory.
type graphData struct {
	train, valid []*graph.Graph
	validBatches []*graph.Batch
}

func (d *graphData) open(ctx context.Context, r *run) (steps int, err error) {
	if len(d.train) == 0 {
		return 0, errors.New("train: there are no training graphs")
	}
	if err := errors.Join(checkGraphs("training ", d.train), checkGraphs("validation ", d.valid)); err != nil {
		return 0, err
	}
	size := r.cfg.batchSize(len(d.train))
	d.validBatches, err = collateAll(ctx, d.valid, r.cfg.evalBatchSize(len(d.valid)), r.problem.Prepare)
	return (len(d.train) + size - 1) / size, err
}

func (d *graphData) batches(_ context.Context, r *run) (next func() (*graph.Batch, error), end func(), err error) {
	f, err := newBatchSource(d.train, r.cfg, r.Step, r.cfg.Epochs*r.perEpoch, r.problem.Prepare)
	if err != nil {
		return nil, nil, err
	}
	return f.next, f.close, nil
}

func (d *graphData) validated() bool { return len(d.valid) > 0 }

func (d *graphData) score(ctx context.Context, r *run) (Scores, error) {
	return score(ctx, r.arena, &r.problem, d.validBatches, r.cfg.Seed)
}

func (d *graphData) sizes() (train, valid dataSize) { return sizeOf(d.train), sizeOf(d.valid) }

// Stream is data that are not graphs in memory, such as neighbourhoods that are sampled from files.
// The goroutine of FitStream calls its functions.
type Stream struct {
	Steps int // number in an epoch, 1 or more
	// Batch returns the batch of a step, just before that step. Steps are counted from 0 at the
	// start of the run and come in order. The first is the step at which a run resumes.
	Batch func(ctx context.Context, step int) (*graph.Batch, error)
	// Valid scores the current model after each epoch. It is nil if there is no validation set.
	Valid func(ctx context.Context) (Scores, error)
}

// FitStream is Fit on a stream. Checkpoint.Identity should include everything that its batches
// depend on.
func FitStream(ctx context.Context, problem Problem, s Stream, cfg Config, opts Options) (*Result, error) {
	return (&run{problem: problem, cfg: cfg, opts: opts, data: streamData{s}}).fit(ctx)
}

type streamData struct{ Stream }

func (d streamData) open(context.Context, *run) (steps int, err error) {
	if d.Steps < 1 {
		return 0, fmt.Errorf("train: Stream.Steps is %d, expected 1 or more", d.Steps)
	}
	return d.Steps, nil
}

func (d streamData) batches(ctx context.Context, r *run) (next func() (*graph.Batch, error), end func(), err error) {
	return func() (*graph.Batch, error) { return d.Batch(ctx, r.Step) }, func() {}, nil
}

func (d streamData) validated() bool { return d.Valid != nil }

func (d streamData) score(ctx context.Context, _ *run) (Scores, error) {
	scores, err := d.Valid(ctx)
	if err != nil {
		return nil, err
	}
	return scores.clean()
}

func (d streamData) sizes() (train, valid dataSize) { return dataSize{}, dataSize{} }
