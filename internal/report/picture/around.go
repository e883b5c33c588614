package picture

import (
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Around is the part of a record near some of its nodes: the nodes at most so many edges away,
// nearest first, at most `most` of them, and the edges among them. Nodes and edges are renumbered
// in their order; edge names do not change.
func Around(g explain.GraphRecord, from []int32, hops, most int) explain.GraphRecord {
	nodes := reached(g, from, hops, most)
	place := map[int32]int32{}
	out := explain.GraphRecord{Graph: g.Graph, Directed: g.Directed}
	for i, v := range nodes {
		place[v] = int32(i)
		out.Nodes = append(out.Nodes, g.Nodes[v])
		if g.Labels != nil {
			out.Labels = append(out.Labels, g.Labels[v])
		}
	}
	var edges []int32
	edge := map[int32]int32{}
	for e, ends := range g.Edges {
		u, hasU := place[ends[0]]
		v, hasV := place[ends[1]]
		if hasU && hasV {
			edge[int32(e)] = int32(len(edges))
			edges = append(edges, int32(e))
			out.Edges = append(out.Edges, [2]int32{u, v})
		}
	}
	if g.EdgeNames != nil {
		out.EdgeNames = lists.Take(g.EdgeNames, edges)
	}
	for _, d := range g.Drops {
		near := explain.DropRecord{Layer: d.Layer}
		for i, e := range d.Edges {
			if k, ok := edge[e]; ok {
				near.Edges, near.Scores, near.Kept = append(near.Edges, k), append(near.Scores, d.Scores[i]), append(near.Kept, d.Kept[i])
			}
		}
		out.Drops = append(out.Drops, near)
	}
	if c := g.Clusters; c != nil {
		out.Clusters = &explain.ClusterRecord{Of: c.Of, Cluster: lists.Take(c.Cluster, edges), Weight: lists.Take(c.Weight, edges)}
	}
	if x := g.Explanation; x != nil {
		near := *x
		near.Scores = lists.Take(x.Scores, edges)
		if x.Spread != nil {
			near.Spread = lists.Take(x.Spread, edges)
		}
		out.Explanation = &near
	}
	return out
}

// reached returns the nodes of Around in ascending order.
func reached(g explain.GraphRecord, from []int32, hops, most int) []int32 {
	whole := graph.Graph{NumNodes: len(g.Nodes)}
	for _, e := range g.Edges {
		whole.Ends = append(whole.Ends, e[0], e[1])
	}
	nodes, away := whole.Near(from...)
	nodes = nodes[:min(len(nodes), most)]
	return slices.Sorted(func(yield func(int32) bool) {
		for _, v := range nodes {
			if int(away[v]) > hops || !yield(v) {
				return
			}
		}
	})
}
