package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// exactModel is a model of edges that may be evaluated exactly: what it predicts for an edge then does not
// depend, to the bit, on the order of the edges, and is what ehgnn-scale gives, which has
// them a block at a time.
type exactModel interface{ exact() bool }

// exactly is how such a model is passed through where it does not train: with exact sums at nodes, and
// features whose products do not depend on how many of them are 0 in all of the batch.
func exactly(p *nn.Pass, b *graph.Batch) (*nn.Pass, *graph.Batch) {
	if p.Train {
		return p, b
	}
	exact, dense := *p, *b
	exact.Exact = true
	dense.X, dense.E = b.X.Dense(), b.E.Dense()
	return &exact, &dense
}
