package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Result is the result of a pool.
type Result struct {
	// View is the pooled graph.
	View graph.View
	// Keep lists the items that were kept, for pools that drop: edges for
	// HyperDropPool, RandDropPool and DropEdge, vertices for TopKPool, SAGPool and, as
	// centres of clusters, ASAPool. They index the input view; nil stands for all of
	// them in their order.
	Keep []int32
	// Score is the score of every item of the input [items], nil for pools without
	// scores.
	Score *tensor.Tensor
	// Cluster is the vertex of View into which each vertex of the input was merged,
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
