// Command dual passes messages between the nodes of one graph and between its
// edges: the same kind of layer, on the graph and on its dual hypergraph.
package main

import (
	"fmt"
	"log"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func main() {
	// Four atoms in a chain with a branch: edge e joins Ends[2e] and Ends[2e+1].
	// Nodes carry an element, edges whether a bond is single or double, and its
	// length.
	g, err := graph.New(graph.Graph{
		NumNodes: 4,
		Ends:     []int32{0, 1, 1, 2, 1, 3},
		Node:     graph.Features{Code: []int32{0, 0, 1, 2}, Codes: []int{3}},
		Edge:     graph.Features{Code: []int32{0, 1, 0}, Codes: []int{2}, Dense: []float32{1.54, 1.23, 1.35}, Dim: 1},
		Label:    graph.NoLabel,
	})
	if err != nil {
		log.Fatal(err)
	}
	batch, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		log.Fatal(err)
	}

	// The dual has the edges as its vertices and the nodes as its hyperedges. It is
	// another look at the same memory.
	v, dual := batch.View, batch.View.Dual()
	fmt.Printf("graph: %d nodes of width %d, %d edges of width %d\n", v.H.NumVertices(), v.X.Dim(1), v.H.NumEdges(), v.E.Dim(1))
	fmt.Printf("dual:  %d nodes of width %d, %d hyperedges of width %d\n", dual.H.NumVertices(), dual.X.Dim(1), dual.H.NumEdges(), dual.E.Dim(1))

	// Layers are made with a seed and used on a tape, which owns the results.
	seed := nn.NewInit(1)
	nodeConv := nn.NewGCN(seed.In("nodes"), nn.ConvDims{In: 3, Out: 2}, nn.GCNConfig{})
	edgeConv := nn.NewHyperConv(seed.In("edges"), nn.ConvDims{In: 3, Out: 2}, nn.HyperConvConfig{})
	drop, err := pool.NewHyperDropPool(seed.In("drop"), 2, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.6}})
	if err != nil {
		log.Fatal(err)
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	pass := &nn.Pass{Tape: tape}

	x := nodeConv.Forward(pass, v)    // [4,2]: each node with its neighbours
	e := edgeConv.Forward(pass, dual) // [3,2]: each edge with those it shares a node with
	for i := range v.H.NumVertices() {
		fmt.Printf("node %d      %6.3f\n", i, x.Data()[2*i:2*i+2])
	}
	for i := range v.H.NumEdges() {
		fmt.Printf("edge %d - %d  %6.3f\n", g.Ends[2*i], g.Ends[2*i+1], e.Data()[2*i:2*i+2])
	}

	// HyperDrop scores the edges and keeps the best; all nodes stay.
	kept := drop.Forward(pass, v.WithE(e))
	for _, i := range kept.Keep {
		fmt.Printf("kept edge %d - %d with score %.3f\n", g.Ends[2*i], g.Ends[2*i+1], kept.Score.Data()[i])
	}
	fmt.Printf("left: %d nodes, %d edges\n", kept.View.H.NumVertices(), kept.View.H.NumEdges())
}
