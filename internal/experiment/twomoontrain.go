package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// moonResult is the result of a training on the two-moon graph.
type moonResult struct {
	moonSettings
	MSE   float64 `json:"mse"`
	Right float64 `json:"right_colour"` // share of edges with the correct nearest palette colour
	// Entropy is the mean entropy of the cluster assignment in nats; absent if the pool drops nodes.
	// Before training it is the logarithm of the number of clusters.
	Entropy  float64 `json:"entropy,omitempty"`
	Clusters int     `json:"clusters"` // of edges or of nodes
	ending
	// Drawn has the reconstructed colours, one byte for each channel.
	Drawn []byte `json:"drawn,omitempty"`
}

// trainMoon trains a row on the graph and measures the weights with the lowest training loss.
func trainMoon(ctx context.Context, row edgeRow, of moonSettings, g *graph.Graph, w work) (moonResult, error) {
	out := moonResult{moonSettings: of}
	target := colourTensor(g.EdgeLabel)
	if row.conv == "rgcn" {
		typed := *g
		typed.Edge = graph.Features{Code: slices.Clone(g.EdgeLabel), Codes: []int{len(synth.Palette())}}
		g = &typed
	}
	m, err := newMoonModel(row, of, g)
	if err != nil {
		return out, err
	}
	problem := train.Problem{Model: m, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		return loss.MSE(m.Forward(p, b).Edge, target), float64(b.H.NumEdges())
	}}
	config := train.Config{Epochs: of.Epochs, LR: of.Rate, Patience: moonPatience, Seed: of.Seed, Threads: w.threads, Optimizer: optim.Config{Name: "adam"}}
	one := []*graph.Graph{g}
	out.ending, err = endingOf(train.Fit(ctx, problem, one, nil, config, train.Options{Checkpoint: w.checkpoint, OnEpoch: w.onEpoch}))
	if err != nil {
		return out, fmt.Errorf("experiment: two-moon: %s: %w", row.name, err)
	}
	err = train.ForEachBatch(ctx, one, config, func(p *nn.Pass, _ int, b *graph.Batch) error {
		y := m.Forward(p, b)
		out.MSE = float64(loss.MSE(y.Edge, target).Item())
		out.Right = rightColours(y.Edge.Data(), g.EdgeLabel)
		out.Entropy, out.Clusters = moonClusters(y)
		for _, v := range y.Edge.Data() {
			out.Drawn = append(out.Drawn, uint8(math.Round(255*float64(min(max(v, 0), 1)))))
		}
		return nil
	})
	return out, err
}

// moonClusters returns the entropy of the assignment and the number of clusters.
func moonClusters(y *model.Output) (entropy float64, clusters int) {
	switch {
	case y.Assign != nil:
		return assignmentEntropy(y.Assign), y.Assign[0].Dim(1)
	case y.Attention != nil:
		return assignmentEntropy(y.Attention[0]), y.Attention[0][0].Dim(1)
	}
	return 0, y.GraphVec.Dim(1) / moonHidden
}

// assignmentEntropy is the mean entropy, in nats, of an item's weights over clusters.
func assignmentEntropy(a pool.Attention) float64 {
	sum, rows := 0.0, 0
	for _, head := range a {
		for _, v := range head.Data() {
			if v > 0 {
				sum -= float64(v) * math.Log(float64(v))
			}
		}
		rows += head.Dim(0)
	}
	return sum / float64(max(rows, 1))
}

// colourTensor returns the palette colours of labels.
func colourTensor(labels []int32) *tensor.Tensor {
	rgb := make([]float32, 0, 3*len(labels))
	for _, c := range labels {
		k := synth.Palette()[c]
		rgb = append(rgb, k[:]...)
	}
	return tensor.FromSlice(rgb, len(labels), 3)
}

// meanColourError is the squared error of predicting the mean colour for every edge.
func meanColourError(labels []int32) float64 {
	c := colourTensor(labels)
	return float64(loss.MSE(c.MeanAxis(0).Expand(c.Shape()...), c).Item())
}
