package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GINE is GIN with edge features in its messages,
//
//	x'_v = NN((1+ε)·x_v + Σ w_e·ReLU(x_u + W·f_e + b))    over arcs u→v along e
//
// W and b exist only if ConvDims.Edge is above 0. With 0, edge features have the width of the
// vertices.
//
// Input: a view with X [n,in], E [m,edge] and optional edge weights W [m]. Output: [n,out]. A
// self-loop edge makes a node its own neighbour. It panics with *tensor.ShapeError if E has another
// width.
//
// On a hypergraph, and so on a dual, a hyperedge sends to each of its members its own features
// together with the mean of the members. Loops of the view are left out:
//
//	x'_v = NN((1+ε)·x_v + Σ w_e·ReLU(mean(x_u : u in e) + W·f_e + b))    over e with v
//
// Messages are not stored, forward or backward: memory is linear in nodes and edges.
//
// After Hu et al. 2020 (Strategies for Pre-training Graph Neural Networks), in the form and with
// the names of PyTorch Geometric's GINEConv.
type GINE struct {
	Eps  *tensor.Param // eps [1]
	NN   Rowwise       // nn.*
	Edge *Linear       // lin [in,edge] or nil

	dimIn int
}

// NewGINE returns a layer.
func NewGINE(in Init, d ConvDims, c GINConfig) *GINE {
	g := &GINE{Eps: c.epsilon(in), NN: c.build(in.In("nn"), Dims{In: d.In, Out: d.Out}), dimIn: d.In}
	if d.Edge > 0 {
		g.Edge = NewLinear(in.In("lin"), Dims{In: d.Edge, Out: d.In})
	}
	return g
}

// Params lists ε, the parameters of the map and the parameters of the edge map.
func (g *GINE) Params() []*tensor.Param {
	out := append([]*tensor.Param{g.Eps}, g.NN.Params()...)
	if g.Edge != nil {
		out = append(out, g.Edge.Params()...)
	}
	return out
}

// Forward is one round of message passing.
func (g *GINE) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x := bind(p, v.X)
	f := edgeMatrix("GINE", p, v, g.edgeWidth())
	feature := func(f *tensor.Tensor) *tensor.Tensor {
		if g.Edge != nil {
			f = g.Edge.Forward(p, f)
		}
		return f
	}
	own := selfWeight(p, g.Eps, v.H.NumVertices())
	a, ok := v.H.AdjacencyWithLoops()
	if !ok {
		h := meanOfMembers(v, x, tensor.SpMMConfig{Self: feature(f), ReLU: true})
		return g.NN.Forward(p, fromHyperedges(v, h, AggregateSum, tensor.SpMMConfig{Self: x, SelfW: own}))
	}
	c := tensor.EdgeMessagesConfig{W: v.W, Self: x, SelfW: own}
	if k := edgeKindsOf(p, v); k != nil && v.W == nil {
		return g.NN.Forward(p, tensor.EdgeMessages(k.messages(v, a, nil), x, feature(bind(p, k.rows)), c))
	}
	return g.NN.Forward(p, tensor.EdgeMessages(a.Messages, x, feature(f), c))
}

// edgeWidth is the width of the edge features that the layer reads.
func (g *GINE) edgeWidth() int {
	if g.Edge != nil {
		return g.Edge.Weight.Value.Dim(1)
	}
	return g.dimIn
}
