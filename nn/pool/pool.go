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
	// Keep lists the kept items for pools that drop items: edges for HyperDropPool, RandDropPool
	// and DropEdge, vertices for TopKPool and SAGPool, and centres of clusters for ASAPool. They
	// are indices of the input view. nil means all items in their order.
	Keep []int32
	// Score is the score of every item of the input [items]. It is nil for pools without scores.
	Score *tensor.Tensor
	// Cluster is the vertex of View into which each vertex of the input was merged, for pools that
	// contract: EdgePool and HaarPool.
	Cluster *tensor.Index
	// Gate is the factor of each vertex of View [vertices], for EdgePool. See Unpool.
	Gate *tensor.Tensor
	// Aux is the pool's own loss, or nil.
	Aux *tensor.Tensor
}

// Pool makes a graph smaller.
type Pool interface {
	nn.Module
	Forward(p *nn.Pass, v graph.View) Result
}
