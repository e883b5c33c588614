package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// SAGPoolConfig describes a SAGPool.
type SAGPoolConfig struct {
	GateConfig
	// Scorer builds the layer of width 1 that scores, for example ConvSpec.New. nil means GCN. On a
	// dual, use HyperConv.
	Scorer func(in nn.Init, d nn.ConvDims) (nn.Conv, error)
}

// SAGPool is self-attention pooling. A graph convolution scores vertices, so the score depends on
// the neighbourhood, and the best vertices are kept:
//
//	s = tanh(GCN(X, A)),  idx = top_k(s) per sample,  X' = multiplier·(s ⊙ X)[idx]
//
// With a minimum score s = softmax(GCN(X, A)) over each sample.
//
// Input and output are as in TopKPool. The scorer reads the weights of the view. A GCN scores a
// node without edges by its own features. It panics where the scorer does: a GCN needs a graph.
//
// Lee, Lee and Kang 2019, equation 3. PyTorch Geometric multiplies the scores by one more learned
// scalar of random sign, which gets no gradient. The authors' layer has no such scalar, and this
// pool has none.
type SAGPool struct {
	Scorer nn.Conv // gnn.*
	GateConfig
}

// NewSAGPool returns a pool of vertices of width dim, or the error of c.Keep.Validate or of the
// scorer.
func NewSAGPool(in nn.Init, dim int, c SAGPoolConfig) (*SAGPool, error) {
	if err := c.Keep.Validate(); err != nil {
		return nil, err
	}
	build := c.Scorer
	if build == nil {
		build = func(in nn.Init, d nn.ConvDims) (nn.Conv, error) { return nn.NewGCN(in, d, nn.GCNConfig{}), nil }
	}
	scorer, err := build(in.In("gnn"), nn.ConvDims{In: dim, Out: 1})
	if err != nil {
		return nil, err
	}
	return &SAGPool{GateConfig: c.GateConfig, Scorer: scorer}, nil
}

// Params lists the parameters of the scorer.
func (s *SAGPool) Params() []*tensor.Param { return s.Scorer.Params() }

// Forward scores vertices by their neighbourhood and keeps the best.
func (s *SAGPool) Forward(p *nn.Pass, v graph.View) Result {
	return s.gate(v, s.score(s.Scorer.Forward(p, v).Reshape(-1), v.VertexOf))
}
