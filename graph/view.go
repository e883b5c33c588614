package graph

import "github.com/ehgnn/ehgnn/tensor"

// View is what a layer reads: a hypergraph with features. A graph is a view whose vertices are its
// nodes and whose hyperedges are its edges. Its dual is a view whose vertices are the edges. Layers
// are written for views, so the same layer learns nodes on v and edges on v.Dual().
type View struct {
	X *tensor.Tensor // [n,dx] vertex features
	E *tensor.Tensor // [m,de] hyperedge features
	W *tensor.Tensor // [m] hyperedge weights; nil means ones
	H *Incidence
	// VertexOf and EdgeOf say which sample of a batch each vertex and each
	// hyperedge belongs to. Both are sorted.
	VertexOf, EdgeOf *tensor.Index
}

// Dual is the Dual Hypergraph Transformation (equation 3): vertices and hyperedges change roles
// together with their features. It copies nothing. Dual().Dual() is v without weights: weights
// belong to hyperedges and are dropped.
func (v View) Dual() View {
	return View{X: v.E, E: v.X, H: v.H.Dual(), VertexOf: v.EdgeOf, EdgeOf: v.VertexOf}
}

// WithX is v with other vertex features.
func (v View) WithX(x *tensor.Tensor) View { v.X = x; return v }

// WithE is v with other hyperedge features.
func (v View) WithE(e *tensor.Tensor) View { v.E = e; return v }

// WithW is v with hyperedge weights [m].
func (v View) WithW(w *tensor.Tensor) View { v.W = w; return v }

// WithLoops is v with another convention for loops; see Loops.
func (v View) WithLoops(l Loops) View { v.H = v.H.WithLoops(l); return v }

// Reversed is v with every edge reversed if edges have a direction, and v otherwise.
func (v View) Reversed() View { v.H = v.H.Reversed(); return v }

// KeepEdges is the graph v with all nodes and only the listed edges, in the listed order, with
// their features and weights. ids go through the samples in order. If features or weights are on a
// tape, the new structure takes its memory from that tape. It panics with *tensor.ShapeError if v
// is not a graph.
func (v View) KeepEdges(ids []int32) View {
	tape := tensor.TapeOf(v.W)
	if tape == nil {
		tape = tensor.TapeOf(v.E)
	}
	pick := tape.Index(ids, v.H.NumEdges())
	out := v
	out.H = v.H.keepEdges(ids, tape)
	of := tape.Ints(len(ids))
	for i, e := range ids {
		of[i] = v.EdgeOf.IDs()[e]
	}
	out.EdgeOf = tape.Index(of, v.EdgeOf.Slots())
	out.gatherEdges(pick)
	return out
}

// gatherEdges replaces the features and weights of hyperedges, if any, by the rows that pick lists.
func (v *View) gatherEdges(pick *tensor.Index) {
	if v.E != nil {
		v.E = tensor.Gather(v.E, pick)
	}
	if v.W != nil {
		v.W = tensor.Gather(v.W, pick)
	}
}
