package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// exactModel is a model of edges that may be evaluated exactly. Its prediction for an edge then
// does not depend on the order of the edges, to the bit. ehgnn-scale, which reads edges block by
// block, gives the same prediction.
type exactModel interface{ exact() bool }

// exactly prepares a pass of such a model outside training: with exact sums at nodes, and with
// features whose products do not depend on how many of them are 0 in the whole batch.
func exactly(p *nn.Pass, b *graph.Batch) (*nn.Pass, *graph.Batch) {
	if p.Train {
		return p, b
	}
	exact, dense := *p, *b
	exact.Exact = true
	dense.X, dense.E = b.X.Dense(), b.E.Dense()
	return &exact, &dense
}
