package graph

import (
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// KeepVertices returns v with only the listed vertices and their features, in the listed order. ids
// go through the samples in order and list no vertex twice.
//
// For a graph the result is the induced subgraph: edges whose two ends are kept stay, in their
// order, with features and weights. For a hypergraph, and so for a dual, the entries of the other
// vertices are removed, and every hyperedge stays even if it becomes empty. For a dual this is
// KeepEdges of the graph:
//
//	v.Dual().KeepVertices(ids).Dual()  =  v.KeepEdges(ids) without weights
//
// It panics with *tensor.ShapeError if a vertex does not exist or is listed twice.
func (v View) KeepVertices(ids []int32) View {
	rename := v.H.rename(ids)
	out := v
	of := lists.Take(v.VertexOf.IDs(), ids)
	out.VertexOf = tensor.MustIndex(of, v.VertexOf.Slots())
	if v.X != nil {
		out.X = tensor.Gather(v.X, tensor.MustIndex(ids, v.H.NumVertices()))
	}
	if !v.H.isGraph() {
		out.H = v.H.keepEntries(ids, rename)
		return out
	}
	h, edges := v.H.induced(len(ids), rename)
	out.H = h
	if len(edges) == v.H.NumEdges() {
		return out
	}
	edgeOf := lists.Take(v.EdgeOf.IDs(), edges)
	out.EdgeOf = tensor.MustIndex(edgeOf, v.EdgeOf.Slots())
	pick := tensor.MustIndex(edges, v.H.NumEdges())
	out.gatherEdges(pick)
	return out
}

// isGraph reports whether every hyperedge has two ends by construction.
func (h *Incidence) isGraph() bool { return !h.flipped && h.core.ptr == nil }

// rename returns the position of each vertex in ids, -1 for a vertex that is not in ids.
func (h *Incidence) rename(ids []int32) []int32 {
	n := h.NumVertices()
	to := lists.Repeat[int32](-1, n)
	for i, u := range ids {
		if u < 0 || int(u) >= n || to[u] >= 0 {
			panic(&tensor.ShapeError{Op: "KeepVertices", Shapes: [][]int{{n}, {len(ids)}},
				Want: "vertices that exist, each listed once"})
		}
		to[u] = int32(i)
	}
	return to
}

// induced returns the graph of the n renamed nodes, and the ids of its edges.
func (h *Incidence) induced(n int, rename []int32) (*Incidence, []int32) {
	c := h.core
	ends := make([]int32, 0, len(c.ends))
	edges := make([]int32, 0, c.m)
	for e := range c.m {
		if u, w := rename[c.ends[2*e]], rename[c.ends[2*e+1]]; u >= 0 && w >= 0 {
			ends = append(ends, u, w)
			edges = append(edges, int32(e))
		}
	}
	return pairIncidence(n, ends, c.directed, h.loops), edges
}

// keepEntries returns a hypergraph or dual without the entries of vertices that are not in ids.
func (h *Incidence) keepEntries(ids, rename []int32) *Incidence {
	c := h.core
	if h.flipped && c.ptr == nil {
		return h.dual.keepEdges(ids, nil).dual
	}
	k := &core{n: c.n, m: c.m, directed: c.directed, ptr: []int32{0}}
	if h.flipped { // the vertices are the rows of the core
		k.m = len(ids)
		for _, e := range ids {
			lo, hi := c.edge(int(e))
			k.ends = append(k.ends, c.ends[lo:hi]...)
			k.ptr = append(k.ptr, int32(len(k.ends)))
		}
		return wrap(k, h.loops).dual
	}
	k.n = len(ids)
	for e := range c.m {
		lo, hi := c.edge(e)
		for _, u := range c.ends[lo:hi] {
			if rename[u] >= 0 {
				k.ends = append(k.ends, rename[u])
			}
		}
		k.ptr = append(k.ptr, int32(len(k.ends)))
	}
	return wrap(k, h.loops)
}
