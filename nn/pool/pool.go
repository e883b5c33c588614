package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Result is what a pool did.
type Result struct {
	// View is the pooled graph.
	View graph.View
	// Keep lists the items that were kept, for pools that drop: edges for
	// HyperDrop. They index the view that entered.
	Keep []int32
	// Score is the score of every item that entered [items].
	Score *tensor.Tensor
	// Aux is a loss of the pool's own, nil without one.
	Aux *tensor.Tensor
}

// Pool makes a graph smaller.
type Pool interface {
	nn.Module
	Forward(p *nn.Pass, v graph.View) Result
}
