package train

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Evaluate scores the model of a problem on graphs, in batches of cfg.EvalBatchSize. It uses only
// the fields EvalBatchSize, BatchSize, Seed, Threads and EdgeCodes of cfg. Without graphs there are
// no scores and no error. Cancelling stops with ctx.Err(), also within a batch.
func Evaluate(ctx context.Context, problem Problem, graphs []*graph.Graph, cfg Config) (scores Scores, err error) {
	if err := problem.validate(); err != nil {
		return nil, err
	}
	if len(graphs) == 0 {
		return nil, nil
	}
	s := problem.scorer()
	err = forEach(ctx, graphs, cfg, problem.Prepare, func(p *nn.Pass, _ int, b *graph.Batch) error {
		s.Add(p, b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if scores, err = finish(s); err != nil {
		return nil, fmt.Errorf("train: evaluation: %w", err)
	}
	return scores, nil
}

// ForEachBatch runs f over graphs in their order, in the batches of Evaluate, with a pass that is
// not training. first is the position of the batch's first graph. Tensors of the pass are invalid
// after f returns. An error of f ends the loop and is returned as it is. Cancelling stops with
// ctx.Err(), also within a batch. A shape bug is returned as *tensor.ShapeError.
func ForEachBatch(ctx context.Context, graphs []*graph.Graph, cfg Config, f func(p *nn.Pass, first int, b *graph.Batch) error) error {
	return forEach(ctx, graphs, cfg, nil, f)
}

func forEach(ctx context.Context, graphs []*graph.Graph, cfg Config, prepare func(*graph.Batch), f func(*nn.Pass, int, *graph.Batch) error) (err error) {
	defer tensor.Catch(&err)
	if err := checkGraphs("", graphs); err != nil {
		return err
	}
	if len(graphs) == 0 {
		return ctx.Err()
	}
	arena := tensor.NewArena(cfg.Threads)
	join := joiner(graph.Collate)
	if cfg.EdgeCodes && len(graphs) == 1 {
		join = func(gs []*graph.Graph) (*graph.Batch, error) { return graph.CollateCodes(gs[0]) }
	}
	l := load(inOrder(graphs, cfg.evalBatchSize(len(graphs))), join, prepare)
	defer l.close()
	for i, first := 0, 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := l.next()
		if b == nil {
			return err
		}
		err = onPass(ctx, arena, evalPass(cfg.Seed, i), func(p *nn.Pass) error { return f(p, first, b) })
		if err != nil {
			return err
		}
		first += b.N
	}
}

// score evaluates batches that are already collated.
func score(ctx context.Context, arena *tensor.Arena, problem *Problem, batches []*graph.Batch, seed uint64) (Scores, error) {
	s := problem.scorer()
	for i, b := range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := onPass(ctx, arena, evalPass(seed, i), func(p *nn.Pass) error { s.Add(p, b); return nil }); err != nil {
			return nil, err
		}
	}
	return finish(s)
}

// evalPass returns a pass that does not train. It has random numbers for models that sample in
// prediction.
func evalPass(seed uint64, batch int) nn.Pass {
	return nn.Pass{Rand: rng.Stream(seed, "eval", batch)}
}

// onPass runs f with p on a tape of its own, until ctx ends.
func onPass(ctx context.Context, arena *tensor.Arena, p nn.Pass, f func(*nn.Pass) error) (err error) {
	defer tensor.Catch(&err)
	p.Tape = arena.Tape()
	defer p.Tape.Close()
	p.Tape.SetContext(ctx)
	return f(&p)
}

func finish(s Scorer) (Scores, error) {
	scores, err := s.Scores()
	if err != nil {
		return nil, err
	}
	return scores.clean()
}

// checkGraphs returns an error if a graph is nil.
func checkGraphs(kind string, graphs []*graph.Graph) error {
	for i, g := range graphs {
		if g == nil {
			return fmt.Errorf("train: %sgraph %d is nil", kind, i)
		}
	}
	return nil
}
