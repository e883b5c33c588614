package task

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// nodeRate and edgeRate are the paper's learning rates of the node and the edge autoencoder.
const (
	nodeRate = 5e-3
	edgeRate = 1e-3
)

// EdgeReconstruction compresses the edges of each graph to a few vectors and reconstructs their
// features (paper, section 4.1): one-hot codes by cross-entropy, other features by squared error.
// The defaults are those of the authors' ZINC script, except for the pool's layer norm and initial
// seeds, and the schedule: hidden width 32, two layers, 15 % of the directed edge count, batches of
// 128, Adam at 1e-3, no clipping. The rate is constant unless --constant-lr=false.
var EdgeReconstruction = reconstructionOf(settings.Edges, "hypercluster", edgeRate)

// nodeReconstruction is EdgeReconstruction for node features, with GMT's learning rate.
var nodeReconstruction = reconstructionOf(settings.Nodes, "gmpool-nodes", nodeRate)

func reconstructionOf(of settings.Level, name string, rate float64) *Task {
	return &Task{
		Kind: settings.Kind{Name: string(of) + "-reconstruction",
			Title: string(of) + " features reconstructed from a few pooled vectors", Level: of, Collection: true, Reconstructs: true},
		Default: name,
		Scores:  []string{"loss", "accuracy", "all_right"},
		Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
			return resolveReconstruction(s, d, parts, rate, of)
		},
		Problem: func(m model.Model, s *settings.Settings) train.Problem { return reconstruction(m, featuresOf(s, of)) },
		Predict: func(s *settings.Settings) Predictor { return newFeatureRows(s, of) },
	}
}

// resolveReconstruction returns an error for data without the features to reconstruct, and sets the
// defaults.
func resolveReconstruction(s *settings.Settings, d source.Data, parts map[string]*source.Part, rate float64, of ...settings.Level) error {
	g, m := s.Data.Graphs, &s.Model
	for _, items := range of {
		fields, width := g.NodeFields, m.Node
		if items == settings.Edges {
			fields, width = g.EdgeFields, m.Edge
		}
		if len(fields) == 1 && (fields[0].Kind == settings.KindConstant || fields[0].Kind == settings.KindDegree) {
			return fmt.Errorf("%s needs %s labels or attributes, %s has none", s.Task, items, d.Name())
		}
		if !slices.ContainsFunc(parts[source.PartTrain].Graphs, func(g *graph.Graph) bool { return CountOf(g, items) > 0 }) {
			return fmt.Errorf("%s needs %ss, the training graphs of %s have none", s.Task, items, d.Name())
		}
		m.Out = width
	}
	m.Default("hidden", 32)
	m.Default("layers", 2)
	m.Default("heads", 1)
	m.Default("ratio", 0.15)
	// Without these two options the pool starts with nearly equal weights of all items, and the seed
	// decides when, or whether, training changes them.
	m.Default("layer-norm", true)
	m.Default("seed-scale", 1.0)
	s.Train = train.Config{Epochs: 500, BatchSize: 128, LR: rate, Patience: 200, Optimizer: optim.Config{Name: "adam"},
		Schedule: train.Schedule{Name: "constant"}}
	return nil
}

// CountOf is the number of items of a graph: of nodes, of edges, or the graph itself.
func CountOf(g *graph.Graph, items settings.Level) int {
	return settings.ByLevel(items, 1, g.NumNodes, g.NumEdges())
}

// reconstruction is the problem of predicting the features of nodes or of edges.
func reconstruction(m model.Model, f Features) train.Problem {
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			if f.Rows(b).Dim(0) == 0 {
				return nil, 0
			}
			return f.Loss(f.predicted(m.Forward(p, b)), b)
		},
		Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
			return f.Score(f.predicted(m.Forward(p, b)), b).All()
		}),
	}
}
