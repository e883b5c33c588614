package nn_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// The same layer learns nodes on a graph and edges on its dual. Here its weight
// is the identity, so that the averages show: an edge averages the means around
// its two nodes and itself.
func ExampleHyperConv() {
	g, err := graph.New(graph.Graph{
		NumNodes: 3,
		Ends:     []int32{0, 1, 1, 2},
		Node:     graph.Ones(3),
		Edge:     graph.Features{Dim: 1, Dense: []float32{0, 6}},
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
	conv := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1}, nn.HyperConvConfig{})
	conv.Weight.Value.Data()[0] = 1

	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape}
	fmt.Println("nodes", conv.Forward(p, b.View))
	fmt.Println("edges", conv.Forward(p, b.View.Dual()))
	// Output:
	// nodes [3 1][1 1 1]
	// edges [2 1][1 5]
}

// One step of gradient descent on a GCN: parameters are watched by the pass,
// gradients come back as values.
func ExampleGCN() {
	g := &graph.Graph{NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Ones(2), Edge: graph.Ones(1)}
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		fmt.Println(err)
		return
	}
	conv := nn.NewGCN(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1}, nn.GCNConfig{NoBias: true})
	conv.Weight.Value.Data()[0] = 3

	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape, Train: true}
	loss := conv.Forward(p, b.View).Square().Sum()
	grad := tape.Grad(loss, p.Var(conv.Weight))
	fmt.Printf("loss %.3f, gradient %.3f\n", loss.Item(), grad[0].Item())
	// Output:
	// loss 18.000, gradient 12.000
}
