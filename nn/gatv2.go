package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GATv2Config describes a GATv2.
type GATv2Config struct {
	GATConfig
	// Shared uses the weight of sources for targets, too.
	Shared bool
}

// GATv2 is graph attention that can rank neighbours differently for every node:
// the nonlinearity comes before the product with the attention vector. For every
// head,
//
//	x'_v = Σ_u α_uv·(W_l·x_u + b_l) + b
//	α_uv = softmax over arcs into v of <a, LeakyReLU(W_l·x_u + b_l + W_r·x_v + b_r + W_e·e_uv)>
//
// and the heads side by side, or their average.
//
// Input, output, loops, edge weights and panics as in GAT. NoBias leaves out all
// of b, b_l and b_r. The row of heads·out numbers that scores an arc is
// formed on the fly, forward and backward: memory goes with nodes and edges, and
// with a score per arc and head.
//
// Brody, Alon and Yahav 2022, equation 7; names as in PyTorch Geometric's
// GATv2Conv.
type GATv2 struct {
	Source, Target *Linear       // lin_l, lin_r [heads·out,in]; Target nil when shared
	Att            *tensor.Param // att [1,heads,out]
	Edge           *tensor.Param // lin_edge.weight [heads·out,EdgeDim] or nil
	Bias           *tensor.Param // bias or nil
	GATv2Config
}

// NewGATv2 returns a layer with Glorot-uniform weights, b zero and the other
// biases uniform in ±1/sqrt(in), as in PyTorch Geometric; dimOut is the width of
// one head.
func NewGATv2(in Init, dimIn, dimOut int, c GATv2Config) *GATv2 {
	c.GATConfig = c.withDefaults()
	width := c.Heads * dimOut
	linear := func(in Init) *Linear {
		l := &Linear{Weight: in.Glorot("weight", dimIn, width, width, dimIn)}
		if !c.NoBias {
			l.Bias = in.Uniform("bias", 1/math.Sqrt(float64(max(dimIn, 1))), width)
		}
		return l
	}
	g := &GATv2{GATv2Config: c, Source: linear(in.In("lin_l")),
		Att: in.Glorot("att", c.Heads, dimOut, 1, c.Heads, dimOut), Bias: c.bias(in, dimOut)}
	if !c.Shared {
		g.Target = linear(in.In("lin_r"))
	}
	if c.EdgeDim > 0 {
		g.Edge = in.Glorot("lin_edge.weight", c.EdgeDim, width, width, c.EdgeDim)
	}
	return g
}

// Params lists the attention vector, the bias and the weights.
func (g *GATv2) Params() []*tensor.Param {
	out := append(present(g.Att, g.Bias), g.Source.Params()...)
	if g.Target != nil {
		out = append(out, g.Target.Params()...)
	}
	return append(out, present(g.Edge)...)
}

// Forward is one round of message passing.
func (g *GATv2) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x, _ := g.ForwardAttention(p, v)
	return x
}

// ForwardAttention is Forward with the attention it paid.
func (g *GATv2) ForwardAttention(p *Pass, v graph.View) (*tensor.Tensor, ArcAttention) {
	a, arcs := g.arcs("GATv2", v)
	in := bind(p, v.X)
	x := g.Source.Forward(p, in)
	y, e, kinds := x, (*tensor.Tensor)(nil), (*edgeKinds)(nil)
	if g.Target != nil {
		y = g.Target.Forward(p, in)
	}
	if g.Edge != nil {
		e = edgeMatrix("GATv2", p, v, g.EdgeDim)
		rows := e
		if kinds = edgeKindsOf(p, v); kinds != nil {
			rows = kinds.rows
		}
		if arcs.loops {
			rows = tensor.Concat(0, rows, loopRows(v, a, e))
		}
		e = tensor.Affine(bind(p, rows), p.Var(g.Edge), nil, tensor.AffineConfig{TransW: true})
	}
	vector := p.Var(g.Att).Reshape(g.Heads, -1)
	score := tensor.EdgeScores(arcs.junctions(v, g.Edge != nil, kinds), x, y, e, vector, g.Slope)
	attention := tensor.SegmentSoftmax(score, arcs.Dst)
	out := attend(p, v, arcs, x, attention, g.Dropout)
	return mergeHeads(out, p.VarOrNil(g.Bias), g.Heads, g.Average), ArcAttention{arcs.Arcs, attention}
}
