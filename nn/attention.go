package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// ArcAttention has the weights of an attention layer: the share of each arc in the sum at its
// target.
type ArcAttention struct {
	// Arcs lists source, target and edge of each arc. Slot m+v of Edge is the loop added to node v.
	Arcs *graph.Arcs
	// Weight [arcs,heads] sums to 1 over the arcs into a node, for each head. It is the weight
	// before dropout and before the edge weights of the view multiply it. Its memory belongs to the
	// pass's tape.
	Weight *tensor.Tensor
}

// attend sums the rows of x [n,heads·d] at the targets of the arcs, weighted
// by attention: [n,heads·d].
func attend(p *Pass, v graph.View, arcs messageArcs, x, attention *tensor.Tensor, dropout float64) *tensor.Tensor {
	attention = Dropout(p, attention, dropout)
	if v.W != nil {
		w := v.W.Reshape(-1, 1)
		if arcs.loops {
			w = tensor.Concat(0, w, tensor.Full(1, v.H.NumVertices(), 1))
		}
		attention = attention.Mul(tensor.Gather(w, arcs.Edge))
	}
	return tensor.SpMMHeads(arcs.Sum, x, attention)
}

// mergeHeads averages over heads if average is set, [n,heads·d] to [n,d], and adds the bias.
func mergeHeads(x, bias *tensor.Tensor, heads int, average bool) *tensor.Tensor {
	if average && heads > 1 {
		n, d := x.Dim(0), x.Dim(1)/heads
		x = x.Reshape(n, heads, d).MeanAxis(1).Reshape(n, d)
	}
	if bias != nil {
		x = x.Add(bias)
	}
	return x
}

// headColumns turns attention vectors [1,heads,d] into a matrix A [heads·d,heads] whose column h
// has the vector of head h in the rows of that head. One product then scores all heads: (x·A)_h =
// <x_h, a_h>.
func headColumns(a *tensor.Tensor) *tensor.Tensor {
	heads, d := a.Dim(1), a.Dim(2)
	if heads == 1 {
		return a.Reshape(d, 1)
	}
	own := tensor.New(heads*d, heads)
	for i := range heads * d {
		own.Data()[i*heads+i/d] = 1
	}
	return a.Reshape(heads*d, 1).Mul(own)
}

type meanInEdgesKey struct{}

// withLoopRows appends loopRows to e, the rows of the edges: [m,d] gives [m+n,d].
func withLoopRows(v graph.View, a *graph.Adjacency, e *tensor.Tensor) *tensor.Tensor {
	return tensor.Concat(0, e, loopRows(v, a, e))
}

// loopRows is the edge feature of the added loop of each node: the mean of e over the edges into
// the node, 0 if there are none. [m,d] gives [n,d].
func loopRows(v graph.View, a *graph.Adjacency, e *tensor.Tensor) *tensor.Tensor {
	mean := graph.Derived(v.H, meanInEdgesKey{}, func() *tensor.Sparse { return meanOf(a.InEdges) })
	return tensor.SpMM(mean, e, tensor.SpMMConfig{})
}
