package sample

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Subgraph is what a step reads: seeds, the edges around them, and which of these each layer reads.
type Subgraph struct {
	// Batch has all edges, seeds first, as a graph. Its labels are those of the seeds alone.
	Batch *graph.Batch
	Seeds int
	// Layers are those of the model, the first one first.
	Layers []Layer
}

// Layer is what a layer reads: its own edges and nodes are the first ones of those that enter it.
type Layer struct {
	Edges, Nodes     int // that leave the layer
	EdgesIn, NodesIn int // that enter it
	// Ends are the ends of edges that are read at each node, by the rows of the edges.
	Ptr, Ends []int32
	// Degree is how many ends there are at each node of those that could have been read, and Single
	// whether the whole graph has no more than one there.
	Degree []int64
	Single []bool
}

// mean is the mean of what is read at each node, times a factor of it: a matrix over the edges
// that enter.
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

// empty reports whether nothing is read at a node.
func (l *Layer) empty(v int32) bool { return l.Ptr[v] == l.Ptr[v+1] }

// first takes the first rows of more.
func first(x *tensor.Tensor, n int) *tensor.Tensor {
	return tensor.SpMM(tensor.NewSparse(tensor.SparseConfig{Rows: n, Cols: x.Dim(0), Width: 1}), x, tensor.SpMMConfig{})
}
