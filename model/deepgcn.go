package model

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// DeepGCNConfig describes a DeepGCN. Of Config it reads NodeDim, Hidden, Out,
// Layers, Dropout, InitGain and Seed.
type DeepGCNConfig struct {
	Config
	// BatchNorm puts a batch normalisation between every two layers, before ReLU.
	BatchNorm bool
	// DropEdge is the share of edges dropped at random before the first layer, in
	// training; the paper's is 0.2.
	DropEdge float64
}

// DeepGCN classifies the nodes of a graph by a stack of GCNs and nothing more,
//
//	x = ReLU(GCN_l(dropout(x))),  logits = GCN_L(dropout(x)),
//
// with which the paper compares DeepHyperDrop (appendix C.4): the naive GCN, one
// with BatchNorm between the layers, and DropEdge. The more layers the naive one
// has, the more alike the nodes become, which is what the comparison is about.
//
// Input: node features [n,NodeDim]; output: logits [n,Out] in Output.Node.
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

// NewDeepGCN builds the model. A training pass of BatchNorm over a single node
// panics with *tensor.ShapeError, as that has no variance.
func NewDeepGCN(c DeepGCNConfig) (*DeepGCN, error) { return newDeepGCN(c, "deep-gcn") }

// newDeepGCN is NewDeepGCN under the name of a row of the registry.
func newDeepGCN(c DeepGCNConfig, name string) (*DeepGCN, error) {
	if err := c.validateDeep(name); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &DeepGCN{Convs: newDeepConvs(in, c.Config, nn.GCNConfig{}), Dropout: c.Dropout}
	var err error
	if m.Drop, err = pool.NewDropEdge(pool.DropEdgeConfig{Rate: c.DropEdge}); err != nil {
		return nil, fmt.Errorf("model: %s: %w", name, err)
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
	out := convParams(m.Convs)
	for _, n := range m.Norms {
		out = append(out, n.Params()...)
	}
	return out
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

// validateDeep is validate for the models of this experiment, whose convolutions
// are not to be chosen.
func (c Config) validateDeep(name string) error {
	if named := cmp.Or(c.Conv, c.EdgeConv); named != "" {
		return fmt.Errorf("model: %s: convolution %s, expected none to be named: nodes have GCN, edges HyperConv", name, named)
	}
	if !(c.InitGain >= 0 && c.InitGain < math.Inf(1)) { // NaN, too
		return fmt.Errorf("model: %s: init_gain is %v, expected a number above 0", name, c.InitGain)
	}
	return c.validate(name)
}

// newDeepConvs builds GCNs from node features to logits, under convs.L.
func newDeepConvs(in nn.Init, c Config, g nn.GCNConfig) []nn.Conv {
	in = in.Gain(c.InitGain)
	out := make([]nn.Conv, c.Layers)
	for l := range out {
		width := c.Hidden
		if l == c.Layers-1 {
			width = c.Out
		}
		out[l] = nn.NewGCN(in.In("convs", l), nn.ConvDims{In: c.nodeDim(l), Out: width}, g)
	}
	return out
}

// nodeOutput is the last layer's logits, and what it reads as the nodes' vectors.
func nodeOutput(p *nn.Pass, last nn.Conv, v graph.View, dropout float64) *Output {
	x := p.Tape.Bind(v.X)
	return &Output{Node: last.Forward(p, v.WithX(nn.Dropout(p, x, dropout))), NodeVec: x}
}
