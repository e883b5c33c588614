package model

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Names of the tasks on edges, as package task has them.
const (
	edgeClass = "edge-classification"
	edgeRegr  = "edge-regression"
)

// EdgeLevel lists the models with a prediction per edge.
var EdgeLevel = []Spec{
	{
		Name: "ehgnn-edge", Title: "EHGNN edge layers over edges that start from their features and their ends", Paper: ehgnnPaper,
		Tasks: []string{edgeClass, edgeRegr}, Edges: true, Options: []string{"edge-hidden"},
		New: func(c Config) (Model, error) { return built(NewEdgeStack(c)) },
	},
	{
		Name: "ehgnn-joint-edge", Title: "nodes and edges updated together in one pass over the incidence, edges read out",
		Paper: "this project; named as future work by Jo et al., NeurIPS 2021",
		Tasks: []string{edgeClass, edgeRegr}, Edges: true, Options: []string{"edge-hidden"},
		New: func(c Config) (Model, error) { return built(NewJointEdge(c)) },
	},
	{
		Name: "mlp-edge", Title: "an MLP of an edge's features and those of its ends; sees no other edge", Paper: "the baseline without structure",
		Tasks: []string{edgeClass, edgeRegr}, Edges: true, Options: []string{"edge-hidden"}, Fixed: []string{"layers"},
		New: func(c Config) (Model, error) { return built(newEdgeStack("mlp-edge", c, 0)) },
	},
}

// FindEdgeLevel returns a model of EdgeLevel by name.
func FindEdgeLevel(name string) (Spec, error) {
	var names []string
	for _, s := range EdgeLevel {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Spec{}, fmt.Errorf("model: unknown model of edges %q, expected one of: %s", name, strings.Join(names, ", "))
}

// EdgeStack predicts for each edge by hypergraph convolutions on the dual, where
// edges are the nodes and a node of the graph joins all its edges (paper, section
// 3.1):
//
//	e⁰_uv = ReLU( (f_uv ‖ x_u ‖ x_v)·A + a )
//	eˡ    = e^(l-1) + Dropout( ReLU( HyperConvˡ on the dual of e^(l-1) ) )
//	y_uv  = MLP( e^L_uv ‖ e⁰_uv )
//
// In an undirected graph mean(x_u,x_v) and |x_u-x_v| stand in the place of the
// ends. The paper's edge layers have no residual; here what an edge is has to
// outlast what surrounds it, which is averaged. Parallel edges are nodes of the dual
// of their own.
type EdgeStack struct {
	Start      *nn.Linear
	Convs      []*nn.HyperConv
	Classifier *nn.MLP
	dropout    float64
}

// NewEdgeStack builds the model.
func NewEdgeStack(c Config) (*EdgeStack, error) { return newEdgeStack("ehgnn-edge", c, c.Layers) }

func newEdgeStack(name string, c Config, layers int) (*EdgeStack, error) {
	if err := c.validate(name); err != nil {
		return nil, err
	}
	in, d := nn.NewInit(c.Seed), c.edgeHidden()
	m := &EdgeStack{dropout: c.Dropout, Start: nn.NewLinear(in.In("start"), nn.Dims{In: c.EdgeDim + 2*c.NodeDim, Out: d})}
	for l := range layers {
		m.Convs = append(m.Convs, nn.NewHyperConv(in.In("hyper_convs", l), nn.ConvDims{In: d, Out: d}, nn.HyperConvConfig{}))
	}
	m.Classifier = newClassifier(in.In("classifier"), 2*d, c)
	return m, nil
}

// Params lists all parameters.
func (m *EdgeStack) Params() []*tensor.Param {
	out := m.Start.Params()
	for _, c := range m.Convs {
		out = append(out, c.Params()...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward predicts for the edges of a batch: Output.Edge holds logits or numbers.
func (m *EdgeStack) Forward(p *nn.Pass, b *graph.Batch) *Output {
	start := m.Start.ForwardReLU(p, withEnds(p, b.View, b.E, b.X))
	e := start
	for _, c := range m.Convs {
		e = nn.AddDropout(p, e, c.ForwardReLU(p, b.View.WithE(e).Dual()), m.dropout)
	}
	both := tensor.Concat(1, e, start)
	return &Output{Edge: m.Classifier.Forward(p, both), EdgeVecs: []EdgeVec{{Rows: e}}}
}

// withEnds is e [m,de] beside what x [n,dx] says of the two ends of each edge
// [m,de+2dx]: first and second where edges have a direction, else mean and distance.
func withEnds(p *nn.Pass, v graph.View, e, x *tensor.Tensor) *tensor.Tensor {
	x = p.Tape.Bind(x)
	if v.H.Directed() {
		return tensor.Concat(1, p.Tape.Bind(e), tensor.SpMM(endsOf(v, 1, 0), x, tensor.SpMMConfig{}),
			tensor.SpMM(endsOf(v, 0, 1), x, tensor.SpMMConfig{}))
	}
	return tensor.Concat(1, p.Tape.Bind(e), tensor.SpMM(endsOf(v, 0.5, 0.5), x, tensor.SpMMConfig{}),
		tensor.SpMM(endsOf(v, 1, -1), x, tensor.SpMMConfig{}).Abs())
}

// JointEdge predicts for each edge by layers that update nodes and edges together
// (nn.Joint), from the edge's last features beside those of its ends.
type JointEdge struct {
	Layers     []*nn.Joint
	Classifier *nn.MLP
}

// NewJointEdge builds the model.
func NewJointEdge(c Config) (*JointEdge, error) {
	if err := c.validate("ehgnn-joint-edge"); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &JointEdge{}
	d := nn.JointDims{Node: c.NodeDim, Edge: c.EdgeDim, NodeOut: c.Hidden, EdgeOut: c.edgeHidden()}
	for l := range c.Layers {
		m.Layers = append(m.Layers, nn.NewJoint(in.In("layers", l), d))
		d.Node, d.Edge = d.NodeOut, d.EdgeOut
	}
	m.Classifier = newClassifier(in.In("classifier"), d.EdgeOut+2*d.NodeOut, c)
	return m, nil
}

// Params lists all parameters.
func (m *JointEdge) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, l := range m.Layers {
		out = append(out, l.Params()...)
	}
	return append(out, m.Classifier.Params()...)
}

// Forward predicts for the edges of a batch: Output.Edge holds logits or numbers.
func (m *JointEdge) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	for _, l := range m.Layers {
		x, e := l.Forward(p, v)
		v = v.WithX(x).WithE(e)
	}
	return &Output{Edge: m.Classifier.Forward(p, withEnds(p, v, v.E, v.X)), NodeVec: v.X, EdgeVecs: []EdgeVec{{Rows: v.E}}}
}
