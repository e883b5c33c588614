package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// GCN is the flat baseline of the paper's tables: GCN layers with ReLU, their
// outputs side by side (jumping knowledge), the mean over nodes, an MLP. It sees
// no edge features.
type GCN struct {
	Convs      []*nn.GCN
	Classifier *nn.MLP
}

// NewGCN builds the model.
func NewGCN(c Config) (*GCN, error) {
	if err := c.validate("gcn"); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &GCN{}
	width := c.NodeDim
	for l := range c.Layers {
		m.Convs = append(m.Convs, nn.NewGCN(in.In("convs", l), width, c.Hidden, nn.GCNConfig{}))
		width = c.Hidden
	}
	m.Classifier = newClassifier(in.In("classifier"), c.Layers*c.Hidden, c)
	return m, nil
}

// Params lists all parameters.
func (m *GCN) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, c := range m.Convs {
		out = append(out, c.Params()...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *GCN) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	var xs []*tensor.Tensor
	for _, c := range m.Convs {
		v = v.WithX(c.ForwardReLU(p, v))
		xs = append(xs, v.X)
	}
	out := &Output{NodeVec: tensor.Concat(1, xs...)}
	out.GraphVec = tensor.SegmentMean(out.NodeVec, v.VertexOf)
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
