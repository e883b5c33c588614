package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// SAGEConfig describes a GraphSAGE layer. The zero value takes the mean and has a root weight and a
// bias.
type SAGEConfig struct {
	Aggregate Aggregator
	NoRoot    bool // leave the vertex itself out
	NoBias    bool
	Normalize bool // divide each row of the result by its Euclidean norm
}

// SAGE is the GraphSAGE layer: mean, sum or maximum over the neighbours of a vertex, plus a map of
// the vertex itself.
//
//	x'_v = W_l·AGG(w_e·x_u : u→v along e) + b + W_r·x_v
//	x'_v ← x'_v / ‖x'_v‖    with Normalize; a row of zeros stays 0
//
// Input: a view with X [n,in] and optional edge weights W [m]. Output: [n,out]. Each of several
// parallel edges counts. A self-loop edge makes a node its own neighbour. AGG over no neighbours is
// 0. Edge weights multiply the rows that are sent and are not part of the mean's count.
//
// On a hypergraph, and so on a dual, AGG is over the means of a vertex's hyperedges:
//
//	x'_v = W_l·AGG(w_e·mean(x_u : u in e) : e with v) + b + W_r·x_v
//
// v is among the members of e. Loops of the view are left out, because W_r maps the vertex itself.
// With the mean and without root weight this is HyperConv without loops.
//
// Hamilton, Ying and Leskovec 2017, algorithm 1, without sampling. Names are as in PyTorch
// Geometric's SAGEConv. With Normalize, the gradient at a row of zeros is 0 here and 1e12 there.
type SAGE struct {
	Neighbours *Linear // lin_l [out,in], with bias
	Root       *Linear // lin_r [out,in], without bias; may be nil
	SAGEConfig
}

// NewSAGE returns a layer with the initial weights of NewLinear.
func NewSAGE(in Init, d ConvDims, c SAGEConfig) *SAGE {
	maps := Dims{In: d.In, Out: d.Out}
	s := &SAGE{SAGEConfig: c, Neighbours: NewLinear(in.In("lin_l"), maps)}
	if c.NoBias {
		s.Neighbours.Bias = nil
	}
	if !c.NoRoot {
		s.Root = NewLinear(in.In("lin_r"), maps)
		s.Root.Bias = nil
	}
	return s
}

// Params lists the parameters for the neighbours, then the root weight.
func (s *SAGE) Params() []*tensor.Param {
	out := s.Neighbours.Params()
	if s.Root != nil {
		out = append(out, s.Root.Params()...)
	}
	return out
}

// Forward is one round of message passing.
func (s *SAGE) Forward(p *Pass, v graph.View) *tensor.Tensor { return s.forward(p, v, false) }

// ForwardReLU is Forward followed by ReLU, in one pass over the result if possible.
func (s *SAGE) ForwardReLU(p *Pass, v graph.View) *tensor.Tensor { return s.forward(p, v, true) }

func (s *SAGE) forward(p *Pass, v graph.View, relu bool) *tensor.Tensor {
	x := bind(p, v.X)
	c := tensor.SpMMConfig{ReLU: relu && !s.Normalize}
	if s.Root != nil {
		c.Self = s.Root.Forward(p, x)
	}
	var y *tensor.Tensor
	w := p.Var(s.Neighbours.Weight)
	// The product with W_l commutes with sums and means: the narrower rows are sent along edges.
	if s.Aggregate != AggregateMax && w.Dim(0) <= w.Dim(1) {
		c.Bias = p.VarOrNil(s.Neighbours.Bias)
		y = aggregate(v, tensor.Affine(x, w, nil, tensor.AffineConfig{TransW: true}), s.Aggregate, c)
	} else {
		y = finish(s.Neighbours.Forward(p, aggregate(v, x, s.Aggregate, tensor.SpMMConfig{})), c)
	}
	if !s.Normalize {
		return y
	}
	y = y.Mul(whereNonZero(y.Square().SumAxis(1), (*tensor.Tensor).Rsqrt))
	if relu {
		y = y.ReLU()
	}
	return y
}
