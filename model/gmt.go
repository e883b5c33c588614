package model

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// GMT is the Graph Multiset Transformer (Baek, Kang and Hwang 2021, section 3, with the authors'
// settings): convolutions with ReLU, their concatenated outputs (jumping knowledge), attention to
// GMTConfig.Clusters seeds, attention among these, attention to one vector, a linear map, an MLP.
//
// Parameter names are those of the authors' GraphMultisetTransformer: convs.i.*, pools.i.*,
// classifier.i.*. Attention takes the softmax over the seeds, as in all their runs. The keys of the
// first pool are GCNs, whatever the convolutions are. Convolutions and keys use edge weights.
type GMT struct {
	Convs      []nn.Conv
	Pools      *pool.GMTPool
	Classifier *nn.MLP
}

// GMTConfig are the settings of a GMT. Its pooling also reads Heads.
type GMTConfig struct {
	Stack
	NodeConv
	Clusters  int  `json:"clusters,omitempty"` // seeds of the first pool, at least 1
	LayerNorm bool `json:"layer_norm,omitempty"`
}

// Validate checks all fields.
func (c GMTConfig) Validate() error {
	return firstError(c.Stack.Validate(), c.NodeConv.Validate(), atLeast("clusters", c.Clusters, 1))
}

func (c *GMTConfig) size(st Stats) { c.Clusters = gmtSeeds(c.Clusters, st) }

// gmtSeeds returns the given seeds, or a quarter of the mean number of nodes, as in the paper.
func gmtSeeds(given int, st Stats) int { return cmp.Or(given, Share(0.25, st.MeanNodes())) }

// NewGMT builds the model.
func NewGMT(in nn.Init, d Dims, c GMTConfig) (*GMT, error) {
	if err := check("gmt", d, c); err != nil {
		return nil, err
	}
	return newGMT(in, d, c, pool.GMTPoolConfig{Blocks: pool.GMTBlocks(c.Clusters),
		MAB: pool.MABConfig{Heads: c.Heads, LayerNorm: c.LayerNorm, Cluster: true}})
}

// newGMT builds the model with another pooling.
func newGMT(in nn.Init, d Dims, c GMTConfig, pooling pool.GMTPoolConfig) (*GMT, error) {
	m := &GMT{}
	var err error
	if m.Convs, err = newConvs(in, d, c.Stack, c.NodeConv, d.Edge); err != nil {
		return nil, inModel("gmt", err)
	}
	if m.Pools, err = pool.NewGMTPool(in.In("pools"), nn.Dims{In: c.Layers * c.Hidden, Out: c.Hidden}, pooling); err != nil {
		return nil, inModel("gmt", err)
	}
	m.Classifier = newClassifier(in.In("classifier"), c.Hidden, d, c.Hidden, c.Dropout)
	return m, nil
}

// Params lists all parameters.
func (m *GMT) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.Pools, m.Classifier)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits. The vectors of graphs are
// the input of the classifier.
func (m *GMT) Forward(p *nn.Pass, b *graph.Batch) *Output {
	xs, v := forwardConvs(p, m.Convs, b.View)
	out := &Output{NodeVec: tensor.Concat(1, xs...)}
	out.GraphVec, out.Attention = m.Pools.Forward(p, v.WithX(out.NodeVec))
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
