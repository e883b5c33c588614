package sample

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
)

// sampled is a model that predicts for the seeds of a subgraph.
type sampled struct {
	network
	at *Subgraph // the batch that Forward reads
}

func (s *sampled) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	if b != s.at.Batch {
		panic("sample: a batch of another subgraph")
	}
	return &model.Output{Edge: s.forward(p, s.at)}
}

// batchSource makes the subgraphs of steps. While a step is trained, it makes the subgraph of the
// next step.
type batchSource struct {
	sampled
	sampler *sampler
	next    int // the step that ahead makes
	ahead   chan made
}

type made struct {
	subgraph *Subgraph
	err      error
}

func (f *batchSource) Model() model.Model { return &f.sampled }

// Batch returns the batch of a step.
func (f *batchSource) Batch(ctx context.Context, step int) (*graph.Batch, error) {
	if f.ahead == nil || f.next != step {
		f.wait()
		f.begin(ctx, step)
	}
	got := <-f.ahead
	f.ahead = nil
	if got.err != nil {
		return nil, fmt.Errorf("sample: step %d: %w", step+1, got.err)
	}
	f.begin(ctx, step+1)
	f.at = got.subgraph
	return got.subgraph.Batch, nil
}

func (f *batchSource) begin(ctx context.Context, step int) {
	to := make(chan made, 1)
	f.next, f.ahead = step, to
	go func() {
		h, err := f.sampler.subgraph(ctx, step)
		to <- made{h, err}
	}()
}

// wait returns when no subgraph is being made.
func (f *batchSource) wait() {
	if f.ahead != nil {
		<-f.ahead
		f.ahead = nil
	}
}
