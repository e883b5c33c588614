package synth

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// motifBase is the number of nodes of the tree that a motif is joined to.
const motifBase = 20

// motifs are those of the two classes: a house, which is a square with a roof, and a cycle of five
// nodes.
var motifs = [][][2]int32{
	{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}},
	{{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}},
}

// BA2Motifs returns n graphs of two classes that differ in a motif of five nodes (Luo et al.,
// "Parameterized Explainer for Graph Neural Network", NeurIPS 2020): a house in class 0, a cycle in
// class 1. One edge joins the motif to a tree of 20 nodes that grows by preferential attachment
// (Barabasi-Albert with one edge for each new node). The class alternates. The tree and the two
// joined nodes are drawn.
//
// Nodes and edges have no features (a constant). EdgeLabel is 1 for edges of the motif and 0 for
// others. Graph i is the same for every n > i. It returns an error if n is negative.
func BA2Motifs(n int, seed uint64) ([]*graph.Graph, error) {
	if n < 0 {
		return nil, fmt.Errorf("synth: %d motif graphs", n)
	}
	graphs := make([]*graph.Graph, n)
	for i := range graphs {
		g, err := withMotif(int32(i%len(motifs)), rng.Stream(seed, "ba-2motifs", i))
		if err != nil {
			return nil, err
		}
		graphs[i] = g
	}
	return graphs, nil
}

func withMotif(class int32, r *rand.Rand) (*graph.Graph, error) {
	type edge struct {
		u, v int32
		of   int32 // 1 for the motif
	}
	var edges []edge
	ends := []int32{0} // each node once per edge at it; the first node once more
	for v := int32(1); v < motifBase; v++ {
		u := ends[r.IntN(len(ends))]
		edges = append(edges, edge{u, v, 0})
		ends = append(ends, u, v)
	}
	for _, e := range motifs[class] {
		edges = append(edges, edge{motifBase + e[0], motifBase + e[1], 1})
	}
	const n = motifBase + 5
	edges = append(edges, edge{r.Int32N(motifBase), motifBase + r.Int32N(n-motifBase), 0})
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) })
	g := graph.Graph{NumNodes: n, Label: class, Node: graph.Ones(n), Edge: graph.Ones(len(edges))}
	for _, e := range edges {
		g.Ends, g.EdgeLabel = append(g.Ends, e.u, e.v), append(g.EdgeLabel, e.of)
	}
	return graph.New(g)
}
