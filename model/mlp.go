package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// MLP is the baseline that sees no structure: what a graph is made of, not how it
// is joined. An MLP of Config.Layers hidden layers with ReLU and dropout classifies
//
//	slog(Σ x_v over the nodes) ‖ mean of f_e over the edges,  slog(a) = sign(a)·log(1+|a|)
//
// The logarithm brings graphs of ten and of a thousand nodes to one scale. On bare
// sums the classifier of the paper's schedule, with its dropout of 0.5, is stopped
// before it has learned.
//
// A model of graphs that does not beat it has learned nothing from edges (Errica
// et al. 2020, A Fair Comparison of Graph Neural Networks for Graph Classification,
// where such a baseline is the best of all on DD and PROTEINS).
//
// Edges enter by their mean: data without edge features have the constant 1, whose
// sum would count the edges, which is structure. Node features that are degrees, as
// those of data without any, do tell of structure; the model cannot know.
type MLP struct {
	Hidden  []*nn.Linear // layers.L
	Out     *nn.Linear   // out
	Dropout float64
}

// NewMLP builds the model.
func NewMLP(c Config) (*MLP, error) {
	if err := c.validate("mlp"); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &MLP{Dropout: c.Dropout, Out: nn.NewLinear(in.In("out"), nn.Dims{In: c.Hidden, Out: c.Out})}
	width := c.NodeDim + c.EdgeDim
	for l := range c.Layers {
		m.Hidden = append(m.Hidden, nn.NewLinear(in.In("layers", l), nn.Dims{In: width, Out: c.Hidden}))
		width = c.Hidden
	}
	return m, nil
}

// Params lists all parameters.
func (m *MLP) Params() []*tensor.Param {
	var out []*tensor.Param
	for _, l := range m.Hidden {
		out = append(out, l.Params()...)
	}
	return append(out, m.Out.Params()...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits. There are
// vectors of graphs, those that the last layer reads, and none of nodes and edges.
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
