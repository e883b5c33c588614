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
	// InitGain multiplies the initial weights of the layers, as nn.Init.Gain; 1 when 0.
	InitGain float64 `json:"init_gain,omitempty"`
	// BatchNorm puts a batch normalisation between every two layers, before ReLU. It
	// makes another model of the registry and is no setting.
	BatchNorm bool `json:"-"`
}

// DropEdgeConfig are the settings of a DeepGCN with DropEdge.
type DropEdgeConfig struct {
	DeepGCNConfig
	// Ratio is the share of the edges that are kept, in (0,1]; the paper's is 0.8.
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

// DeepGCN classifies the nodes of a graph by a stack of GCNs and nothing more,
//
//	x = ReLU(GCN_l(dropout(x))),  logits = GCN_L(dropout(x)),
//
// with which the paper compares DeepHyperDrop (appendix C.4): the naive GCN, one
// with BatchNorm between the layers, and DropEdge. The more layers the naive one
// has, the more alike the nodes become, which is what the comparison is about.
//
// Input: node features [n,Dims.Node]; output: logits [n,Dims.Out] in Output.Node.
// Self-loops may be edges of the list, as DeepHyperDrop wants them, or not: GCN
// sees to it that every node has one of weight 1, also where DropEdge has dropped
// it. Parameters are named convs.L and norms.L.
//
// The registry has it as deep-gcn, deep-gcn-batchnorm and deep-dropedge.
type DeepGCN struct {
	Convs   []nn.Conv
	Norms   []*nn.BatchNorm // one fewer, or none
	Drop    *pool.DropEdge
	Dropout float64
}

// NewDeepGCN builds the model without DropEdge. A training pass of BatchNorm over a single node
// panics with *tensor.ShapeError, as that has no variance.
func NewDeepGCN(in nn.Init, d Dims, c DeepGCNConfig) (*DeepGCN, error) {
	name := "deep-gcn"
	if c.BatchNorm {
		name = "deep-gcn-batchnorm"
	}
	return newDeepGCN(in, d, DropEdgeConfig{c, 1}, name)
}

// NewDropEdge builds the model with edges dropped at random before the first layer, in
// training.
func NewDropEdge(in nn.Init, d Dims, c DropEdgeConfig) (*DeepGCN, error) {
	return newDeepGCN(in, d, c, "deep-dropedge")
}

// newDeepGCN builds the model, with its name for errors.
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

// newDeepConvs builds GCNs from node features to logits, under convs.L.
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

// nodeOutput is the last layer's logits, and what it reads as the nodes' vectors.
func nodeOutput(p *nn.Pass, last nn.Conv, v graph.View, dropout float64) *Output {
	x := p.Tape.Bind(v.X)
	return &Output{Node: last.Forward(p, v.WithX(nn.Dropout(p, x, dropout))), NodeVec: x}
}
