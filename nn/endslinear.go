package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// EndsLinear is a linear map of every edge together with its two ends:
//
//	y_e = A·x_u + B·x_v + C·f_e + c      for an edge e from u to v
//
// In an undirected graph mean(x_u,x_v) and max(x_u,x_v), which do not depend on the order of the
// ends, replace x_u and x_v.
//
// Input: a graph's view with X [n,node] and E [m,edge]. Output: [m,out]. It is Linear of x_u ‖ x_v
// ‖ f_e, but these rows are never stored: A and B map nodes, and there are fewer nodes than edges.
// It panics with *tensor.ShapeError on a dual.
type EndsLinear struct {
	*Linear // of A ‖ B ‖ C [out,2·node+edge]
	node    int
}

// EndsDims are the widths of an EndsLinear.
type EndsDims struct{ Node, Edge, Out int }

// NewEndsLinear returns a map with the initial weights of NewLinear.
func NewEndsLinear(in Init, d EndsDims) *EndsLinear {
	return &EndsLinear{NewLinear(in, Dims{In: 2*d.Node + d.Edge, Out: d.Out}), d.Node}
}

// Forward maps the edges of v.
func (l *EndsLinear) Forward(p *Pass, v graph.View) *tensor.Tensor { return l.forward(p, v, false) }

// ForwardReLU is Forward followed by ReLU, in one pass over the result.
func (l *EndsLinear) ForwardReLU(p *Pass, v graph.View) *tensor.Tensor { return l.forward(p, v, true) }

func (l *EndsLinear) forward(p *Pass, v graph.View, relu bool) *tensor.Tensor {
	edgePairs("EndsLinear", v)
	d, width := l.node, l.Weight.Value.Dim(1)
	x, e := bind(p, v.X), edgeMatrix("EndsLinear", p, v, width-2*d)
	c := tensor.SpMMConfig{Self: l.columns(p, e, 2*d, width), Bias: p.Var(l.Bias), ReLU: relu}
	if v.H.Directed() {
		return tensor.SpMM(sumOfEnds(v), tensor.Concat(0, l.columns(p, x, 0, d), l.columns(p, x, d, 2*d)), c)
	}
	_, ends := v.H.Rows()
	c.Self = c.Self.Add(l.columns(p, tensor.NeighbourMax(ends, x), d, 2*d))
	return tensor.SpMM(v.H.Hyper().Up, l.columns(p, x, 0, d), c)
}

type sumOfEndsKey struct{}

// sumOfEnds is sumOfRows for the first and the second end of every edge.
func sumOfEnds(v graph.View) *tensor.Sparse {
	return graph.Derived(v.H, sumOfEndsKey{}, func() *tensor.Sparse {
		src, dst, _ := v.H.Pairs()
		return sumOfRows(src.IDs(), dst.IDs(), v.H.NumVertices())
	})
}

// sumOfRows adds two rows for each i: row src[i] of the first n rows and row dst[i] of the next n
// rows, [len(src),2n].
func sumOfRows(src, dst []int32, n int) *tensor.Sparse {
	col := make([]int32, 0, 2*len(src))
	for i, u := range src {
		col = append(col, u, int32(n)+dst[i])
	}
	return tensor.NewSparse(tensor.SparseConfig{Rows: len(src), Cols: 2 * n, Width: 2, Col: col})
}
