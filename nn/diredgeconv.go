package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// DirEdgeConv is a layer on the dual for directed graphs. A node has one of two roles in an edge,
// source or target, and each role has maps of its own. h are the vectors of edges, n those of
// nodes, and d_o and d_i the logarithmic degrees (graph.DirectedOps):
//
//	o_v   = mean over the edges vw of ReLU( n_w·A_o + h_vw·B_o + b_o )
//	i_v   = mean over the edges wv of ReLU( n_w·A_i + h_wv·B_i + b_i )
//	n'_v  = LayerNorm( n_v + Dropout( ReLU( [n_v ‖ o_v ‖ o_v·d_o ‖ d_o]·C_o + [i_v ‖ i_v·d_i ‖ d_i]·C_i + c ) ) )
//	z_uv  = ReLU( h_uv·D + n'_u·S + n'_v·T + (mean h of the edges vu)·R + d )
//	h'_uv = LayerNorm( h_uv + Dropout( Dropout(z_uv)·E + e ) )
//
// In an undirected graph there is one mean over all edges of a node, n'_u + n'_v replaces n'_u,
// |n'_u - n'_v| replaces n'_v, and there are no reverse edges. Means times degrees are PNA's
// amplification (Corso et al., NeurIPS 2020).
//
// Input: the view of a graph with X [n,width] and E [m,width]. Output: the same shapes.
type DirEdgeConv struct {
	WNode     [2]*tensor.Param // A [width,width]
	WEdge     [2]*Linear       // B with b
	Node      [2]*tensor.Param // C
	NodeBias  *tensor.Param    // c
	NodeNorm  *LayerNorm
	Self, Out *Linear       // D with d, E with e
	WSrc      *tensor.Param // S [width,inner]
	WDst      *tensor.Param // T
	Reverse   *tensor.Param // R
	Norm      *LayerNorm
	dropout   float64
}

// NewDirEdgeConv returns a layer for nodes and edges of the given width, with an inner width. E and
// e start at 0, so that the layer at first only normalises edges.
func NewDirEdgeConv(in Init, width, inner int, dropout float64) *DirEdgeConv {
	square := func(name string, rows, cols int) *tensor.Param { return in.Glorot(name, rows, cols, rows, cols) }
	l := &DirEdgeConv{dropout: dropout, NodeBias: in.Zeros("node.bias", width),
		NodeNorm: NewLayerNorm(in.In("node_norm"), width), Norm: NewLayerNorm(in.In("norm"), width),
		Self: NewLinear(in.In("self"), Dims{In: width, Out: inner}), Out: NewLinear(in.In("out"), Dims{In: inner, Out: width}),
		WSrc: square("first.weight", width, inner), WDst: square("second.weight", width, inner), Reverse: square("reverse.weight", width, inner)}
	for k, name := range []string{"source", "target"} {
		l.WNode[k] = square(name+".from_node", width, width)
		l.WEdge[k] = NewLinear(in.In(name, "from_edge"), Dims{In: width, Out: width})
		l.Node[k] = square(name+".node", (3-k)*width+1, width)
	}
	clear(l.Out.Weight.Value.Data())
	clear(l.Out.Bias.Value.Data())
	return l
}

// Params lists the parameters of all maps.
func (l *DirEdgeConv) Params() []*tensor.Param {
	out := []*tensor.Param{l.WNode[0], l.WNode[1], l.Node[0], l.Node[1], l.NodeBias, l.WSrc, l.WDst, l.Reverse}
	return append(out, Params(l.WEdge[0], l.WEdge[1], l.NodeNorm, l.Self, l.Out, l.Norm)...)
}

// Forward returns the new vectors of nodes and edges.
func (l *DirEdgeConv) Forward(p *Pass, v graph.View) (nodes, edges *tensor.Tensor) {
	r := v.H.DirectedOps()
	nodes = l.nodes(p, v, r)
	rows := []tensor.RowInput{{X: v.E}}
	if r.Differ != nil {
		rows = append(rows, tensor.RowInput{X: nodes.MatMul(p.Var(l.WSrc)), Sum: r.Ends}, tensor.RowInput{X: nodes, Sum: r.Differ})
	} else {
		stack := p.Checkpoint(func(p *Pass, in []*tensor.Tensor) *tensor.Tensor {
			parts := []*tensor.Tensor{in[0].MatMul(p.Var(l.WSrc)), in[0].MatMul(p.Var(l.WDst))}
			if r.ReverseMean != nil {
				parts = append(parts, tensor.SpMM(r.ReverseMean, in[1], tensor.SpMMConfig{}).MatMul(p.Var(l.Reverse)))
			}
			return tensor.Concat(0, parts...)
		}, nodes, v.E)
		rows = append(rows, tensor.RowInput{X: stack, Sum: r.Ends})
	}
	inner, outer := NewMask(p, l.Self.Weight.Value.Dim(0), l.dropout), NewMask(p, v.E.Dim(1), l.dropout)
	edges = p.CheckpointRows(rows, func(p *Pass, b *tensor.RowBlock) *tensor.Tensor {
		h := b.Rows(0)
		z := l.Self.Forward(p, h)
		if r.Differ != nil {
			z = z.Add(b.Sum(2, nil, false).Abs().MatMul(p.Var(l.WDst)))
		}
		z = l.Out.Forward(p, inner.Drop(b, b.Sum(1, z, true)))
		return l.Norm.Forward(p, outer.AddDrop(b, h, z))
	})
	return nodes, edges
}

// nodes returns the new vectors of nodes.
func (l *DirEdgeConv) nodes(p *Pass, v graph.View, r *graph.DirectedOps) *tensor.Tensor {
	rows := []tensor.RowInput{{X: v.X}}
	for k, mean := range r.Mean {
		if mean == nil {
			continue
		}
		m := p.Checkpoint(func(p *Pass, in []*tensor.Tensor) *tensor.Tensor {
			return tensor.EdgeMessages(mean, in[0].MatMul(p.Var(l.WNode[k])), l.WEdge[k].Forward(p, in[1]), tensor.EdgeMessagesConfig{})
		}, v.X, v.E)
		rows = append(rows, tensor.RowInput{X: m}, tensor.RowInput{X: r.Degree[k]})
	}
	mask := NewMask(p, v.X.Dim(1), l.dropout)
	return p.CheckpointRows(rows, func(p *Pass, b *tensor.RowBlock) *tensor.Tensor {
		x := b.Rows(0)
		var sum *tensor.Tensor
		for k := range (len(rows) - 1) / 2 {
			m, d := b.Rows(2*k+1), b.Rows(2*k+2)
			columns := []*tensor.Tensor{m, m.Mul(d), d}
			if k == 0 {
				columns = append([]*tensor.Tensor{x}, columns...)
			}
			part := tensor.Concat(1, columns...).MatMul(p.Var(l.Node[k]))
			if sum == nil {
				sum = part
			} else {
				sum = sum.Add(part)
			}
		}
		return l.NodeNorm.Forward(p, mask.AddDrop(b, x, sum.Add(p.Var(l.NodeBias)).ReLU()))
	})
}
