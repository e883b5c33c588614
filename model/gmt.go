package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// GMT is the Graph Multiset Transformer (Baek, Kang and Hwang 2021, section 3,
// with the authors' settings): convolutions with ReLU, their outputs side by side
// (jumping knowledge), attention to Config.Clusters seeds, among these, and to one
// vector, a linear map, an MLP.
//
// Parameter names are those of the authors' GraphMultisetTransformer: convs.i.*,
// pools.i.*, classifier.i.*. Attention takes the softmax over the seeds, as in all
// their runs, and the keys of the first pool are GCNs whatever the convolutions
// are. Edge weights reach convolutions and keys.
type GMT struct {
	Convs      []nn.Conv
	Pools      *pool.GMTPool
	Classifier *nn.MLP
}

// NewGMT builds the model. Config.Conv names the convolution, gcn when empty,
// and Config.Clusters is the number of seeds, at least 1; the paper takes a
// quarter of the mean number of nodes, rounded up.
func NewGMT(c Config) (*GMT, error) {
	if err := c.validate("gmt"); err != nil {
		return nil, err
	}
	if c.Clusters < 1 {
		return nil, fmt.Errorf("model: gmt: clusters is %d, expected at least 1", c.Clusters)
	}
	return newGMT(c, pool.GMTPoolConfig{Blocks: pool.GMTBlocks(c.Clusters),
		MAB: pool.MABConfig{Heads: c.Heads, LayerNorm: c.LayerNorm, Cluster: true}})
}

// newGMT builds the model with another pooling.
func newGMT(c Config, pooling pool.GMTPoolConfig) (*GMT, error) {
	in := nn.NewInit(c.Seed)
	m := &GMT{}
	var err error
	if m.Convs, err = newConvs(in, c.Conv, c, c.EdgeDim); err != nil {
		return nil, err
	}
	if m.Pools, err = pool.NewGMTPool(in.In("pools"), nn.Dims{In: c.Layers * c.Hidden, Out: c.Hidden}, pooling); err != nil {
		return nil, fmt.Errorf("model: gmt: %w", err)
	}
	m.Classifier = newClassifier(in.In("classifier"), c.Hidden, c)
	return m, nil
}

// Params lists all parameters.
func (m *GMT) Params() []*tensor.Param {
	return append(convParams(m.Convs), nn.Params(m.Pools, m.Classifier)...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits. The
// vectors of graphs are those that the classifier reads.
func (m *GMT) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	var xs []*tensor.Tensor
	for _, c := range m.Convs {
		v = v.WithX(convReLU(p, c, v))
		xs = append(xs, v.X)
	}
	out := &Output{NodeVec: tensor.Concat(1, xs...)}
	out.GraphVec, out.Attention = m.Pools.Forward(p, v.WithX(out.NodeVec))
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
