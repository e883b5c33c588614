package model

import (
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// DualStack predicts for each edge by hypergraph convolutions on the dual, where edges are the
// vertices and a node of the graph joins all its edges (paper, section 3.1):
//
//	e⁰_uv = ReLU( (f_uv ‖ x_u ‖ x_v)·A + a )
//	eˡ    = e^(l-1) + Dropout( ReLU( HyperConvˡ on the dual of e^(l-1) ) )
//	y_uv  = MLP( e^L_uv ‖ e⁰_uv )
//
// In an undirected graph mean(x_u,x_v) and |x_u-x_v| replace x_u and x_v. The paper's edge layers
// have no residual connection. Here they have one, because the convolution averages over
// neighbouring edges and would lose the features of the edge itself. Parallel edges are separate
// vertices of the dual. Baselines use other layers instead of HyperConv. In evaluation the means
// are exact (nn.Pass.Exact): a prediction does not depend on the order of the edges.
type DualStack struct {
	Start      *nn.Linear
	Convs      []nn.Conv
	Classifier *nn.MLP
	Dropout    float64
}

// DualStackConfig are the settings of a DualStack.
type DualStackConfig struct {
	Stack
	EdgeHidden int `json:"edge_hidden"` // width of edge vectors; 0 means hidden
}

// EndsMLPConfig are the settings of a DualStack without layers.
type EndsMLPConfig struct {
	Hidden     int     `json:"hidden"` // of the classifier
	Dropout    float64 `json:"dropout"`
	EdgeHidden int     `json:"edge_hidden"` // width of edge vectors; 0 means hidden
}

// Validate checks all fields.
func (c DualStackConfig) Validate() error {
	return firstError(c.Stack.Validate(), atLeast("edge_hidden", c.EdgeHidden, 0))
}

// Validate checks all fields.
func (c EndsMLPConfig) Validate() error {
	return DualStackConfig{Stack{c.Hidden, 1, c.Dropout}, c.EdgeHidden}.Validate()
}

// NewDualStack builds the model.
func NewDualStack(in nn.Init, d Dims, c DualStackConfig) (*DualStack, error) {
	if err := check("ehgnn-edge", d, c); err != nil {
		return nil, err
	}
	return newDualStack(in, d, c, hyperConv), nil
}

// NewEndsMLP builds the model without layers, the baseline that reads no other edge.
func NewEndsMLP(in nn.Init, d Dims, c EndsMLPConfig) (*DualStack, error) {
	if err := check("mlp-edge", d, c); err != nil {
		return nil, err
	}
	return newDualStack(in, d, DualStackConfig{Stack{c.Hidden, 0, c.Dropout}, c.EdgeHidden}, hyperConv), nil
}

func hyperConv(in nn.Init, d nn.ConvDims) nn.Conv {
	return nn.NewHyperConv(in, d, nn.HyperConvConfig{})
}

// newDualStack builds the model from checked settings. layer builds the layers over edges.
func newDualStack(in nn.Init, d Dims, c DualStackConfig, layer func(in nn.Init, d nn.ConvDims) nn.Conv) *DualStack {
	width := widthOr(c.EdgeHidden, c.Hidden)
	m := &DualStack{Dropout: c.Dropout, Start: nn.NewLinear(in.In("start"), nn.Dims{In: d.Edge + 2*d.Node, Out: width})}
	for l := range c.Layers {
		m.Convs = append(m.Convs, layer(in.In("hyper_convs", l), nn.ConvDims{In: width, Out: width}))
	}
	m.Classifier = newClassifier(in.In("classifier"), 2*width, d, c.Hidden, c.Dropout)
	return m
}

// Params lists all parameters.
func (m *DualStack) Params() []*tensor.Param {
	return nn.Params(m.Start, nn.Each(m.Convs), m.Classifier)
}

// exact implements exactModel: true if all layers are hypergraph convolutions.
func (m *DualStack) exact() bool {
	return !slices.ContainsFunc(m.Convs, func(c nn.Conv) bool { _, ok := c.(*nn.HyperConv); return !ok })
}

// Forward predicts for the edges of a batch: Output.Edge holds logits or numbers.
func (m *DualStack) Forward(p *nn.Pass, b *graph.Batch) *Output {
	if m.exact() {
		p, b = exactly(p, b)
	}
	start := m.Start.ForwardReLU(p, WithEnds(p, b.View, b.E, b.X))
	e := start
	for _, c := range m.Convs {
		e = nn.AddDropout(p, e, convReLU(p, c, b.View.WithE(e).Dual()), m.Dropout)
	}
	both := tensor.Concat(1, e, start)
	return &Output{Edge: m.Classifier.Forward(p, both), EdgeVecs: []EdgeVec{{Rows: e}}}
}

// WithEnds concatenates e [m,de] with the vectors of the two ends of each edge in x [n,dx]:
// [m,de+2dx]. In a directed graph these are source and target, in an undirected graph their mean
// and absolute difference.
func WithEnds(p *nn.Pass, v graph.View, e, x *tensor.Tensor) *tensor.Tensor {
	x = p.Tape.Bind(x)
	if v.H.Directed() {
		return tensor.Concat(1, p.Tape.Bind(e), tensor.SpMM(endsOf(v, 1, 0), x, tensor.SpMMConfig{}),
			tensor.SpMM(endsOf(v, 0, 1), x, tensor.SpMMConfig{}))
	}
	return tensor.Concat(1, p.Tape.Bind(e), tensor.SpMM(endsOf(v, 0.5, 0.5), x, tensor.SpMMConfig{}),
		tensor.SpMM(endsOf(v, 1, -1), x, tensor.SpMMConfig{}).Abs())
}

// JointDecoder predicts for each edge or for each node by layers that update nodes and edges
// together (nn.Joint). It reads the last vector of the edge and those of its ends, or the last
// vector of the node. In evaluation for edges, sums at nodes are exact, as in DualStack.
type JointDecoder struct {
	Layers     []*nn.Joint
	Classifier *nn.MLP
	nodes      bool
}

// NewJointDecoder builds the model.
func NewJointDecoder(in nn.Init, d Dims, c JointConfig) (*JointDecoder, error) {
	if err := check("ehgnn-joint-edge", d, c); err != nil {
		return nil, err
	}
	layers, edge := c.layers(in, d)
	return &JointDecoder{Layers: layers, Classifier: newClassifier(in.In("classifier"), edge+2*c.Hidden, d, c.Hidden, c.Dropout)}, nil
}

// NewJointNodes builds the model with predictions for nodes.
func NewJointNodes(in nn.Init, d Dims, c JointConfig) (*JointDecoder, error) {
	if err := check("ehgnn-joint-node", d, c); err != nil {
		return nil, err
	}
	layers, _ := c.layers(in, d)
	return &JointDecoder{Layers: layers, Classifier: newClassifier(in.In("classifier"), c.Hidden, d, c.Hidden, c.Dropout), nodes: true}, nil
}

// Params lists all parameters.
func (m *JointDecoder) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Layers), m.Classifier)
}

// exact implements exactModel: true if the model predicts for edges.
func (m *JointDecoder) exact() bool { return !m.nodes }

// Forward predicts for the edges or nodes of a batch. Output.Edge or Output.Node holds logits or
// numbers.
func (m *JointDecoder) Forward(p *nn.Pass, b *graph.Batch) *Output {
	if m.exact() {
		p, b = exactly(p, b)
	}
	v := b.View
	for _, l := range m.Layers {
		x, e := l.Forward(p, v)
		v = v.WithX(x).WithE(e)
	}
	out := &Output{NodeVec: v.X, EdgeVecs: []EdgeVec{{Rows: v.E}}}
	if m.nodes {
		out.Node = m.Classifier.Forward(p, v.X)
	} else {
		out.Edge = m.Classifier.Forward(p, WithEnds(p, v, v.E, v.X))
	}
	return out
}
