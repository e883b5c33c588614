package picture

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Bounds of what is drawn of a neighbourhood, so that each edge can be looked at.
const (
	mostDrawn  = 40  // edges
	fewDrawn   = 15  // edges, if there are so many, however low their scores
	leastDrawn = 0.2 // of the highest score, of further ones
)

// neighbourhood is what is drawn of the surroundings of a node or edge whose prediction is
// explained: the item, the edges with the highest scores, for or against it, and the way from each to
// the item. Where nodes have no labels, the item and the ends of edges with
// high scores have their names. Chosen are its edges in the record.
func neighbourhood(g explain.GraphRecord) (drawn explain.GraphRecord, chosen []int32) {
	x := g.Explanation
	chosen = nearby(g)
	out := g
	out.Edges, out.Nodes, out.Labels, out.EdgeNames = nil, nil, nil, nil
	of := *x
	item := *x.Item
	of.Item, of.Scores, of.Spread = &item, nil, nil
	place := map[int32]int32{}
	add := func(v int32) int32 {
		k, ok := place[v]
		if !ok {
			k = int32(len(out.Nodes))
			place[v] = k
			out.Nodes = append(out.Nodes, g.Nodes[v])
			if g.Labels != nil {
				out.Labels = append(out.Labels, g.Labels[v])
			}
		}
		return k
	}
	if item.Kind == settings.Nodes {
		item.Number = add(item.Number)
	}
	for _, e := range chosen {
		if item.Kind == settings.Edges && e == x.Item.Number {
			item.Number = int32(len(out.Edges))
		}
		out.Edges = append(out.Edges, [2]int32{add(g.Edges[e][0]), add(g.Edges[e][1])})
		of.Scores = append(of.Scores, x.Scores[e])
	}
	out.Explanation = &of
	if out.Labels == nil {
		out.Labels = make([]string, len(out.Nodes))
		if item.Kind == settings.Nodes {
			out.Labels[item.Number] = out.Nodes[item.Number]
		}
		most := slices.MaxFunc(append(of.Scores, 0), func(a, b float32) int { return cmp.Compare(max(a, -a), max(b, -b)) })
		for e, ends := range out.Edges {
			if s := of.Scores[e]; max(s, -s) > leastDrawn*max(most, -most) || item.Kind == settings.Edges && e == int(item.Number) {
				out.Labels[ends[0]], out.Labels[ends[1]] = out.Nodes[ends[0]], out.Nodes[ends[1]]
			}
		}
	}
	return out, chosen
}

// nearby lists the edges that are drawn, rising.
func nearby(g explain.GraphRecord) []int32 {
	x := g.Explanation
	at := make([][]int32, len(g.Nodes)) // the edges at each node
	for e, ends := range g.Edges {
		at[ends[0]], at[ends[1]] = append(at[ends[0]], int32(e)), append(at[ends[1]], int32(e))
	}
	const none, root = -2, -1
	towards := slices.Repeat([]int32{none}, len(g.Nodes)) // the edge by which each node is reached
	var queue []int32
	start := func(v int32) {
		if towards[v] == none {
			towards[v] = root
			queue = append(queue, v)
		}
	}
	chosen := map[int32]bool{}
	if x.Item.Kind == settings.Edges {
		chosen[x.Item.Number] = true
		start(g.Edges[x.Item.Number][0])
		start(g.Edges[x.Item.Number][1])
	} else {
		start(x.Item.Number)
	}
	hops := make([]int, len(g.Nodes))
	other := func(e, v int32) int32 { return g.Edges[e][0] + g.Edges[e][1] - v }
	for i := 0; i < len(queue); i++ {
		for _, e := range at[queue[i]] {
			if u := other(e, queue[i]); towards[u] == none {
				towards[u], hops[u] = e, hops[queue[i]]+1
				queue = append(queue, u)
			}
		}
	}
	order := make([]int32, len(g.Edges))
	for e := range order {
		order[e] = int32(e)
	}
	strength := func(e int32) float32 { return max(x.Scores[e], -x.Scores[e]) }
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(strength(b), strength(a)) })
	for _, e := range order {
		if len(chosen) >= mostDrawn || len(chosen) >= fewDrawn && strength(e) < leastDrawn*strength(order[0]) {
			break
		}
		chosen[e] = true
		v := g.Edges[e][0]
		if u := g.Edges[e][1]; hops[u] < hops[v] {
			v = u
		}
		for towards[v] >= 0 {
			chosen[towards[v]] = true
			v = other(towards[v], v)
		}
	}
	return slices.DeleteFunc(slices.Sorted(slices.Values(order)), func(e int32) bool { return !chosen[e] })
}

// marked marks the item in its diagram, and says how much of the surroundings there is.
func marked(d draw.Diagram, drawn, g explain.GraphRecord) draw.Diagram {
	item := drawn.Explanation.Item
	if item.Kind == settings.Nodes {
		d.Squared = []int32{item.Number}
	} else {
		d = with(d)
		d.Edges[item.Number].Circled = true
	}
	d.Title = fmt.Sprintf("%s %s", item.Kind, shortened(item.Name))
	if n := len(g.Edges); len(drawn.Edges) < n {
		d.Title += fmt.Sprintf(" (%d of %s)", len(drawn.Edges), report.Counted(n, "edge"))
	}
	return d
}
