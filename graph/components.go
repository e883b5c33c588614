package graph

import (
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/unionfind"
)

// ComponentOf numbers the connected components of a graph in the order of their first nodes. It
// returns the component of each node and the number of components.
func ComponentOf(nodes int, ends []int32) (of []int32, n int) {
	sets := unionfind.New(nodes)
	for i := 0; i < len(ends); i += 2 {
		sets.Union(ends[i], ends[i+1])
	}
	return sets.Number()
}

// Components divides a graph into its connected components, in the order of their first nodes. A
// group of observed labels with edges in several components becomes one group in each.
func (g *Graph) Components() []*Graph {
	of, n := ComponentOf(g.NumNodes, g.Ends)
	nodes, edges := make([][]int32, n), make([][]int32, n)
	at := make([]int32, g.NumNodes) // place of each node in its component
	for v, k := range of {
		at[v] = int32(len(nodes[k]))
		nodes[k] = append(nodes[k], int32(v))
	}
	for e := range int32(g.NumEdges()) {
		k := of[g.Ends[2*e]]
		edges[k] = append(edges[k], e)
	}
	out := make([]*Graph, n)
	for k := range out {
		out[k] = g.induced(nodes[k], edges[k], at)
	}
	return out
}

// induced returns the graph of some nodes and edges. at is the new number of each node.
func (g *Graph) induced(nodes, edges, at []int32) *Graph {
	out := &Graph{NumNodes: len(nodes), Directed: g.Directed, Node: g.Node.Take(nodes), Edge: g.Edge.Take(edges), Label: NoLabel,
		NodeLabel: lists.TakeRows(g.NodeLabel, 1, nodes), EdgeLabel: lists.TakeRows(g.EdgeLabel, 1, edges), NodeTargets: lists.TakeRows(g.NodeTargets, perItem(g.NodeTargets, g.NumNodes), nodes), EdgeTargets: lists.TakeRows(g.EdgeTargets, perItem(g.EdgeTargets, g.NumEdges()), edges)}
	for _, e := range edges {
		out.Ends = append(out.Ends, at[g.Ends[2*e]], at[g.Ends[2*e+1]])
	}
	out.Observed = g.Observed.take(edges)
	return out
}
