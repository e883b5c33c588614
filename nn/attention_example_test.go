package nn_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Where a node looks: with these weights the score of a neighbour is its own
// feature, so node 1 attends to node 2 more than to node 0 or to itself.
func ExampleGAT_ForwardAttention() {
	g, err := graph.New(graph.Graph{
		NumNodes: 3,
		Ends:     []int32{0, 1, 2, 1},
		Directed: true,
		Node:     graph.Features{Dim: 1, Dense: []float32{0, 1, 3}},
		Edge:     graph.Ones(2),
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
	conv, err := nn.NewGAT(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1}, nn.GATConfig{})
	if err != nil {
		panic(err)
	}
	conv.Weight.Value.Data()[0] = 1
	conv.AttSrc.Value.Data()[0] = 1
	conv.AttDst.Value.Data()[0] = 0

	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	_, attention := conv.ForwardAttention(&nn.Pass{Tape: tape}, b.View)
	arcs := attention.Arcs
	for k, a := range attention.Weight.Data() {
		fmt.Printf("%d -> %d %.2f\n", arcs.Src.IDs()[k], arcs.Dst.IDs()[k], a)
	}
	// Output:
	// 0 -> 0 1.00
	// 0 -> 1 0.04
	// 2 -> 1 0.84
	// 1 -> 1 0.11
	// 2 -> 2 1.00
}
