package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
)

// Nodes come by rising distance, which is that of every edge's ends give or take one, and the
// graph of some of them has their features and the edges among them.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + r.IntN(12)
		g := graph.Graph{NumNodes: n, Directed: r.IntN(2) == 0, Label: graph.NoLabel, Node: graph.Features{Dim: 1}, Edge: graph.Features{Dim: 1}, Observed: &graph.ObservedLabels{}}
		for v := range n {
			g.Node.Dense = append(g.Node.Dense, float32(v))
		}
		for e := range r.IntN(15) {
			g.Ends = append(g.Ends, int32(r.IntN(n)), int32(r.IntN(n)))
			g.Edge.Dense, g.Observed.Label = append(g.Edge.Dense, float32(e)), append(g.Observed.Label, float32(e))
		}
		from := int32(r.IntN(n))
		nodes, hops := g.Near(from, from)
		if nodes[0] != from || hops[from] != 0 || !slices.IsSortedFunc(nodes, func(a, b int32) int { return int(hops[a] - hops[b]) }) {
			t.Fatalf("from %d of %v: %v, hops %v", from, g.Ends, nodes, hops)
		}
		nearer := make([]bool, n) // a node one edge nearer is at an edge of it
		for e := range g.NumEdges() {
			u, v := g.Ends[2*e], g.Ends[2*e+1]
			if (hops[u] < 0) != (hops[v] < 0) || hops[u]-hops[v] > 1 || hops[v]-hops[u] > 1 {
				t.Fatalf("edge %d-%d has ends %d and %d hops away", u, v, hops[u], hops[v])
			}
			nearer[u], nearer[v] = nearer[u] || hops[v] == hops[u]-1, nearer[v] || hops[u] == hops[v]-1
		}
		for v, d := range hops {
			if (d < 0) == slices.Contains(nodes, int32(v)) || d > 0 && !nearer[v] {
				t.Fatalf("node %d is %d hops away, nodes %v of %v", v, d, nodes, g.Ends)
			}
		}

		some := nodes[:1+r.IntN(len(nodes))]
		part, edges := g.Induced(some)
		for k, v := range some {
			if part.Node.Dense[k] != float32(v) {
				t.Fatalf("node %d of the part is %v, expected %d", k, part.Node.Dense[k], v)
			}
		}
		for i, e := range edges {
			u, v := part.Ends[2*i], part.Ends[2*i+1]
			if some[u] != g.Ends[2*e] || some[v] != g.Ends[2*e+1] || part.Edge.Dense[i] != float32(e) || part.Observed.Label[i] != float32(e) {
				t.Fatalf("edge %d of the part is not edge %d", i, e)
			}
		}
		among := 0
		for e := range g.NumEdges() {
			if slices.Contains(some, g.Ends[2*e]) && slices.Contains(some, g.Ends[2*e+1]) {
				among++
			}
		}
		if among != len(edges) || part.Directed != g.Directed {
			t.Fatalf("%d edges among %v, expected %d", len(edges), some, among)
		}
	}
}
