package model

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// EdgeUpdates predicts for each edge by message passing between nodes, along edges and against
// them. Edges have states that are updated from the states of their ends, as in Multi-GNN:
//
//	x⁰_v = X_v·W + w,  e⁰_uv = f_uv·V + v
//	xˡ   = ½·( x^(l-1) + Dropout( ReLU( LayerNorm( BothWays(Conv)ˡ of x^(l-1), e^(l-1) ) ) ) )
//	eˡ   = e^(l-1) + ½·MLPˡ( xˡ_u ‖ xˡ_v ‖ e^(l-1) )
//	y_uv = MLP( ReLU(x^L_u) ‖ ReLU(x^L_v) ‖ e^L_uv )
//
// The ends of an undirected edge have no order; they enter as in nn.EndsLinear. Parallel edges have
// separate states.
//
// Egressy, von Niederhäusern, Blanuša, Altman, Wattenhofer and Atasu 2024 (Provably Powerful Graph
// Neural Networks for Directed Multigraphs). Here an edge has one state; in their code its reverse
// has another. Their ports number the neighbours of a node, and their ego ids mark the nodes whose
// edges a sampled subgraph is made for. Both are left out: ports depend on the order of the edge
// list, and training here uses the whole graph.
type EdgeUpdates struct {
	Node, Edge *nn.Linear
	Layers     []*edgeUpdate
	Ends       *nn.EndsLinear // the first layer of the readout
	Classifier *nn.MLP        // the other layers of the readout
	dropout    float64
}

// EdgeUpdatesConfig are the settings of an EdgeUpdates.
type EdgeUpdatesConfig struct{ Stack }

// NewGINEdge builds the model with GINE, whose map is Linear, ReLU, Linear.
func NewGINEdge(in nn.Init, d Dims, c EdgeUpdatesConfig) (*EdgeUpdates, error) {
	return newEdgeUpdates(in, d, c, "gin-edge", func(in nn.Init) nn.Conv {
		return nn.NewGINE(in, nn.ConvDims{In: c.Hidden, Out: c.Hidden, Edge: c.Hidden}, nn.GINConfig{})
	})
}

// NewPNAEdge builds the model with PNA.
func NewPNAEdge(in nn.Init, d Dims, c EdgeUpdatesConfig) (*EdgeUpdates, error) {
	return newEdgeUpdates(in, d, c, "pna-edge", func(in nn.Init) nn.Conv {
		return nn.NewPNA(in, nn.ConvDims{In: c.Hidden, Out: c.Hidden, Edge: c.Hidden})
	})
}

// newEdgeUpdates builds the model. name is for errors.
func newEdgeUpdates(in nn.Init, d Dims, c EdgeUpdatesConfig, name string, conv func(in nn.Init) nn.Conv) (*EdgeUpdates, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	h := c.Hidden
	m := &EdgeUpdates{dropout: c.Dropout, Node: nn.NewLinear(in.In("node"), nn.Dims{In: d.Node, Out: h}),
		Edge: nn.NewLinear(in.In("edge"), nn.Dims{In: d.Edge, Out: h})}
	ends := nn.EndsDims{Node: h, Edge: h, Out: h}
	for l := range c.Layers {
		in := in.In("layers", l)
		m.Layers = append(m.Layers, &edgeUpdate{Conv: nn.NewBothWays(in.In("conv"), conv), Norm: nn.NewLayerNorm(in.In("norm"), h),
			Ends: nn.NewEndsLinear(in.In("ends"), ends), Up: nn.NewLinear(in.In("up"), nn.Dims{In: h, Out: h}), dropout: c.Dropout})
	}
	m.Ends = nn.NewEndsLinear(in.In("ends"), ends)
	m.Classifier = nn.NewMLP(in.In("classifier"), nn.MLPDims{In: h, Hidden: []int{max(h/2, 1)}, Out: d.Out}, nn.MLPConfig{Dropout: c.Dropout})
	return m, nil
}

// Params lists all parameters.
func (m *EdgeUpdates) Params() []*tensor.Param {
	return nn.Params(m.Node, m.Edge, nn.Each(m.Layers), m.Ends, m.Classifier)
}

// Forward predicts for the edges of a batch: Output.Edge holds logits or numbers.
func (m *EdgeUpdates) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View.WithX(m.Node.Forward(p, b.X)).WithE(m.Edge.Forward(p, b.E))
	for _, l := range m.Layers {
		v = l.Forward(p, v)
	}
	read := nn.Dropout(p, m.Ends.ForwardReLU(p, v.WithX(v.X.ReLU())), m.dropout)
	return &Output{Edge: m.Classifier.Forward(p, read), NodeVec: v.X, EdgeVecs: []EdgeVec{{Rows: v.E}}}
}

// edgeUpdate is one layer of EdgeUpdates.
type edgeUpdate struct {
	Conv    *nn.BothWays
	Norm    *nn.LayerNorm
	Ends    *nn.EndsLinear // first layer of the map of edges
	Up      *nn.Linear     // second layer of the map of edges
	dropout float64
}

func (l *edgeUpdate) Params() []*tensor.Param { return nn.Params(l.Conv, l.Norm, l.Ends, l.Up) }

func (l *edgeUpdate) Forward(p *nn.Pass, v graph.View) graph.View {
	x := l.Norm.Forward(p, l.Conv.Forward(p, v)).ReLU()
	v = v.WithX(nn.AddDropout(p, v.X, x, l.dropout).MulScalar(0.5))
	return v.WithE(v.E.Add(l.Up.Forward(p, l.Ends.ForwardReLU(p, v)).MulScalar(0.5)))
}
