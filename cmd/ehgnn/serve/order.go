package serve

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Sums of floating-point numbers depend on their order, so predictions for edges would depend on the
// order of rows in a request. If a request marks the edges to predict, the other edges are context,
// which a client may send in any order. Then the graph is computed with its nodes and edges sorted by
// names and values. Without marks edges are computed in the given order, as ehgnn predict does for
// the rows of a table.

// inOneOrder is a graph with its nodes sorted by name, if they have names, and its edges sorted by ends
// and values. Its edge i is edge order[i] of the given graph.
func inOneOrder(g *ehgnn.Graph, score []bool) (sorted *ehgnn.Graph, order []int) {
	nodes := lists.Range[int](g.NumNodes)
	if g.NodeNames != nil {
		slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(g.NodeNames[a], g.NodeNames[b]) })
	}
	rank := lists.Convert[int32](lists.Inverse(nodes, len(nodes)))
	compare := []func(a, b int) int{
		func(a, b int) int { return cmp.Compare(rank[g.Ends[2*a]], rank[g.Ends[2*b]]) },
		func(a, b int) int { return cmp.Compare(rank[g.Ends[2*a+1]], rank[g.Ends[2*b+1]]) },
		func(a, b int) int { return compareMarks(score[a], score[b]) },
	}
	for _, name := range slices.Sorted(maps.Keys(g.Edge)) {
		compare = append(compare, comparing(g.Edge[name]))
	}
	compare = append(compare, comparing(g.Labels))
	if g.Groups != nil {
		compare = append(compare, comparing(g.Groups))
	}
	if g.Time != nil {
		compare = append(compare, comparing(g.Time))
	}
	order = lists.Range[int](len(g.Ends) / 2)
	slices.SortStableFunc(order, func(a, b int) int {
		for _, c := range compare {
			if d := c(a, b); d != 0 {
				return d
			}
		}
		return 0
	})
	out := *g
	out.Ends = make([]int32, 0, len(g.Ends))
	for _, e := range order {
		out.Ends = append(out.Ends, rank[g.Ends[2*e]], rank[g.Ends[2*e+1]])
	}
	out.Node, out.Edge = ehgnn.Columns{}, ehgnn.Columns{}
	for name, values := range g.Node {
		out.Node[name] = reordered(values, nodes)
	}
	for name, values := range g.Edge {
		out.Edge[name] = reordered(values, order)
	}
	if g.Labels != nil {
		out.Labels = reordered(g.Labels, order)
	}
	out.Groups, out.Time, out.NodeNames = lists.TakeRows(g.Groups, 1, order), lists.TakeRows(g.Time, 1, order), lists.TakeRows(g.NodeNames, 1, nodes)
	return &out, order
}

// compareMarks sorts requested edges before others.
func compareMarks(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// comparing compares rows by some values; with nil all are equal.
func comparing(values ehgnn.Values) func(a, b int) int {
	switch v := values.(type) {
	case ehgnn.Numbers:
		return func(a, b int) int { return cmp.Compare(v[a], v[b]) }
	case ehgnn.Strings:
		return func(a, b int) int { return cmp.Compare(v[a], v[b]) }
	case ehgnn.Codes:
		return func(a, b int) int { return cmp.Compare(v[a], v[b]) }
	case *ehgnn.Categories:
		return func(a, b int) int { return cmp.Compare(v.Codes[a], v.Codes[b]) }
	}
	return func(int, int) int { return 0 }
}

// reordered returns values in another order.
func reordered(values ehgnn.Values, order []int) ehgnn.Values {
	switch v := values.(type) {
	case ehgnn.Numbers:
		return lists.TakeRows(v, 1, order)
	case ehgnn.Strings:
		return lists.TakeRows(v, 1, order)
	case ehgnn.Codes:
		return lists.TakeRows(v, 1, order)
	case *ehgnn.Categories:
		return &ehgnn.Categories{Codes: lists.TakeRows(v.Codes, 1, order), Example: v.Example}
	}
	return values
}

// restored returns predictions for edges, or rows of numbers, in the order of the request.
func restored[S ~[]E, E any](list S, order []int, width int) S {
	out := make(S, len(list))
	for i, row := range order {
		copy(out[row*width:][:width], list[i*width:])
	}
	return out
}
