package nn

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// EGNNConfig describes an EGNN. The zero value is the convolutional layer over the whole normalised
// matrix, with channels mixed by a linear map.
type EGNNConfig struct {
	// Attention multiplies the channels by exp(LeakyReLU(a·[x_i‖x_j])) before they are normalised.
	// This is EGNN(A) of the paper. Without it the layer is EGNN(C).
	Attention bool
	// Neighbours restricts the normalised matrix to edges and self-loops, as the formula of the
	// EHGNN paper does. Otherwise it also joins nodes two steps apart, as its definition does.
	Neighbours bool
	// Concat concatenates the channels, as Gong and Cheng do. Otherwise a linear map brings them
	// back to the output width.
	Concat bool
}

// EGNN is the edge-featured convolution of Gong and Cheng. Each channel of the edge features is a
// weighted adjacency, made doubly stochastic and used as attention. With X̃ = X·W and, for each
// channel q, Ê_ij the sum of E_eq over the edges e from j to i, plus 1 on the diagonal:
//
//	Ẽ_ij = Ê_ij / Σ_k Ê_ik
//	S_ij = Σ_k Ẽ_ik·Ẽ_jk / Σ_v Ẽ_vk        rows and columns sum to 1
//	X'   = (‖_q S^q·X̃)·L + c               or without L and c, with Concat
//
// With Attention, Ê is multiplied by exp(LeakyReLU(a·[X̃_i‖X̃_j])) first. Quotients 0/0 are 0. S is
// symmetric also in a directed graph.
//
// Input: a view with X [n,in], E [m,channels] with values of 0 or more, and optional edge weights W
// [m], which multiply E. Output: [n,out], or [n,channels·out] with Concat. It panics with
// *tensor.ShapeError on a dual and on another number of channels.
//
// S is never stored. It is Ẽ·D⁻¹·Ẽᵀ with D = diag(Σ_v Ẽ_vk), so a layer needs two sparse products,
// O(channels·arcs·out). ForwardEdges, and Neighbours, need the entries of S on edges and
// self-loops. These entries need a term for each triangle of the graph. The triangles are found
// once per batch and kept: near-cliques are expensive.
//
// Gong and Cheng 2019, equations 1 to 8. Difference: their S is dense and gets more entries from
// layer to layer. Here the edge features for the next layer stay on the edges of the graph and its
// self-loops.
type EGNN struct {
	Weight *tensor.Param // weight [in,out]
	Att    *tensor.Param // att [2,out], a for target and for source; nil without Attention
	Mix    *Linear       // lin [out,channels·out]; nil with Concat
	EGNNConfig

	channels int
}

// NewEGNN returns a layer with Glorot-uniform weights for edge features of d.Edge channels, at
// least one.
func NewEGNN(in Init, d ConvDims, c EGNNConfig) (*EGNN, error) {
	if d.Edge < 1 {
		return nil, fmt.Errorf("nn: EGNN: %d edge channels, expected at least 1", d.Edge)
	}
	l := &EGNN{EGNNConfig: c, channels: d.Edge, Weight: in.Glorot("weight", d.In, d.Out, d.In, d.Out)}
	if c.Attention {
		l.Att = in.Glorot("att", 2*d.Out, 1, 2, d.Out)
	}
	if !c.Concat {
		l.Mix = NewLinear(in.In("lin"), Dims{In: d.Edge * d.Out, Out: d.Out})
	}
	return l, nil
}

// Params lists weight, att and the mixing map.
func (l *EGNN) Params() []*tensor.Param {
	out := present(l.Weight, l.Att)
	if l.Mix != nil {
		out = append(out, l.Mix.Params()...)
	}
	return out
}

// Forward is one convolution with the features in E. Self-loops have 1 in every channel.
func (l *EGNN) Forward(p *Pass, v graph.View) *tensor.Tensor {
	x, s, t := l.normalised(p, v, nil)
	if l.Neighbours {
		e, loop := l.restricted(v, s, t)
		return l.mixed(p, l.convolveEntries(v, x, e, loop))
	}
	return l.mixed(p, l.convolve(v, x, s, t))
}

// ForwardEdges is Forward and also returns the edge features of the next layer: the entries of S on
// the edges [m,channels] and on the diagonal [n,channels]. In the next layer, pass them as the
// view's E and as loop. In the first layer loop is nil. Edge weights are part of S: if loop is
// given, the weights of the view are not used. Parallel edges share their entry of S evenly, and a
// node's self-loop edges share the diagonal entry.
func (l *EGNN) ForwardEdges(p *Pass, v graph.View, loop *tensor.Tensor) (x, edges, diagonal *tensor.Tensor) {
	x, s, t := l.normalised(p, v, loop)
	edges, diagonal = l.restricted(v, s, t)
	if l.Neighbours {
		return l.mixed(p, l.convolveEntries(v, x, edges, diagonal)), edges, diagonal
	}
	return l.mixed(p, l.convolve(v, x, s, t)), edges, diagonal
}

// normalised returns X̃, the entries of Ẽ arc by arc [k,c], and 1/D [n,c].
func (l *EGNN) normalised(p *Pass, v graph.View, loop *tensor.Tensor) (x, entries, inverse *tensor.Tensor) {
	arcs := edgePairs("EGNN", v).Arcs(true)
	n := v.H.NumVertices()
	e := edgeMatrix("EGNN", p, v, l.channels)
	if loop == nil {
		loop = tensor.Full(1, n, l.channels)
		if v.W != nil {
			e = e.Mul(v.W.Reshape(-1, 1))
		}
	}
	entries = tensor.Gather(tensor.Concat(0, e, loop), arcs.Edge)
	x = bind(p, v.X).MatMul(p.Var(l.Weight))
	if l.Att != nil {
		a := x.MatMulT(p.Var(l.Att)) // [n,2]
		score := tensor.Gather(a.Slice(1, 0, 1), arcs.Dst).Add(tensor.Gather(a.Slice(1, 1, 2), arcs.Src)).LeakyReLU(attentionSlope)
		// Rows are normalised next, so only differences within a row matter: subtract the largest
		// exponent.
		most := tensor.Gather(tensor.SegmentMax(score.Detach(), arcs.Dst), arcs.Dst)
		entries = entries.Mul(score.Sub(most).Exp())
		// The arc with the largest exponent may lack a channel. Then the largest entry of that
		// channel is scaled to 1: otherwise the square of its inverse could be infinite.
		largest := tensor.SegmentMax(entries.Detach().Abs(), arcs.Dst)
		entries = entries.Mul(tensor.Gather(whereAbove(leastEntry, largest, (*tensor.Tensor).Recip), arcs.Dst))
	}
	rows := whereNonZero(tensor.SegmentSum(entries, arcs.Dst), (*tensor.Tensor).Recip)
	entries = entries.Mul(tensor.Gather(rows, arcs.Dst))
	return x, entries, whereAbove(leastColumn, tensor.SegmentSum(entries, arcs.Src), (*tensor.Tensor).Recip)
}

const (
	// leastEntry is the limit for the largest entry of a row in a channel. If the entry is not
	// larger, the row counts as having no entry in the channel. Gradients can be as large as the
	// inverse of an entry.
	leastEntry = 1e-30
	// leastColumn is the least column sum that counts. No entry of S gets more from a column than
	// the column's sum, and the square of the inverse of a smaller sum would be infinite.
	leastColumn = 1e-18
)

// attentionSlope is the slope of LeakyReLU below 0 in attention scores.
const attentionSlope = 0.2

type egnnKey struct{ channels int }

// egnnStructure holds the products with Ẽᵀ, Ẽ and S on neighbours, per channel.
type egnnStructure struct{ up, down, near *tensor.Sparse }

func (l *EGNN) structure(v graph.View) egnnStructure {
	return graph.Derived(v.H, egnnKey{l.channels}, func() egnnStructure {
		a := edgePairs("EGNN", v).Arcs(true).Sum
		return egnnStructure{
			up:   channelled(a.T(), l.channels, true, false),
			down: channelled(a, l.channels, true, true),
			near: channelled(a, l.channels, true, false),
		}
	})
}

// convolve is Ẽ·D⁻¹·Ẽᵀ·x for every channel, concatenated: [n,c·out].
func (l *EGNN) convolve(v graph.View, x, entries, inverse *tensor.Tensor) *tensor.Tensor {
	s := l.structure(v)
	w := tensor.SpMMConfig{W: entries.Reshape(-1)}
	n, d := x.Dim(0), x.Dim(1)
	up := tensor.SpMM(s.up, x, w).Mul(inverse.Reshape(n*l.channels, 1))
	return tensor.SpMM(s.down, up, w).Reshape(n, l.channels*d)
}

// convolveEntries is S·x with only the entries of S on edges and self-loops.
func (l *EGNN) convolveEntries(v graph.View, x, edges, diagonal *tensor.Tensor) *tensor.Tensor {
	arcs := edgePairs("EGNN", v).Arcs(true)
	w := tensor.Gather(tensor.Concat(0, edges, diagonal), arcs.Edge)
	n, d := x.Dim(0), x.Dim(1)
	return tensor.SpMM(l.structure(v).near, x, tensor.SpMMConfig{W: w.Reshape(-1)}).Reshape(n, l.channels*d)
}

func (l *EGNN) mixed(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	if l.Mix == nil {
		return x
	}
	return l.Mix.Forward(p, x)
}

// restricted returns the entries of S on edges and on the diagonal.
func (l *EGNN) restricted(v graph.View, entries, inverse *tensor.Tensor) (edges, diagonal *tensor.Tensor) {
	w := graph.Derived(v.H, wedgesKey{}, func() *wedges { return newWedges(v.H, edgePairs("EGNN", v).Arcs(true)) })
	cells := tensor.SegmentSum(entries, w.cell)
	scaled := cells.Mul(tensor.Gather(inverse, w.column))
	s := tensor.SegmentSum(tensor.Gather(cells, w.left).Mul(tensor.Gather(scaled, w.right)), w.pair)
	out := tensor.Gather(s, w.slot).Mul(w.share)
	m := v.H.NumEdges()
	return out.Slice(0, 0, m), out.Slice(0, m, m+v.H.NumVertices())
}
