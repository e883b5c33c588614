package pool

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperDropPoolConfig describes a HyperDropPool.
type HyperDropPoolConfig struct {
	Keep Keep
	// Floor is the least weight of an edge, 0 in the paper. Above 0 no kept edge loses its
	// messages. An edge with a score below it gets no gradient.
	Floor float32
	// Sigmoid makes (1+z)/2 the weight of an edge. This is the sigmoid of twice the argument of
	// tanh: it has the same order, but is positive and has a gradient everywhere.
	Sigmoid bool
	// TrainOnly drops edges only in training. In evaluation all edges stay, weighted by their
	// scores, and Result.Keep is nil.
	TrainOnly bool
}

// HyperDropPool drops edges and keeps every node (paper, section 3.2, equation 8 and appendix B.2).
// Edges are vertices of the dual hypergraph, so
//
//	z = tanh(HyperConv(G*)),  idx = top_k(z) per graph
//
// keeps the best edges with their features. The kept scores, clamped to [0,1], become the weights
// of later node layers. An edge kept with a negative score has weight 0 and gets no gradient. So a
// scorer whose scores all start below 0 never learns, unless Sigmoid is set.
//
// Input: a graph with edge representations E [m,d]. Output: the same nodes and the kept edges, by
// descending score within each graph, with W set. The dual has one vertex per edge. In the authors'
// directed form the two arcs of a bond have equal scores, so Keep.Fraction keeps the same share of
// bonds in both forms. Only an odd count splits a pair of arcs there.
type HyperDropPool struct {
	Score *nn.HyperConv
	HyperDropPoolConfig
}

// NewHyperDropPool returns a pool for edge representations of width dim, or the error of
// c.Keep.Validate.
func NewHyperDropPool(in nn.Init, dim int, c HyperDropPoolConfig) (*HyperDropPool, error) {
	if err := c.Keep.Validate(); err != nil {
		return nil, err
	}
	return &HyperDropPool{Score: nn.NewHyperConv(in, nn.ConvDims{In: dim, Out: 1}, nn.HyperConvConfig{}), HyperDropPoolConfig: c}, nil
}

// Params lists the parameters of the scorer.
func (h *HyperDropPool) Params() []*tensor.Param { return h.Score.Params() }

// Forward scores the edges of v and keeps the best.
func (h *HyperDropPool) Forward(p *nn.Pass, v graph.View) Result {
	z := h.score(p, v)
	if h.TrainOnly && !p.Train {
		return h.weigh(v, z, nil)
	}
	return h.weigh(v, z, TopK(z.Data(), v.EdgeOf, h.Keep))
}

// score is tanh of the scorer's result, one number per edge [m].
func (h *HyperDropPool) score(p *nn.Pass, v graph.View) *tensor.Tensor {
	return h.Score.Forward(p, v.Dual()).Tanh().Reshape(-1)
}

// weigh returns v with the edges of keep, nil for all edges, weighted by their scores z.
func (h *HyperDropPool) weigh(v graph.View, z *tensor.Tensor, keep []int32) Result {
	w := z
	if h.Sigmoid {
		w = z.MulScalar(0.5).AddScalar(0.5)
	}
	out := v.WithW(w)
	if keep != nil {
		out = out.KeepEdges(keep)
	}
	return Result{View: out.WithW(out.W.Clamp(h.Floor, 1)), Keep: keep, Score: z}
}
