package sample

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Subgraph is the input of a step: seeds, the edges around them, and the edges that each layer
// reads.
type Subgraph struct {
	// Batch is the graph of all edges, seeds first. Only seeds have labels.
	Batch *graph.Batch
	Seeds int
	// Layers are the inputs of the model's layers, the first layer first.
	Layers []Layer
}

// Layer is the input of a layer. The edges and nodes that leave the layer are the first of those
// that enter it.
type Layer struct {
	Edges, Nodes     int // numbers that leave the layer
	EdgesIn, NodesIn int // numbers that enter the layer
	// Ends are the ends of edges that are read at each node, as rows of the edges.
	Ptr, Ends []int32
	// Degree is the number of ends at each node that could be drawn. Single says whether the node
	// has exactly one end in the whole graph.
	Degree []int64
	Single []bool
}

// mean returns the matrix of the mean over the edges read at each node, times a factor of the node.
// Its columns are the edges that enter.
func (l *Layer) mean(factor func(node int) float64) *tensor.Sparse {
	coef := make([]float32, len(l.Ends))
	for v := range l.Nodes {
		lo, hi := l.Ptr[v], l.Ptr[v+1]
		c := float32(factor(v) / float64(max(hi-lo, 1)))
		for k := lo; k < hi; k++ {
			coef[k] = c
		}
	}
	return tensor.NewSparse(tensor.SparseConfig{Rows: l.Nodes, Cols: l.EdgesIn, Ptr: l.Ptr, Col: l.Ends, Coef: coef})
}

// empty reports whether no edge is read at a node.
func (l *Layer) empty(v int32) bool { return l.Ptr[v] == l.Ptr[v+1] }

// first returns the first n rows of x.
func first(x *tensor.Tensor, n int) *tensor.Tensor {
	return tensor.SpMM(tensor.NewSparse(tensor.SparseConfig{Rows: n, Cols: x.Dim(0), Width: 1}), x, tensor.SpMMConfig{})
}
