package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// HyperDropGMT is HyperDrop with GMT's pooling of nodes instead of the summed readout. The pooling
// reads the concatenated vectors of all node layers, with the edges and weights of the last layer
// (paper, appendix C.3).
type HyperDropGMT struct {
	Trunk
	GMT        *pool.GMTPool
	Classifier *nn.MLP
}

// HyperDropGMTConfig are the settings of a HyperDropGMT. GMT also reads Heads.
type HyperDropGMTConfig struct {
	HyperDropConfig
	Clusters  int  `json:"clusters,omitempty"` // seeds of GMT's first pool, at least 1
	LayerNorm bool `json:"layer_norm,omitempty"`
}

// Validate checks all fields.
func (c HyperDropGMTConfig) Validate() error {
	return firstError(c.HyperDropConfig.Validate(), atLeast("clusters", c.Clusters, 1))
}

func (c HyperDropGMTConfig) ignores(string) bool { return false }

func (c *HyperDropGMTConfig) size(st Stats) { c.Clusters = gmtSeeds(c.Clusters, st) }

// NewHyperDropGMT builds the model.
func NewHyperDropGMT(in nn.Init, d Dims, c HyperDropGMTConfig) (*HyperDropGMT, error) {
	const name = "hyperdrop-gmt"
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	t, err := newTrunk(in, d, c.HyperDropConfig, newScored)
	if err != nil {
		return nil, inModel(name, err)
	}
	g, err := pool.NewGMTPool(in.In("pools"), nn.Dims{In: c.Layers * c.Hidden, Out: c.Hidden}, pool.GMTPoolConfig{
		Blocks: pool.GMTBlocks(c.Clusters), MAB: pool.MABConfig{Heads: c.Heads, LayerNorm: c.LayerNorm, Cluster: true}})
	if err != nil {
		return nil, inModel(name, err)
	}
	return &HyperDropGMT{*t, g, newClassifier(in.In("classifier"), c.Hidden, d, c.Hidden, c.Dropout)}, nil
}

// Params lists all parameters.
func (m *HyperDropGMT) Params() []*tensor.Param { return nn.Params(&m.Trunk, m.GMT, m.Classifier) }

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *HyperDropGMT) Forward(p *nn.Pass, b *graph.Batch) *Output {
	xs, v, out := m.Trunk.Forward(p, b)
	out.GraphVec, out.Attention = m.GMT.Forward(p, v.WithX(tensor.Concat(1, xs...)))
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
