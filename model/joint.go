package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Joint is a graph classifier beyond the paper: layers that update nodes and
// edges together (nn.Joint), and a readout of both. Each layer adds the
// max‖mean‖sum of its nodes and of its edges, side by side, to the vector that an
// MLP classifies.
type Joint struct {
	Layers     []*nn.Joint
	Classifier *nn.MLP
}

// NewJoint builds the model.
func NewJoint(c Config) (*Joint, error) {
	if err := c.validate("ehgnn-joint"); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &Joint{}
	d := nn.JointDims{Node: c.NodeDim, Edge: c.EdgeDim, NodeOut: c.Hidden, EdgeOut: c.edgeHidden()}
	for l := range c.Layers {
		m.Layers = append(m.Layers, nn.NewJoint(in.In("layers", l), d))
		d.Node, d.Edge = d.NodeOut, d.EdgeOut
	}
	m.Classifier = newClassifier(in.In("classifier"), 3*(d.NodeOut+d.EdgeOut), c)
	return m, nil
}

// Params lists all parameters.
func (m *Joint) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, l := range m.Layers {
		out = append(out, l.Params()...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Joint) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	out := &Output{}
	for _, l := range m.Layers {
		x, e := l.Forward(p, v)
		v = v.WithX(x).WithE(e)
		r := tensor.Concat(1, pool.MaxMeanSum(x, v.VertexOf), pool.MaxMeanSum(e, v.EdgeOf))
		if out.GraphVec != nil {
			r = out.GraphVec.Add(r)
		}
		out.GraphVec = r
	}
	out.NodeVec = v.X
	out.EdgeVecs = []EdgeVec{{Rows: v.E}}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
