package nn

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// The edge-aware layers (EGCN, MPNN, RGCN, EGNN) share the functions of this file. They treat a
// self-loop edge like any other edge, as PyTorch Geometric does: one message from the node to
// itself.

// edgePairs returns the structure of messages, including self-loop edges. It panics with the name
// of the layer if the hyperedges of the view are not edges.
func edgePairs(layer string, v graph.View) *graph.Adjacency {
	a, ok := v.H.AdjacencyWithLoops()
	if !ok {
		panic(notPairs(layer, v))
	}
	return a
}

// notPairs returns the error of a layer that needs a graph and gets a view whose hyperedges are not
// edges.
func notPairs(layer string, v graph.View) *tensor.ShapeError {
	return &tensor.ShapeError{Op: layer, Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}},
		Want: "a graph whose edges have two ends (HyperConv works on hypergraphs)"}
}

// edgeMatrix returns v.E after checking that it is [m,width].
func edgeMatrix(layer string, p *Pass, v graph.View, width int) *tensor.Tensor {
	e := v.E
	if e == nil || e.Rank() != 2 || e.Dim(0) != v.H.NumEdges() || e.Dim(1) != width {
		var found [][]int
		if e != nil {
			found = [][]int{e.Shape()}
		}
		panic(&tensor.ShapeError{Op: layer, Shapes: found, Want: fmt.Sprintf("edge features of shape [%d %d]", v.H.NumEdges(), width)})
	}
	return bind(p, e)
}

// channelled repeats a matrix for weights of c channels: weight i of a becomes the weights i·c to
// i·c+c-1. Channels multiply the rows, the columns or both. Entries keep their order:
//
//	rows        out[i·c+q] = Σ_k w[id_k·c+q]·x[col_k]        a sum per channel
//	cols        out[i]     = Σ_kq w[id_k·c+q]·x[col_k·c+q]   summed over channels
//	rows, cols  out[i·c+q] = Σ_k w[id_k·c+q]·x[col_k·c+q]    each channel separately
//
// x [n,d] and the results are viewed as [n·c,d/c]. One SpMM then replaces c of them, and the
// feature rows of edges are the weights as they are.
func channelled(a *tensor.Sparse, c int, rows, cols bool) *tensor.Sparse {
	if c == 1 {
		return a
	}
	size := a.Entries() * c
	out := tensor.SparseConfig{Rows: a.Rows, Cols: a.Cols, NumWeights: a.NumWeights * c,
		Col: make([]int32, 0, size), Weight: make([]int32, 0, size)}
	if a.Coef != nil {
		out.Coef = make([]float32, 0, size)
	}
	if cols {
		out.Cols *= c
	}
	entry := func(k, q int) {
		col, weight := int32(k), int32(k)
		if a.Col != nil {
			col = a.Col[k]
		}
		if a.Weight != nil {
			weight = a.Weight[k]
		}
		if cols {
			col = col*int32(c) + int32(q)
		}
		out.Col, out.Weight = append(out.Col, col), append(out.Weight, weight*int32(c)+int32(q))
		if a.Coef != nil {
			out.Coef = append(out.Coef, a.Coef[k])
		}
	}
	out.Ptr = append(out.Ptr, 0)
	for i := range a.Rows {
		lo, hi := i*a.Width, (i+1)*a.Width
		if a.Ptr != nil {
			lo, hi = int(a.Ptr[i]), int(a.Ptr[i+1])
		}
		if rows {
			for q := range c {
				for k := lo; k < hi; k++ {
					entry(k, q)
				}
				out.Ptr = append(out.Ptr, int32(len(out.Col)))
			}
			continue
		}
		for k := lo; k < hi; k++ {
			for q := range c {
				entry(k, q)
			}
		}
		out.Ptr = append(out.Ptr, int32(len(out.Col)))
	}
	if rows {
		out.Rows *= c
	}
	return tensor.NewSparse(out)
}

// meanOf returns a with the weight 1/k on each of the k entries of a row.
func meanOf(a *tensor.Sparse) *tensor.Sparse {
	c := a.SparseConfig
	c.Symmetric = false
	c.Coef = make([]float32, a.Entries())
	for i := range a.Rows {
		lo, hi := c.Ptr[i], c.Ptr[i+1]
		for k := lo; k < hi; k++ {
			c.Coef[k] = 1 / float32(hi-lo)
		}
	}
	return tensor.NewSparse(c)
}
