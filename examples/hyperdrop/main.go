// Command hyperdrop trains HyperDrop on generated graphs whose class only their
// edges tell, and prints the accuracy on graphs it has not seen.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

func main() {
	if _, err := run(os.Stdout, 300, 20); err != nil {
		log.Fatal(err)
	}
}

// run trains on a part of n graphs and returns the accuracy on another.
func run(w io.Writer, n, epochs int) (float64, error) {
	graphs, err := synth.EdgeClass(n, 1)
	if err != nil {
		return 0, err
	}
	training, valid, test := graphs[:7*n/10], graphs[7*n/10:8*n/10], graphs[8*n/10:]
	// Two edge layers, each followed by a drop that keeps the best 80 % of the edges.
	// An edge that is scored below zero passes no messages and learns nothing, so a
	// run whose first scores are all negative stays at chance: take another seed.
	config := model.HyperDropConfig{Ratio: 0.8}
	config.Hidden, config.Layers, config.Dropout = 64, 3, 0.2
	m, err := model.NewHyperDrop(nn.NewInit(42), model.Dims{Node: graphs[0].Node.Width(), Edge: graphs[0].Edge.Width(), Out: 2}, config)
	if err != nil {
		return 0, err
	}
	// The mean cross-entropy of a batch, and how many graphs it is the mean of.
	problem := train.Problem{Model: m, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		l, err := loss.NewLabels(b.Labels, 2, nil)
		if err != nil {
			panic(err) // EdgeClass has two classes
		}
		return loss.CrossEntropy(m.Forward(p, b).Graph, l), l.Total
	}}
	cfg := train.Config{Epochs: epochs, BatchSize: 16, LR: 3e-3, ClipNorm: 1, Seed: 42}
	_, err = train.Fit(context.Background(), problem, training, valid, cfg, train.Options{
		OnEpoch: func(e train.EpochInfo) { fmt.Fprintf(w, "epoch %2d  loss %.3f\n", e.Epoch, e.TrainLoss) }})
	if err != nil {
		return 0, err
	}
	right := 0.0
	err = train.ForEachBatch(context.Background(), test, cfg, func(p *nn.Pass, _ int, b *graph.Batch) error {
		logits := m.Forward(p, b).Graph.Data() // [graphs,2]
		for i, class := range b.Labels {
			if logits[2*i+int(class)] > logits[2*i+1-int(class)] {
				right++
			}
		}
		return nil
	})
	fmt.Fprintf(w, "accuracy on %d other graphs: %.1f %%\n", len(test), 100*right/float64(len(test)))
	return right / float64(len(test)), err
}
