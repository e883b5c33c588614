package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// LineGraph runs a convolution on the line graph of a graph's edges. Earlier work on edges used it;
// the dual hypergraph is the alternative. Vertices of the line graph are the edges. An undirected
// line edge joins two edges that share a node, also in a directed graph. With HeadToTail set, the
// line graph of a directed graph is directed: an edge sends to the edges that start where it ends.
//
// Input: the dual of a graph's view, as for HyperConv on edges: X [m,in] edge features, E [n,d]
// node features or nil. Output: that of the convolution, [m,out]. With NodeFeatures set, the
// features of a line edge are those of the node that its two edges share, or the mean of both nodes
// if they share both. It has no edge weights. It panics with *tensor.ShapeError on a view that is
// not the dual of a graph.
//
// A node of degree d makes d(d-1)/2 line edges, or in·out with HeadToTail: O(Σ d²) time and memory.
// The dual hypergraph has 2m entries. The structure is built once per batch and kept with it. Jo et
// al. 2021, section 3.1, on the line graph.
type LineGraph struct {
	Conv         Conv
	NodeFeatures bool
	HeadToTail   bool
}

// Params lists the parameters of the convolution.
func (l *LineGraph) Params() []*tensor.Param { return l.Conv.Params() }

// Forward is one round of the convolution on the line graph.
func (l *LineGraph) Forward(p *Pass, v graph.View) *tensor.Tensor {
	ends := v.H.Dual().Ends()
	if ends == nil && v.H.NumVertices() > 0 {
		panic(&tensor.ShapeError{Op: "LineGraph", Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}},
			Want: "the dual of a graph"})
	}
	k := lineKey{directed: l.HeadToTail && v.H.Directed()}
	s := graph.Derived(v.H, k, func() *line { return newLine(v.H.NumEdges(), ends, k.directed) })
	w := graph.View{X: v.X, H: s.h, VertexOf: v.VertexOf}
	if l.NodeFeatures {
		if v.E == nil {
			panic(&tensor.ShapeError{Op: "LineGraph", Want: "node features, as edge features of the line graph"})
		}
		w.E = tensor.SpMM(s.shared, bind(p, v.E), tensor.SpMMConfig{})
	}
	if v.EdgeOf != nil {
		w.EdgeOf = s.samples(v.EdgeOf)
	}
	return l.Conv.Forward(p, w)
}

type lineKey struct{ directed bool }

// line is the line graph of a graph.
type line struct {
	h      *graph.Incidence
	shared *tensor.Sparse // [line edges,n]: half of each of two shared nodes, or all of one
}

func newLine(nodes int, ends []int32, directed bool) *line {
	pairsOf := graph.LineGraph
	if directed {
		pairsOf = graph.LineDigraph
	}
	pairs := pairsOf(nodes, ends)
	h, err := graph.NewPairs(len(ends)/2, pairs, directed)
	if err != nil {
		panic(&tensor.ShapeError{Op: "LineGraph", Want: err.Error()})
	}
	s := tensor.SparseConfig{Rows: len(pairs) / 2, Cols: nodes, Width: 2,
		Col: make([]int32, 0, len(pairs)), Coef: make([]float32, len(pairs))}
	for i := range s.Rows {
		s.Col = append(s.Col, sharedNodes(ends, pairs[2*i], pairs[2*i+1])...)
	}
	for i := range s.Coef {
		s.Coef[i] = 0.5
	}
	return &line{h: h, shared: tensor.NewSparse(s)}
}

// sharedNodes returns the nodes of edge e that are also nodes of edge f. A single shared node is
// listed twice.
func sharedNodes(ends []int32, e, f int32) []int32 {
	u, v := ends[2*e], ends[2*e+1]
	in := func(x int32) bool { return x == ends[2*f] || x == ends[2*f+1] }
	switch {
	case !in(u):
		u = v
	case !in(v):
		v = u
	}
	return []int32{u, v}
}

// samples returns the sample of each line edge, which is that of its node. Line edges are listed
// node by node, so the result is sorted if nodes are.
func (l *line) samples(nodeOf *tensor.Index) *tensor.Index {
	of := make([]int32, l.shared.Rows)
	for i := range of {
		of[i] = nodeOf.IDs()[l.shared.Col[2*i]]
	}
	return tensor.MustIndex(of, nodeOf.Slots())
}
