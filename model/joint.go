package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Joint is a graph classifier beyond the paper: layers that update nodes and edges together
// (nn.Joint), and a readout of both. Each layer adds the concatenated max‖mean‖sum of its nodes and
// of its edges to the vector that an MLP classifies.
type Joint struct {
	Layers     []*nn.Joint
	Classifier *nn.MLP
}

// JointConfig are the settings of a Joint and of a JointDecoder.
type JointConfig struct {
	Stack
	EdgeHidden int `json:"edge_hidden"` // width of edge vectors; 0 means hidden
}

// Validate checks all fields.
func (c JointConfig) Validate() error {
	return firstError(c.Stack.Validate(), atLeast("edge_hidden", c.EdgeHidden, 0))
}

// layers builds the layers, in the scopes layers.0 and so on, and returns the width of edges after
// them.
func (c JointConfig) layers(in nn.Init, d Dims) (layers []*nn.Joint, edge int) {
	edge = widthOr(c.EdgeHidden, c.Hidden)
	dims := nn.JointDims{Node: d.Node, Edge: d.Edge, NodeOut: c.Hidden, EdgeOut: edge}
	for l := range c.Layers {
		layers = append(layers, nn.NewJoint(in.In("layers", l), dims))
		dims.Node, dims.Edge = dims.NodeOut, dims.EdgeOut
	}
	return layers, edge
}

// NewJoint builds the model.
func NewJoint(in nn.Init, d Dims, c JointConfig) (*Joint, error) {
	if err := check("ehgnn-joint", d, c); err != nil {
		return nil, err
	}
	layers, edge := c.layers(in, d)
	return &Joint{layers, newClassifier(in.In("classifier"), 3*(c.Hidden+edge), d, c.Hidden, c.Dropout)}, nil
}

// Params lists all parameters.
func (m *Joint) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Layers), m.Classifier)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Joint) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	out := &Output{}
	for _, l := range m.Layers {
		x, e := l.Forward(p, v)
		v = v.WithX(x).WithE(e)
		r := tensor.Concat(1, pool.MaxMeanSum(x, v.VertexOf), pool.MaxMeanSum(e, v.EdgeOf))
		out.GraphVec = added(out.GraphVec, r)
	}
	out.NodeVec = v.X
	out.EdgeVecs = []EdgeVec{{Rows: v.E}}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}
