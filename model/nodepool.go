package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// nodePool pools the nodes of each graph to k vectors and computes a row for every node again.
type nodePool interface {
	nn.Module
	// forward returns the pooled vectors, concatenated [samples,k·dim], the rows of the nodes
	// [n,dim] that are made of them, and the assignment of nodes to vectors. The assignment is nil
	// for a pool that drops nodes.
	forward(p *nn.Pass, v graph.View) (pooled, rows *tensor.Tensor, a pool.Attention)
}

func newNodePool(in nn.Init, c EdgeAutoencoderConfig) (nodePool, error) {
	if c.TopK {
		top, err := pool.NewTopKPool(in, c.Hidden, pool.GateConfig{Keep: pool.Keep{Count: c.NodeClusters}})
		if err != nil {
			return nil, err
		}
		return &topNodes{top}, nil
	}
	gm, err := pool.NewGMPool(in, pool.GMPoolDims{Dim: c.Hidden, Seeds: c.NodeClusters}, pool.MABConfig{Heads: c.Heads, LayerNorm: c.LayerNorm,
		Cluster: true, SeedScale: c.SeedScale, Keys: func(in nn.Init, d nn.ConvDims) (nn.Conv, error) { return nn.NewGCN(in, d, nn.GCNConfig{}), nil }})
	if err != nil {
		return nil, err
	}
	return &clusteredNodes{gm, nn.NewLinear(in.In("map"), nn.Dims{In: c.Hidden, Out: c.Hidden})}, nil
}

// clusteredNodes is GMPool with keys from the graph. A linear map of the pooled vectors precedes
// unpooling, as in GMT.
type clusteredNodes struct {
	Pool *pool.GMPool
	Map  *nn.Linear
}

func (c *clusteredNodes) Params() []*tensor.Param { return nn.Params(c.Pool, c.Map) }

func (c *clusteredNodes) forward(p *nn.Pass, v graph.View) (pooled, rows *tensor.Tensor, a pool.Attention) {
	x, a := c.Pool.Forward(p, v)
	pooled = x.Reshape(x.Dim(0), x.Dim(1)*x.Dim(2))
	return pooled, pool.Unpool(c.Map.Forward(p, x), a, v.VertexOf), a
}

// topNodes keeps nodes and replaces the others with zeros. The vectors of a graph with fewer nodes
// than are kept end in zeros.
type topNodes struct{ Pool *pool.TopKPool }

func (t *topNodes) Params() []*tensor.Param { return t.Pool.Params() }

func (t *topNodes) forward(p *nn.Pass, v graph.View) (pooled, rows *tensor.Tensor, _ pool.Attention) {
	kept := t.Pool.Forward(p, v)
	samples, k := v.VertexOf.Slots(), t.Pool.Keep.Count
	seats, taken := make([]int32, len(kept.Keep)), make([]int32, samples)
	for i, node := range kept.Keep {
		g := v.VertexOf.IDs()[node]
		seats[i] = g*int32(k) + taken[g]
		taken[g]++
	}
	x := kept.View.X
	pooled = tensor.SegmentSum(x, tensor.MustIndex(seats, samples*k)).Reshape(samples, k*x.Dim(1))
	return pooled, tensor.SegmentSum(x, tensor.MustIndex(kept.Keep, v.H.NumVertices())), nil
}
