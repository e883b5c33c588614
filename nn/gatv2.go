package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GATv2Config describes a GATv2.
type GATv2Config struct {
	GATConfig
	// Shared uses the weight of the sources also for the targets.
	Shared bool
}

// GATv2 is graph attention whose ranking of neighbours can differ from node to node, because the
// nonlinearity comes before the product with the attention vector. For every head,
//
//	x'_v = Σ_u α_uv·(W_l·x_u + b_l) + b
//	α_uv = softmax over arcs into v of <a, LeakyReLU(W_l·x_u + b_l + W_r·x_v + b_r + W_e·e_uv)>
//
// The heads are concatenated or averaged, as in GAT.
//
// Input, output, loops, edge weights and panics are those of GAT. NoBias leaves out b, b_l and b_r.
// The row that scores an arc is not stored, forward or backward: memory is linear in nodes and
// edges, plus a score for each arc and head.
//
// Brody, Alon and Yahav 2022, equation 7. Names are as in PyTorch Geometric's GATv2Conv.
type GATv2 struct {
	Source, Target *Linear       // lin_l, lin_r [heads·h,in]; Target is nil if shared
	Att            *tensor.Param // att [1,heads,h], h being the width of a head
	Edge           *tensor.Param // lin_edge.weight [heads·h,edge] or nil
	Bias           *tensor.Param // bias [out] or nil
	Heads          int
	GATv2Config
}

// NewGATv2 returns a layer with Glorot-uniform weights, b zero and the other biases uniform in
// ±1/sqrt(in), as in PyTorch Geometric. It returns an error if the heads do not divide the output
// width.
func NewGATv2(in Init, d ConvDims, c GATv2Config) (*GATv2, error) {
	heads, head, err := d.heads("GATv2", c.Average)
	if err != nil {
		return nil, err
	}
	c.GATConfig = c.withDefaults()
	width := heads * head
	linear := func(in Init) *Linear {
		l := &Linear{Weight: in.Glorot("weight", d.In, width, width, d.In)}
		if !c.NoBias {
			l.Bias = in.Uniform("bias", 1/math.Sqrt(float64(max(d.In, 1))), width)
		}
		return l
	}
	g := &GATv2{GATv2Config: c, Heads: heads, Source: linear(in.In("lin_l")),
		Att: in.Glorot("att", heads, head, 1, heads, head), Bias: c.bias(in, d)}
	if !c.Shared {
		g.Target = linear(in.In("lin_r"))
	}
	if d.Edge > 0 {
		g.Edge = in.Glorot("lin_edge.weight", d.Edge, width, width, d.Edge)
	}
	return g, nil
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

// ForwardAttention is Forward with the attention weights.
func (g *GATv2) ForwardAttention(p *Pass, v graph.View) (*tensor.Tensor, ArcAttention) {
	a, arcs := g.arcs("GATv2", v)
	in := bind(p, v.X)
	x := g.Source.Forward(p, in)
	y, e, kinds := x, (*tensor.Tensor)(nil), (*edgeKinds)(nil)
	if g.Target != nil {
		y = g.Target.Forward(p, in)
	}
	if g.Edge != nil {
		e = edgeMatrix("GATv2", p, v, g.Edge.Value.Dim(1))
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
	score := tensor.EdgeScores(arcs.arcIndex(v, g.Edge != nil, kinds), x, y, e, vector, g.Slope)
	attention := tensor.SegmentSoftmax(score, arcs.Dst)
	out := attend(p, v, arcs, x, attention, g.Dropout)
	return mergeHeads(out, p.VarOrNil(g.Bias), g.Heads, g.Average), ArcAttention{arcs.Arcs, attention}
}
