package pool_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Of the five edges of a graph the best-scored two are kept, with all nodes; their scores
// weigh the messages of the next layer.
func ExampleHyperDropPool() {
	g, err := graph.New(graph.Graph{
		NumNodes: 4,
		Ends:     []int32{0, 1, 1, 2, 2, 3, 3, 0, 0, 2},
		Node:     graph.Ones(4),
		Edge:     graph.Features{Dim: 1, Dense: []float32{1, 9, 2, 0, 5}},
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
	drop, err := pool.NewHyperDropPool(nn.NewInit(1), 1, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	drop.Score.Weight.Value.Data()[0] = 0.1 // learned elsewhere

	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	r := drop.Forward(&nn.Pass{Tape: tape}, b.View)
	fmt.Println("kept", r.Keep)
	fmt.Println("edges", r.View.H.NumEdges(), "nodes", r.View.H.NumVertices())
	// Output:
	// kept [1 4]
	// edges 2 nodes 4
}
