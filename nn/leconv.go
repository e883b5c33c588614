package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// LEConvConfig describes an LEConv.
type LEConvConfig struct {
	// Loops makes every node its own neighbour, with weight 1 or with the weight of the last of its
	// own self-loop edges. These edges do not count in addition.
	Loops bool
	// Unweighted ignores the edge weights of the view.
	Unweighted bool
}

// LEConv is the local extremum convolution, which scores a node by its difference from its
// neighbours:
//
//	x'_v = Σ w_e·(W_1·x_u + b_1 - W_2·x_v) + W_3·x_v + b_3    over arcs u→v along e
//
// Input: a view with X [n,in] and optional edge weights W [m]. Output: [n,out]. A self-loop edge is
// treated like any other edge. It panics with *tensor.ShapeError on a dual or another hypergraph.
//
// Ranjan, Sanyal and Talukdar 2020 (ASAP), equation 8. Names are as in PyTorch Geometric's LEConv.
type LEConv struct {
	Sent, Received, Root *Linear // lin1 [out,in], lin2 without bias, lin3
	LEConvConfig
}

// NewLEConv returns a layer whose maps have the initial weights of NewLinear.
func NewLEConv(in Init, d ConvDims, c LEConvConfig) *LEConv {
	maps := Dims{In: d.In, Out: d.Out}
	l := &LEConv{LEConvConfig: c, Sent: NewLinear(in.In("lin1"), maps),
		Received: NewLinear(in.In("lin2"), maps), Root: NewLinear(in.In("lin3"), maps)}
	l.Received.Bias = nil
	return l
}

// Params lists the parameters of the three maps.
func (l *LEConv) Params() []*tensor.Param { return Params(l.Sent, l.Received, l.Root) }

// Forward is one convolution.
func (l *LEConv) Forward(p *Pass, v graph.View) *tensor.Tensor {
	a := edgePairs("LEConv", v)
	x := bind(p, v.X)
	m, w := a.Messages, v.W
	if l.Unweighted {
		w = nil
	}
	if l.Loops {
		// These messages do not include the graph's own self-loop edges.
		a, _ = v.H.Adjacency()
		m = a.Messages
	}
	degree := leDegree(a, m, w)
	c := tensor.SpMMConfig{W: w}
	sent, received := l.Sent.Forward(p, x), l.Received.Forward(p, x)
	if l.Loops {
		c.Self = sent
		if w != nil {
			g := GCN{GCNConfig: GCNConfig{LoopWeight: 1}}
			c.SelfW = g.loopWeights(p, a, w, m.Rows)
			degree = degree.Add(c.SelfW.Reshape(-1, 1))
		} else {
			degree = degree.AddScalar(1)
		}
	}
	return tensor.SpMM(m, sent, c).Sub(received.Mul(degree)).Add(l.Root.Forward(p, x))
}

// leDegree is the sum of the weights of the messages to each node [n,1].
func leDegree(a *graph.Adjacency, m *tensor.Sparse, w *tensor.Tensor) *tensor.Tensor {
	if w != nil {
		return tensor.SpMM(a.InEdges, w.Reshape(-1, 1), tensor.SpMMConfig{})
	}
	degree := tensor.New(m.Rows, 1)
	for v := range m.Rows {
		degree.Data()[v] = float32(m.Ptr[v+1] - m.Ptr[v])
	}
	return degree
}
