package graph

// Components divides a graph into its connected components, by their first nodes. Shown units
// that reach over several components stand for themselves in each.
func (g *Graph) Components() []*Graph {
	root := make([]int32, g.NumNodes)
	for v := range root {
		root[v] = int32(v)
	}
	find := func(v int32) int32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for i := 0; i < len(g.Ends); i += 2 {
		if a, b := find(g.Ends[i]), find(g.Ends[i+1]); a != b {
			root[max(a, b)] = min(a, b) // the first node is the root
		}
	}
	var nodes, edges [][]int32
	of := make([]int32, g.NumNodes) // component of each node
	at := make([]int32, g.NumNodes) // place of each node in it
	for v := range int32(g.NumNodes) {
		if r := find(v); r == v {
			of[v] = int32(len(nodes))
			nodes = append(nodes, nil)
		} else {
			of[v] = of[r]
		}
		at[v] = int32(len(nodes[of[v]]))
		nodes[of[v]] = append(nodes[of[v]], v)
	}
	edges = make([][]int32, len(nodes))
	for e := range int32(g.NumEdges()) {
		k := of[g.Ends[2*e]]
		edges[k] = append(edges[k], e)
	}
	out := make([]*Graph, len(nodes))
	for k := range out {
		out[k] = g.induced(nodes[k], edges[k], at)
	}
	return out
}

// induced is the graph of some nodes and edges, at being the new number of each node.
func (g *Graph) induced(nodes, edges, at []int32) *Graph {
	out := &Graph{NumNodes: len(nodes), Directed: g.Directed, Node: g.Node.Take(nodes), Edge: g.Edge.Take(edges), Label: NoLabel,
		NodeLabel: takeRows(g.NodeLabel, 1, nodes), EdgeLabel: takeRows(g.EdgeLabel, 1, edges), NodeTargets: takeRows(g.NodeTargets, perItem(g.NodeTargets, g.NumNodes), nodes), EdgeTargets: takeRows(g.EdgeTargets, perItem(g.EdgeTargets, g.NumEdges()), edges)}
	for _, e := range edges {
		out.Ends = append(out.Ends, at[g.Ends[2*e]], at[g.Ends[2*e+1]])
	}
	if s := g.Shown; s != nil {
		out.Shown = &Shown{Label: takeRows(s.Label, 1, edges), Unit: takeRows(s.Unit, 1, edges), Time: takeRows(s.Time, 1, edges)}
	}
	return out
}
