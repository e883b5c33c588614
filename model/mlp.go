package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// MLP is the baseline without structure: it reads the nodes and edges of a graph, but not how they
// are joined. An MLP of MLPConfig.Layers hidden layers with ReLU and dropout classifies
//
//	slog(Σ x_v over the nodes) ‖ mean of f_e over the edges,  slog(a) = sign(a)·log(1+|a|)
//
// The logarithm brings graphs of ten and of a thousand nodes to one scale. With plain sums, the
// classifier of the paper's schedule, with a dropout of 0.5, is stopped before it has learned.
//
// A model of graphs that is not better has learned nothing from edges (Errica et al. 2020, A Fair
// Comparison of Graph Neural Networks for Graph Classification, where such a baseline is the best
// on DD and PROTEINS).
//
// Edge features enter as their mean. In data without edge features they are the constant 1, whose
// sum would count the edges, which is structure. If node features are degrees, as in data without
// node features, the model does read some structure.
type MLP struct {
	Hidden  []*nn.Linear // layers.L
	Out     *nn.Linear   // out
	Dropout float64
}

// MLPConfig are the settings of an MLP.
type MLPConfig struct{ Stack }

// NewMLP builds the model.
func NewMLP(in nn.Init, d Dims, c MLPConfig) (*MLP, error) {
	if err := check("mlp", d, c); err != nil {
		return nil, err
	}
	m := &MLP{Dropout: c.Dropout, Out: nn.NewLinear(in.In("out"), nn.Dims{In: c.Hidden, Out: d.Out})}
	width := d.Node + d.Edge
	for l := range c.Layers {
		m.Hidden = append(m.Hidden, nn.NewLinear(in.In("layers", l), nn.Dims{In: width, Out: c.Hidden}))
		width = c.Hidden
	}
	return m, nil
}

// Params lists all parameters.
func (m *MLP) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Hidden), m.Out)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits. The vectors of graphs are
// the input of the last layer. There are no vectors of nodes and edges.
func (m *MLP) Forward(p *nn.Pass, b *graph.Batch) *Output {
	x := tensor.Concat(1, signedLog(tensor.SegmentSum(b.X, b.VertexOf)), tensor.SegmentMean(b.E, b.EdgeOf))
	for _, l := range m.Hidden {
		x = nn.Dropout(p, l.ForwardReLU(p, x), m.Dropout)
	}
	return &Output{GraphVec: x, Graph: m.Out.Forward(p, x)}
}

// signedLog is sign(x)·log(1+|x|).
func signedLog(x *tensor.Tensor) *tensor.Tensor {
	return x.ReLU().AddScalar(1).Log().Sub(x.Neg().ReLU().AddScalar(1).Log())
}
