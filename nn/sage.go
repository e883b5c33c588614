package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// SAGEConfig describes a GraphSAGE layer; the zero value takes the mean, has a
// root weight and a bias.
type SAGEConfig struct {
	Aggregate Aggregator
	NoRoot    bool // leave the vertex itself out
	NoBias    bool
	Normalize bool // divide each row of the result by its Euclidean norm
}

// SAGE is the GraphSAGE layer: mean, sum or maximum over the neighbours of a vertex,
// plus a map of the vertex itself.
//
//	x'_v = W_l·AGG(w_e·x_u : u→v along e) + b + W_r·x_v
//	x'_v ← x'_v / ‖x'_v‖    with Normalize; a row of zeros stays 0
//
// Input: a view with X [n,in] and optional edge weights W [m]; output [n,out].
// Parallel edges count as often as they occur, a self-loop edge makes a node its
// own neighbour; AGG over no neighbours is 0. Edge weights multiply the rows sent
// and do not enter the mean's count.
//
// On a hypergraph, and so on a dual, AGG is over the means of a vertex's hyperedges:
//
//	x'_v = W_l·AGG(w_e·mean(x_u : u in e) : e with v) + b + W_r·x_v
//
// with v among the members of e; loops of the view are left out, as W_r stands
// for the vertex itself. With the mean and without root weight that is HyperConv
// without loops.
//
// Hamilton, Ying and Leskovec 2017, algorithm 1, without sampling; names as in
// PyTorch Geometric's SAGEConv, whose gradient at a row of zeros under Normalize
// is 1e12 instead of 0.
type SAGE struct {
	Neighbours *Linear // lin_l [out,in] with bias
	Root       *Linear // lin_r [out,in] without, or nil
	SAGEConfig
}

// NewSAGE returns a layer whose weights start as those of NewLinear.
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

// ForwardReLU is Forward followed by ReLU, in one pass over the result where
// possible.
func (s *SAGE) ForwardReLU(p *Pass, v graph.View) *tensor.Tensor { return s.forward(p, v, true) }

func (s *SAGE) forward(p *Pass, v graph.View, relu bool) *tensor.Tensor {
	x := bind(p, v.X)
	c := tensor.SpMMConfig{ReLU: relu && !s.Normalize}
	if s.Root != nil {
		c.Self = s.Root.Forward(p, x)
	}
	var y *tensor.Tensor
	w := p.Var(s.Neighbours.Weight)
	// The product with W_l commutes with sums and means: the narrower side is sent
	// along edges.
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
