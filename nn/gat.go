package nn

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// GATConfig describes a GAT or GATv2. The zero value concatenates heads, adds self-loops and has a
// bias.
type GATConfig struct {
	Average bool    // average heads of the full output width
	NoLoops bool    // add no self-loops
	NoBias  bool    //
	Dropout float64 // of the attention weights, in training
	Slope   float32 // of the leaky ReLU, 0.2 when zero
}

func (c GATConfig) withDefaults() GATConfig {
	c.Slope = cmp.Or(c.Slope, 0.2)
	return c
}

// bias returns the bias of the result, or nil if there is none.
func (c GATConfig) bias(in Init, d ConvDims) *tensor.Param {
	if c.NoBias {
		return nil
	}
	return in.Zeros("bias", d.Out)
}

// arcs lists the messages. With added loops these are the messages between different nodes and a
// loop for every node. Otherwise they are the messages of the graph as it is.
func (c GATConfig) arcs(layer string, v graph.View) (*graph.Adjacency, messageArcs) {
	if a, ok := v.H.Adjacency(); ok && !c.NoLoops {
		return a, arcsOf(a, true)
	}
	a := edgePairs(layer, v)
	return a, arcsOf(a, false)
}

// GAT is graph attention: a sum over neighbours with weights from a softmax of scores of source and
// target. For every head,
//
//	x'_v = Σ_u α_uv·W·x_u + b
//	α_uv = softmax over arcs into v of LeakyReLU(<a_src, W·x_u> + <a_dst, W·x_v> + <a_edge, W_e·e_uv>)
//
// The heads, each of width out/heads, are concatenated. With Average the result is the mean of
// heads of width out.
//
// Input: a view with X [n,in], E [m,edge] unless ConvDims.Edge is 0, and optional edge weights W
// [m]. Output: [n,out]. It panics with *tensor.ShapeError on a dual and on edge features of another
// width. Every node attends to itself through one added loop, which replaces its own self-loop
// edges. The loop's edge feature is the mean over the edges into the node, 0 if there are none.
// With NoLoops, self-loop edges are treated like other edges, and a node without neighbours gets b.
// Edge weights multiply α after the softmax (as in DGL); the weight of a loop is 1.
//
// Scores are sums of a number per node and per edge, so no feature row per arc is stored.
// Veličković et al. 2018, equations 1 to 6. Edge features and names are as in PyTorch Geometric's
// GATConv.
type GAT struct {
	Weight         *tensor.Param // lin.weight [heads·h,in], h being the width of a head
	AttSrc, AttDst *tensor.Param // att_src, att_dst [1,heads,h]
	Edge, AttEdge  *tensor.Param // lin_edge.weight [heads·h,edge], att_edge [1,heads,h], or nil
	Bias           *tensor.Param // bias [out] or nil
	Heads          int
	GATConfig
}

// NewGAT returns a layer with Glorot-uniform weights and zero bias. It returns an error if the
// heads do not divide the output width.
func NewGAT(in Init, d ConvDims, c GATConfig) (*GAT, error) {
	heads, head, err := d.heads("GAT", c.Average)
	if err != nil {
		return nil, err
	}
	width := heads * head
	attention := func(name string) *tensor.Param { return in.Glorot(name, heads, head, 1, heads, head) }
	g := &GAT{GATConfig: c.withDefaults(), Heads: heads, Weight: in.Glorot("lin.weight", d.In, width, width, d.In),
		AttSrc: attention("att_src"), AttDst: attention("att_dst"), Bias: c.bias(in, d)}
	if d.Edge > 0 {
		g.Edge, g.AttEdge = in.Glorot("lin_edge.weight", d.Edge, width, width, d.Edge), attention("att_edge")
	}
	return g, nil
}

// Params lists the attention vectors, the bias and the weights.
func (g *GAT) Params() []*tensor.Param {
	return present(g.AttSrc, g.AttDst, g.AttEdge, g.Bias, g.Weight, g.Edge)
}

// Forward is one round of message passing.
func (g *GAT) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x, _ := g.ForwardAttention(p, v)
	return x
}

// ForwardAttention is Forward with the attention weights.
func (g *GAT) ForwardAttention(p *Pass, v graph.View) (*tensor.Tensor, ArcAttention) {
	a, arcs := g.arcs("GAT", v)
	x := tensor.Affine(bind(p, v.X), p.Var(g.Weight), nil, tensor.AffineConfig{TransW: true})
	// One product with x for both ends: [n,2·heads].
	ends := x.MatMul(tensor.Concat(1, headColumns(p.Var(g.AttSrc)), headColumns(p.Var(g.AttDst))))
	score := tensor.Gather(ends.Slice(1, 0, g.Heads), arcs.Src).
		Add(tensor.Gather(ends.Slice(1, g.Heads, 2*g.Heads), arcs.Dst))
	if g.Edge != nil {
		// <a_edge, W_e·e> = <W_eᵀ·a_edge, e>: the features of an edge are mapped directly to a
		// number per head.
		e := edgeMatrix("GAT", p, v, g.Edge.Value.Dim(1)).MatMul(p.Var(g.Edge).TMatMul(headColumns(p.Var(g.AttEdge))))
		if arcs.loops {
			e = withLoopRows(v, a, e)
		}
		score = score.Add(tensor.Gather(e, arcs.Edge))
	}
	attention := tensor.SegmentSoftmax(score.LeakyReLU(g.Slope), arcs.Dst)
	out := attend(p, v, arcs, x, attention, g.Dropout)
	return mergeHeads(out, p.VarOrNil(g.Bias), g.Heads, g.Average), ArcAttention{arcs.Arcs, attention}
}
