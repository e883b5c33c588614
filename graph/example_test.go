package graph_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
)

// A path of three nodes and two edges. In its dual the edges are the vertices:
// edges 0 and 1 meet in hyperedge 1, the node in the middle.
func ExampleView_Dual() {
	g, err := graph.New(graph.Graph{
		NumNodes: 3,
		Ends:     []int32{0, 1, 1, 2},
		Node:     graph.Features{Dim: 1, Dense: []float32{10, 20, 30}},
		Edge:     graph.Features{Dim: 2, Dense: []float32{1, 0, 0, 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		fmt.Println(err)
		return
	}
	dual := b.View.Dual()
	vertex, hyperedge := dual.H.List()
	fmt.Println("vertices  ", vertex)
	fmt.Println("hyperedges", hyperedge)
	fmt.Println("features  ", dual.X)
	fmt.Println(dual.Dual() == b.View)
	// Output:
	// vertices   [0 0 1 1]
	// hyperedges [0 1 1 2]
	// features   [2 2][1 0 0 1]
	// true
}

// An undirected bond as the two arcs of the authors' code, and back.
func ExampleGraph_Arcs() {
	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 2, 0, 1}, Edge: graph.Features{Dim: 1, Dense: []float32{5, 7}}}
	arcs := g.Arcs()
	fmt.Println(arcs.Ends, arcs.Edge.Dense)
	back, err := arcs.Undirected()
	fmt.Println(back.Ends, back.Edge.Dense, err)
	// Output:
	// [0 1 0 2 1 0 2 0] [7 5 7 5]
	// [0 1 0 2] [7 5] <nil>
}

// The line graph of a star grows with the square of its size, the dual does not.
func ExampleLineGraph() {
	for _, leaves := range []int32{3, 30} {
		var ends []int32
		for i := range leaves {
			ends = append(ends, 0, i+1)
		}
		pairs := graph.LineGraph(int(leaves)+1, ends)
		fmt.Println(leaves, "edges:", len(pairs)/2, "pairs in the line graph,", len(ends), "entries in the dual")
	}
	// Output:
	// 3 edges: 3 pairs in the line graph, 6 entries in the dual
	// 30 edges: 435 pairs in the line graph, 60 entries in the dual
}
