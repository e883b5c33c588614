package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// GCNSummed is HyperDrop without its edge layers: node layers and the summed readout. It separates
// the effect of EHGNN from the effect of the readout.
type GCNSummed struct {
	Convs      []nn.Conv
	Classifier *nn.MLP
}

// GCNSummedConfig are the settings of a GCNSummed.
type GCNSummedConfig struct {
	Stack
	NodeConv
}

// Validate checks all fields.
func (c GCNSummedConfig) Validate() error {
	return firstError(c.Stack.Validate(), c.NodeConv.Validate())
}

func (c GCNSummedConfig) ignores(name string) bool { return name == "heads" && !c.attends() }

// NewGCNSummed builds the model.
func NewGCNSummed(in nn.Init, d Dims, c GCNSummedConfig) (*GCNSummed, error) {
	if err := check("gcn-summed", d, c); err != nil {
		return nil, err
	}
	convs, err := newConvs(in, d, c.Stack, c.NodeConv, d.Edge)
	if err != nil {
		return nil, inModel("gcn-summed", err)
	}
	return &GCNSummed{convs, newClassifier(in.In("classifier"), 3*c.Hidden, d, c.Hidden, c.Dropout)}, nil
}

// Params lists all parameters.
func (m *GCNSummed) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.Classifier)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *GCNSummed) Forward(p *nn.Pass, b *graph.Batch) *Output {
	xs, v := forwardConvs(p, m.Convs, b.View)
	out := &Output{NodeVec: v.X, GraphVec: summed(xs, v.VertexOf)}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
