package graph

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Near lists the nodes that a path of edges joins to the nodes of from, the nearest first; the
// direction of edges does not matter. from itself is at the start. hops has for every node of g its
// distance in edges, -1 if it is not reached.
func (g *Graph) Near(from ...int32) (nodes, hops []int32) {
	start, at := make([]int32, g.NumNodes+1), make([]int32, len(g.Ends))
	for _, v := range g.Ends {
		start[v+1]++
	}
	for v := range g.NumNodes {
		start[v+1] += start[v]
	}
	next := slices.Clone(start)
	for i, v := range g.Ends {
		at[next[v]] = g.Ends[i^1] // the other end
		next[v]++
	}
	hops = slices.Repeat([]int32{-1}, g.NumNodes)
	for _, v := range from {
		if hops[v] < 0 {
			hops[v] = 0
			nodes = append(nodes, v)
		}
	}
	for i := 0; i < len(nodes); i++ {
		v := nodes[i]
		for _, u := range at[start[v]:start[v+1]] {
			if hops[u] < 0 {
				hops[u] = hops[v] + 1
				nodes = append(nodes, u)
			}
		}
	}
	return nodes, hops
}

// Induced returns the graph of some nodes, in the given order, and the edges of g between them.
// edges are the ids of these edges in g, ascending. Labels and targets of g as a whole are left
// out.
func (g *Graph) Induced(nodes []int32) (part *Graph, edges []int32) {
	at := lists.Inverse(nodes, g.NumNodes)
	for e := range int32(g.NumEdges()) {
		if at[g.Ends[2*e]] >= 0 && at[g.Ends[2*e+1]] >= 0 {
			edges = append(edges, e)
		}
	}
	return g.induced(nodes, edges, at), edges
}
