package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// DeepGCNConfig are the settings of a DeepGCN.
type DeepGCNConfig struct {
	Stack
	// InitGain multiplies the initial weights of the layers, as nn.Init.Gain. 0 means 1.
	InitGain float64 `json:"init_gain,omitempty"`
	// BatchNorm puts a batch normalisation between every two layers, before ReLU. The model's name
	// sets it; it is not a setting.
	BatchNorm bool `json:"-"`
}

// DropEdgeConfig are the settings of a DeepGCN with DropEdge.
type DropEdgeConfig struct {
	DeepGCNConfig
	// Ratio is the share of edges that are kept, in (0,1]. The paper uses 0.8.
	Ratio float64 `json:"ratio"`
}

// Validate checks all fields.
func (c DeepGCNConfig) Validate() error {
	return firstError(c.Stack.Validate(), checkScale("init_gain", c.InitGain))
}

// Validate checks all fields.
func (c DropEdgeConfig) Validate() error {
	return firstError(c.DeepGCNConfig.Validate(), checkRatio(c.Ratio))
}

// DeepGCN classifies the nodes of a graph by a plain stack of GCNs,
//
//	x = ReLU(GCN_l(dropout(x))),  logits = GCN_L(dropout(x)).
//
// The paper compares DeepHyperDrop with it (appendix C.4) in three forms: the plain GCN, one with
// BatchNorm between the layers, and DropEdge. The more layers the plain one has, the more similar
// the node vectors become (oversmoothing). The comparison is about this effect.
//
// Input: node features [n,Dims.Node]. Output: logits [n,Dims.Out] in Output.Node. The edge list may
// contain self-loops, as for DeepHyperDrop, or not: GCN gives every node a self-loop of weight 1,
// also if DropEdge has dropped it. Parameters are named convs.L and norms.L.
//
// In the registry it is deep-gcn, deep-gcn-batchnorm and deep-dropedge.
type DeepGCN struct {
	Convs   []nn.Conv
	Norms   []*nn.BatchNorm // one fewer than Convs, or none
	Drop    *pool.DropEdge
	Dropout float64
}

// NewDeepGCN builds the model without DropEdge. With BatchNorm, a training pass over a single node
// panics with *tensor.ShapeError, because one row has no variance.
func NewDeepGCN(in nn.Init, d Dims, c DeepGCNConfig) (*DeepGCN, error) {
	name := "deep-gcn"
	if c.BatchNorm {
		name = "deep-gcn-batchnorm"
	}
	return newDeepGCN(in, d, DropEdgeConfig{c, 1}, name)
}

// NewDropEdge builds the model with random edges dropped before the first layer, in training.
func NewDropEdge(in nn.Init, d Dims, c DropEdgeConfig) (*DeepGCN, error) {
	return newDeepGCN(in, d, c, "deep-dropedge")
}

// newDeepGCN builds the model. name is for errors.
func newDeepGCN(in nn.Init, d Dims, c DropEdgeConfig, name string) (*DeepGCN, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	m := &DeepGCN{Convs: newDeepConvs(in, d, c.Stack, c.InitGain, nn.GCNConfig{}), Dropout: c.Dropout}
	var err error
	if m.Drop, err = pool.NewDropEdge(pool.DropEdgeConfig{Rate: 1 - c.Ratio}); err != nil {
		return nil, inModel(name, err)
	}
	if c.BatchNorm {
		for l := range c.Layers - 1 {
			m.Norms = append(m.Norms, nn.NewBatchNorm(in.In("norms", l), c.Hidden))
		}
	}
	return m, nil
}

// Params lists all parameters.
func (m *DeepGCN) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), nn.Each(m.Norms))
}

// Forward classifies the nodes of a batch: Output.Node holds logits.
func (m *DeepGCN) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := m.Drop.Forward(p, b.View).View
	last := len(m.Convs) - 1
	for l, conv := range m.Convs[:last] {
		v = v.WithX(p.Tape.Bind(v.X))
		in := v.WithX(nn.Dropout(p, v.X, m.Dropout))
		if m.Norms == nil {
			v = v.WithX(convReLU(p, conv, in))
		} else {
			v = v.WithX(m.Norms[l].ForwardReLU(p, conv.Forward(p, in)))
		}
	}
	return nodeOutput(p, m.Convs[last], v, m.Dropout)
}

// newDeepConvs builds GCNs from node features to logits, in the scopes convs.L.
func newDeepConvs(in nn.Init, d Dims, s Stack, gain float64, g nn.GCNConfig) []nn.Conv {
	in = in.Gain(gain)
	var out []nn.Conv
	for l := range s.Layers {
		width := s.Hidden
		if l == s.Layers-1 {
			width = d.Out
		}
		out = append(out, nn.NewGCN(in.In("convs", l), nn.ConvDims{In: s.in(l, d.Node), Out: width}, g))
	}
	return out
}

// nodeOutput returns the logits of the last layer. Its input is the vectors of the nodes.
func nodeOutput(p *nn.Pass, last nn.Conv, v graph.View, dropout float64) *Output {
	x := p.Tape.Bind(v.X)
	return &Output{Node: last.Forward(p, v.WithX(nn.Dropout(p, x, dropout))), NodeVec: x}
}
