// Command hypercluster squeezes the edges of a random graph into a few vectors
// and trains HyperCluster to tell the type of every edge from these alone.
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
	if _, err := run(os.Stdout, 60, 120, 800); err != nil {
		log.Fatal(err)
	}
}

// run trains on a graph of that size and returns the share of edges whose type
// comes back.
func run(w io.Writer, nodes, edges, epochs int) (float64, error) {
	// The type of an edge, one of six, is the pair of its ends' values.
	g, err := synth.ErdosRenyi(nodes, edges, 1)
	if err != nil {
		return 0, err
	}
	clusters := edges * 15 / 100
	m, err := model.NewHyperCluster(nn.NewInit(1), model.Dims{Edge: 6, Out: 6},
		model.HyperClusterConfig{Hidden: 32, Layers: 2, Clusters: clusters, LayerNorm: true})
	if err != nil {
		return 0, err
	}
	one := []*graph.Graph{g}
	types, err := loss.NewLabels(g.EdgeLabel, 6, nil)
	if err != nil {
		return 0, err
	}
	problem := train.Problem{Model: m, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		return loss.CrossEntropy(m.Forward(p, b).Edge, types), types.Total
	}}
	cfg := train.Config{Epochs: epochs, LR: 5e-3, Seed: 1, Schedule: train.Schedule{Name: "cosine", WarmupEpochs: epochs / 20}}
	_, err = train.Fit(context.Background(), problem, one, nil, cfg, train.Options{OnEpoch: func(e train.EpochInfo) {
		if e.Epoch%100 == 0 {
			fmt.Fprintf(w, "epoch %3d  loss %.3f\n", e.Epoch, e.TrainLoss)
		}
	}})
	if err != nil {
		return 0, err
	}
	right := 0
	err = train.ForEachBatch(context.Background(), one, cfg, func(p *nn.Pass, _ int, b *graph.Batch) error {
		logits := m.Forward(p, b).Edge.Data() // [edges,6]
		for e, want := range g.EdgeLabel {
			best := 0
			for k, v := range logits[6*e : 6*e+6] {
				if v > logits[6*e+best] {
					best = k
				}
			}
			if best == int(want) {
				right++
			}
		}
		return nil
	})
	fmt.Fprintf(w, "%d edges from %d vectors: %.1f %% of the types are right\n", edges, clusters, 100*float64(right)/float64(edges))
	return float64(right) / float64(edges), err
}
