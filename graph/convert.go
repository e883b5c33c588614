package graph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Arcs returns the directed form of an undirected graph, as in the authors' code: each edge {u,v}
// becomes the arcs (u,v) and (v,u) with the same feature row, sorted by source and target. A
// self-loop becomes one arc. A directed graph is returned as it is.
func (g *Graph) Arcs() *Graph {
	if g.Directed {
		return g
	}
	type arc struct{ u, v, e int32 }
	arcs := make([]arc, 0, 2*g.NumEdges())
	for e := range g.NumEdges() {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		arcs = append(arcs, arc{u, v, int32(e)})
		if u != v {
			arcs = append(arcs, arc{v, u, int32(e)})
		}
	}
	slices.SortStableFunc(arcs, func(a, b arc) int {
		return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v))
	})
	out := *g
	out.Directed = true
	out.Ends = make([]int32, 0, 2*len(arcs))
	from := make([]int32, 0, len(arcs))
	for _, a := range arcs {
		out.Ends = append(out.Ends, a.u, a.v)
		from = append(from, a.e)
	}
	out.takeEdges(g, from)
	out.Observed = g.Observed.take(from)
	return &out
}

// Undirected joins the arcs (u,v) and (v,u) of a directed graph into one edge, in the order of the
// arcs with u < v. The arcs must come in pairs with equal features, labels and targets, otherwise
// the error wraps ErrAsymmetric. An undirected graph is returned as it is.
func (g *Graph) Undirected() (*Graph, error) {
	if !g.Directed {
		return g, nil
	}
	type key struct{ u, v int32 }
	back := map[key][]int32{} // arcs with u > v by their reverse, in order
	for e := range g.NumEdges() {
		if u, v := g.Ends[2*e], g.Ends[2*e+1]; u > v {
			back[key{v, u}] = append(back[key{v, u}], int32(e))
		}
	}
	out := *g
	out.Directed = false
	out.Ends = nil
	var from []int32
	for e := range g.NumEdges() {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		if u > v {
			continue
		}
		if u < v {
			twins := back[key{u, v}]
			if len(twins) == 0 {
				return nil, fmt.Errorf("%w: arc %d from %d to %d has no reverse", ErrAsymmetric, e, u, v)
			}
			if !g.sameEdge(int32(e), twins[0]) {
				return nil, fmt.Errorf("%w: arcs %d and %d between %d and %d differ in features, label or target", ErrAsymmetric, e, twins[0], u, v)
			}
			back[key{u, v}] = twins[1:]
		}
		out.Ends = append(out.Ends, u, v)
		from = append(from, int32(e))
	}
	single := int32(-1) // the first arc without a partner: independent of the order of the map
	for _, left := range back {
		if len(left) > 0 && (single < 0 || left[0] < single) {
			single = left[0]
		}
	}
	if single >= 0 {
		return nil, fmt.Errorf("%w: arc %d from %d to %d has no reverse", ErrAsymmetric, single, g.Ends[2*single], g.Ends[2*single+1])
	}
	out.takeEdges(g, from)
	return &out, nil
}

// WithEdges returns g with all nodes and with the edges for which keep is true, in their order.
func (g *Graph) WithEdges(keep func(e int32) bool) *Graph {
	out := *g
	out.Ends = nil
	var from []int32
	for e := range int32(g.NumEdges()) {
		if keep(e) {
			from = append(from, e)
			out.Ends = append(out.Ends, g.Ends[2*e], g.Ends[2*e+1])
		}
	}
	out.takeEdges(g, from)
	out.Observed = g.Observed.take(from)
	return &out
}

// takeEdges fills the per-edge data of g with the rows of src that from lists.
func (g *Graph) takeEdges(src *Graph, from []int32) {
	g.Edge = src.Edge.Take(from)
	g.EdgeLabel = lists.TakeRows(src.EdgeLabel, 1, from)
	g.EdgeTargets = lists.TakeRows(src.EdgeTargets, perItem(src.EdgeTargets, src.NumEdges()), from)
}

func (g *Graph) sameEdge(a, b int32) bool {
	width := perItem(g.EdgeTargets, g.NumEdges())
	for k := range width {
		// Unknown targets are NaN and count as equal.
		if x, y := g.EdgeTargets[int(a)*width+k], g.EdgeTargets[int(b)*width+k]; x != y && (x == x || y == y) {
			return false
		}
	}
	return g.Edge.sameRow(int(a), int(b)) && (g.EdgeLabel == nil || g.EdgeLabel[a] == g.EdgeLabel[b])
}

// LineGraph returns the pairs of edges that share a node, interleaved as an edge list: each pair
// once, the smaller id first. It is the alternative to the dual hypergraph for learning on edges,
// and it is larger: it has Σ d(d-1)/2 pairs over the degrees d of the nodes, the dual has 2m
// entries.
func LineGraph(n int, ends []int32) []int32 {
	h := pairIncidence(n, ends, false, LoopsNone)
	c := h.core
	c.byNode()
	size := 0
	for v := range n {
		d := int(c.nodePtr[v+1] - c.nodePtr[v])
		size += d * (d - 1)
	}
	out := make([]int32, 0, size)
	for v := range n {
		at := c.nodeEdges[c.nodePtr[v]:c.nodePtr[v+1]]
		for i, e := range at {
			if i > 0 && at[i-1] == e { // second entry of a self-loop
				continue
			}
			for j, f := range at[i+1:] {
				if at[i+j] == f || metBefore(ends, e, f, int32(v)) {
					continue
				}
				out = append(out, e, f)
			}
		}
	}
	return out
}

// LineDigraph returns the arcs of the line graph of a directed graph, interleaved as an edge list:
// the pairs of edges (e, f) where f starts at the node at which e ends. It has Σ in·out pairs over
// the nodes, less one for each self-loop, which is not paired with itself.
func LineDigraph(n int, ends []int32) []int32 {
	c := pairIncidence(n, ends, true, LoopsNone).core
	c.byNode()
	size := 0
	var ending, starting []int32
	at := func(v int) {
		ending, starting = ending[:0], starting[:0]
		for _, k := range c.entry[c.nodePtr[v]:c.nodePtr[v+1]] {
			if k&1 == 1 {
				ending = append(ending, k/2)
			} else {
				starting = append(starting, k/2)
			}
		}
	}
	for v := range n {
		at(v)
		size += 2 * len(ending) * len(starting)
	}
	out := make([]int32, 0, size)
	for v := range n {
		at(v)
		for _, e := range ending {
			for _, f := range starting {
				if e != f {
					out = append(out, e, f)
				}
			}
		}
	}
	return out
}

// metBefore reports whether two edges also share a node smaller than v. Parallel edges share two
// nodes and are listed at the smaller one.
func metBefore(ends []int32, e, f, v int32) bool {
	return slices.ContainsFunc(ends[2*e:2*e+2], func(a int32) bool { return a < v && (ends[2*f] == a || ends[2*f+1] == a) })
}

// DualOf returns the structure of the dual hypergraph of g. Its vertices are the edges of g. Its
// hyperedge list is the edge list of g, which is shared and not copied.
func DualOf(g *Graph) *Incidence {
	return pairIncidence(g.NumNodes, g.Ends, g.Directed, defaultLoops(g.Directed)).Dual()
}
