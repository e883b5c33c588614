package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Residual is the layout of strong baselines: node features are mapped to the hidden width, then
// layers add to them, with edge features, batch normalisation and dropout. With these additions
// plain networks reach the results of newer ones (Luo, Shi and Wu 2025, Unlocking the Potential of
// Classic GNNs for Graph-level Tasks). The readout is that of HyperDrop, max‖mean‖sum summed over
// layers, so that a comparison with HyperDrop compares the layers.
//
// The layers and the classifier have dropout. A training batch panics with *tensor.ShapeError if a
// layer has to normalise a single row.
type Residual struct {
	Node       *nn.Linear // embedding_h
	Edge       *nn.Linear // embedding_e; nil for layers that read the given edge features
	Layers     []residualLayer
	Classifier *nn.MLP
}

// residualLayer updates node features, and edge features if it computes them.
type residualLayer interface {
	nn.Module
	Forward(p *nn.Pass, v graph.View) graph.View
}

// ResidualConfig are the settings of a Residual.
type ResidualConfig struct{ Stack }

// NewGINEResidual builds the model with layers
//
//	x = x + dropout(ReLU(BN(GINE(x))))
//
// The map of GINE has twice the width inside and a norm there, and ε is learned, as in the Open
// Graph Benchmark. Without edge features (Dims.Edge 0) GINE is GIN.
func NewGINEResidual(in nn.Init, d Dims, c ResidualConfig) (*Residual, error) {
	return newResidual(in, d, c, "gine-residual", false, func(in nn.Init) residualLayer {
		g := nn.GINConfig{Form: nn.GINNormHidden, Hidden: 2 * c.Hidden, TrainEps: true}
		l := &gineResidual{Norm: nn.NewBatchNorm(in.In("norm"), c.Hidden), Dropout: c.Dropout}
		if d.Edge > 0 {
			l.Conv = nn.NewGINE(in.In("conv"), nn.ConvDims{In: c.Hidden, Out: c.Hidden, Edge: d.Edge}, g)
		} else {
			l.Conv = nn.NewGIN(in.In("conv"), nn.ConvDims{In: c.Hidden, Out: c.Hidden}, g)
		}
		return l
	})
}

// NewGatedGCN builds the model with nn.GatedGCN layers on the arcs of the graph. An undirected edge
// has two arcs. Its vector in Output.EdgeVecs is the mean of their vectors.
func NewGatedGCN(in nn.Init, d Dims, c ResidualConfig) (*Residual, error) {
	return newResidual(in, d, c, "gatedgcn", true, func(in nn.Init) residualLayer {
		return &gatedResidual{nn.NewGatedGCN(in, nn.ConvDims{In: c.Hidden, Out: c.Hidden, Edge: c.Hidden}, nn.GatedGCNConfig{Dropout: c.Dropout})}
	})
}

// newResidual builds the model. name is for errors. With arcs set, layers work on arcs, which have
// features of their own.
func newResidual(in nn.Init, d Dims, c ResidualConfig, name string, arcs bool, layer func(in nn.Init) residualLayer) (*Residual, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	m := &Residual{Node: nn.NewLinear(in.In("embedding_h"), nn.Dims{In: d.Node, Out: c.Hidden})}
	if arcs {
		m.Edge = nn.NewLinear(in.In("embedding_e"), nn.Dims{In: d.Edge, Out: c.Hidden})
	}
	for l := range c.Layers {
		m.Layers = append(m.Layers, layer(in.In("layers", l)))
	}
	m.Classifier = newClassifier(in.In("classifier"), 3*c.Hidden, d, c.Hidden, c.Dropout)
	return m, nil
}

// Params lists all parameters.
func (m *Residual) Params() []*tensor.Param {
	out := m.Node.Params()
	if m.Edge != nil {
		out = append(out, m.Edge.Params()...)
	}
	return append(out, nn.Params(nn.Each(m.Layers), m.Classifier)...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *Residual) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v, out := b.View.WithX(m.Node.Forward(p, b.X)), &Output{}
	var edge []int32 // of each arc; nil if the arcs are the edges in order
	if m.Edge != nil {
		v, edge = v.WithE(m.Edge.Forward(p, b.E)).Arcs()
	}
	for _, l := range m.Layers {
		v = l.Forward(p, v)
		out.GraphVec = added(out.GraphVec, pool.MaxMeanSum(v.X, v.VertexOf))
	}
	out.NodeVec = v.X
	if m.Edge != nil {
		rows := v.E
		if edge != nil {
			rows = tensor.SegmentMean(rows, tensor.MustIndex(edge, b.H.NumEdges()))
		}
		out.EdgeVecs = []EdgeVec{{Rows: rows}}
	}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}

// gineResidual is one layer of NewGINEResidual.
type gineResidual struct {
	Conv    nn.Conv
	Norm    *nn.BatchNorm
	Dropout float64
}

func (l *gineResidual) Params() []*tensor.Param { return nn.Params(l.Conv, l.Norm) }

func (l *gineResidual) Forward(p *nn.Pass, v graph.View) graph.View {
	y := l.Norm.ForwardReLU(p, l.Conv.Forward(p, v))
	return v.WithX(nn.AddDropout(p, v.X, y, l.Dropout))
}

// gatedResidual is nn.GatedGCN, which has its own residual connections.
type gatedResidual struct{ *nn.GatedGCN }

func (l *gatedResidual) Forward(p *nn.Pass, v graph.View) graph.View {
	x, e := l.GatedGCN.Forward(p, v)
	return v.WithX(x).WithE(e)
}
