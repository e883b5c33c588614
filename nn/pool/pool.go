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
	// HyperDrop, RandDrop and DropEdge, vertices for TopKPool, SAGPool and, as
	// centres of clusters, ASAPool. They index the view that entered; nil stands
	// for all of them in their order.
	Keep []int32
	// Score is the score of every item that entered [items], nil for pools without
	// scores.
	Score *tensor.Tensor
	// Cluster is the vertex of View that each vertex that entered became part of,
	// for pools that contract: EdgePool and HaarPool.
	Cluster *tensor.Index
	// Gate is the factor of each vertex of View [vertices], for EdgePool: see
	// Unpool.
	Gate *tensor.Tensor
	// Aux is a loss of the pool's own, nil without one.
	Aux *tensor.Tensor
}

// Pool makes a graph smaller.
type Pool interface {
	nn.Module
	Forward(p *nn.Pass, v graph.View) Result
}
