package model

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// The load of the line graph is that of the edges which it has.
func TestLineGraphLoad(t *testing.T) {
	r := rng.Stream(71, "line load")
	load := must(Find("linegraph-edge")).Loads(valid("linegraph-edge"), true)
	for range 20 {
		g := generic(r, 6+r.IntN(5), 8)
		for _, directed := range []bool{false, true} {
			g.Directed = directed
			pairs := graph.LineGraph(g.NumNodes, g.Ends)
			if directed {
				pairs = graph.LineDigraph(g.NumNodes, g.Ends)
			}
			size := SizeOf(g)
			if int(size.Chains) != len(pairs)/2 || load(size).Memory != lineEdge*size.Chains {
				t.Errorf("directed %v: %v chains, the line graph has %d edges; load %+v", directed, size.Chains, len(pairs)/2, load(size))
			}
		}
	}
}
