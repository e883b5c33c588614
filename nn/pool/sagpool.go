package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// SAGPoolConfig describes a SAGPool.
type SAGPoolConfig struct {
	GateConfig
	// Scorer builds the layer of width 1 that scores; nil for GCN. GraphConv, the
	// default of PyTorch Geometric, is nn.NewGraphConv; on a dual, take HyperConv.
	Scorer func(in nn.Init, dimIn, dimOut int) nn.Conv
}

// SAGPool is self-attention pooling: vertices are scored by a graph convolution,
// so by their neighbourhood, and the best are kept:
//
//	s = tanh(GCN(X, A)),  idx = top_k(s) per sample,  X' = multiplier·(s ⊙ X)[idx]
//
// and with a minimum score s = softmax(GCN(X, A)) over each sample.
//
// Input and output are as in TopKPool; weights of the view reach the scorer.
// Where a view has no edges, a GCN scores a node by itself, and GraphConv by its
// root term. It panics where the scorer does: a GCN needs a graph.
//
// Lee, Lee and Kang 2019, equation 3. PyTorch Geometric multiplies the scores by
// one more learned scalar of random sign, which no gradient reaches; the authors'
// layer has none, nor has this.
type SAGPool struct {
	Scorer nn.Conv // gnn.*
	GateConfig
}

// NewSAGPool returns a pool of vertices of width dim.
func NewSAGPool(in nn.Init, dim int, c SAGPoolConfig) *SAGPool {
	build := c.Scorer
	if build == nil {
		build = func(in nn.Init, dimIn, dimOut int) nn.Conv { return nn.NewGCN(in, dimIn, dimOut, nn.GCNConfig{}) }
	}
	return &SAGPool{GateConfig: c.GateConfig, Scorer: build(in.In("gnn"), dim, 1)}
}

// Params lists the scorer's parameters.
func (s *SAGPool) Params() []*tensor.Param { return s.Scorer.Params() }

// Forward scores vertices by their neighbourhood and keeps the best.
func (s *SAGPool) Forward(p *nn.Pass, v graph.View) Result {
	return s.gate(v, s.score(s.Scorer.Forward(p, v).Reshape(-1), v.VertexOf))
}
