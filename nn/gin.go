package nn

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GINForm is the form of the map of a GIN.
type GINForm uint8

const (
	// GINPlain is Linear, ReLU, Linear: nn.0 and nn.2.
	GINPlain GINForm = iota
	// GINNormLast is Linear, ReLU, Linear, ReLU, BatchNorm: nn.0, nn.2 and nn.4, as in the authors'
	// code of GMT.
	GINNormLast
	// GINNormHidden is Linear, BatchNorm, ReLU, Linear: nn.0, nn.1 and nn.3, as in the examples of
	// the Open Graph Benchmark. Their hidden width is twice the output width.
	GINNormHidden
)

// GINConfig describes a GIN. The zero value has a fixed ε = 0 and a plain map.
type GINConfig struct {
	Eps      float32 // ε at the start
	TrainEps bool    // learn ε
	Form     GINForm // of the map built by default
	Hidden   int     // hidden width of the map; 0 means the output width
	// Map builds another map instead of the default one.
	Map func(in Init, d Dims) Rowwise
}

func (c GINConfig) build(in Init, d Dims) Rowwise {
	if c.Map != nil {
		return c.Map(in, d)
	}
	hidden := cmp.Or(c.Hidden, d.Out)
	first := NewLinear(in.In(0), Dims{In: d.In, Out: hidden})
	switch c.Form {
	case GINNormLast:
		return Sequence{first, ReLU{}, NewLinear(in.In(2), Dims{In: hidden, Out: d.Out}), ReLU{}, NewBatchNorm(in.In(4), d.Out)}
	case GINNormHidden:
		return Sequence{first, NewBatchNorm(in.In(1), hidden), ReLU{}, NewLinear(in.In(3), Dims{In: hidden, Out: d.Out})}
	}
	return Sequence{first, ReLU{}, NewLinear(in.In(2), Dims{In: hidden, Out: d.Out})}
}

// epsilon returns the ε of a GIN [1]: a parameter, or a buffer if ε is fixed.
func (c GINConfig) epsilon(in Init) *tensor.Param {
	eps := in.Full("eps", c.Eps, 1)
	eps.Buffer = !c.TrainEps
	return eps
}

// GIN is the layer of the graph isomorphism network
//
//	x'_v = NN((1+ε)·x_v + Σ w_e·x_u)    over arcs u→v along e
//
// Input: a view with X [n,in] and optional edge weights W [m]. Output: [n,out]. A self-loop edge
// makes a node its own neighbour. NN maps rows. If NN ends in a ReLU or a norm, this is part of the
// layer.
//
// On a hypergraph, and so on a dual, the sum is over the hyperedges of v, each with the mean of its
// members, including v. Loops of the view are left out:
//
//	x'_v = NN((1+ε)·x_v + Σ w_e·mean(x_u : u in e))    over e with v
//
// A map with BatchNorm panics with *tensor.ShapeError on a training batch of one vertex. Xu, Hu,
// Leskovec and Jegelka 2019, equation 4.1. Names are as in PyTorch Geometric's GINConv.
type GIN struct {
	Eps *tensor.Param // eps [1]
	NN  Rowwise       // nn.*
}

// NewGIN returns a layer.
func NewGIN(in Init, d ConvDims, c GINConfig) *GIN {
	return &GIN{Eps: c.epsilon(in), NN: c.build(in.In("nn"), Dims{In: d.In, Out: d.Out})}
}

// Params lists ε and the parameters of the map.
func (g *GIN) Params() []*tensor.Param { return append([]*tensor.Param{g.Eps}, g.NN.Params()...) }

// Forward is one round of message passing.
func (g *GIN) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x := bind(p, v.X)
	c := tensor.SpMMConfig{SelfW: selfWeight(p, g.Eps, v.H.NumVertices())}
	if seq, ok := g.NN.(Sequence); ok && len(seq) > 0 {
		if first, ok := seq[0].(*Linear); ok && first.Weight.Value.Dim(0) < first.Weight.Value.Dim(1) {
			// Sums commute with the first linear map: the narrower rows are sent along edges.
			x = tensor.Affine(x, p.Var(first.Weight), nil, tensor.AffineConfig{TransW: true})
			c.Self, c.Bias, c.ReLU = x, p.VarOrNil(first.Bias), seq.reluAt(1)
			rest := seq[1:]
			if c.ReLU {
				rest = seq[2:]
			}
			return rest.Forward(p, aggregate(v, x, AggregateSum, c))
		}
	}
	c.Self = x
	return g.NN.Forward(p, aggregate(v, x, AggregateSum, c))
}

// selfWeight is 1+ε for each of n vertices, or nil if it is the constant 1.
func selfWeight(p *Pass, eps *tensor.Param, n int) *tensor.Tensor {
	if eps.Buffer {
		if eps.Value.Data()[0] == 0 {
			return nil
		}
		return tensor.Full(1+eps.Value.Data()[0], n)
	}
	return p.Var(eps).AddScalar(1).Expand(n)
}
