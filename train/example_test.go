package train_test

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// A linear model learns the mean of each graph's node features.
func ExampleFit() {
	var graphs []*graph.Graph
	for i := range 32 {
		a, b := float32(i%5), float32(i%7)
		graphs = append(graphs, &graph.Graph{
			NumNodes: 2, Ends: []int32{0, 1}, Edge: graph.Ones(1),
			Node:    graph.Features{Dim: 1, Dense: []float32{a, b}},
			Targets: []float32{(a + b) / 2},
		})
	}
	model := nn.NewLinear(nn.NewInit(1), nn.Dims{In: 1, Out: 1})
	problem := train.Problem{
		Model: model,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			predicted := model.Forward(p, tensor.SegmentMean(p.Tape.Bind(b.X), b.VertexOf))
			return predicted.Sub(b.Targets).Square().Mean(), float64(b.N)
		},
	}
	cfg := train.Config{Epochs: 200, BatchSize: 8, LR: 0.05, ClipNorm: 1, Patience: 20, Seed: 42}
	res, err := train.Fit(context.Background(), problem, graphs[:24], graphs[24:], cfg, train.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := train.Evaluate(context.Background(), problem, graphs[24:], cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	loss, _ := scores.Get("loss")
	fmt.Printf("learnt: %v, best of several epochs: %v\n", loss < 1e-2, res.BestEpoch > 1)
	// Output: learnt: true, best of several epochs: true
}
