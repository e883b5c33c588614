package task

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// nodeRate and edgeRate are the paper's learning rates of the autoencoders of nodes and of
// edges.
const (
	nodeRate = 5e-3
	edgeRate = 1e-3
)

// edgeReconstruction compresses the edges of each graph to a few vectors and predicts their
// features back (paper, section 4.1): the edge's type by cross-entropy where edge features
// are one-hot codes, else the features themselves by squared error. Defaults are those of
// the authors' ZINC script but for the pool's layer norm and first seeds, and the schedule:
// hidden width 32, two layers, 15 % of the directed edge count, batches of 128, Adam at 1e-3,
// no clipping. The rate is constant unless --constant-lr=false.
var edgeReconstruction = &Task{
	Kind:    Kind{Name: "edge-reconstruction", Title: "edge features back from a few pooled vectors", Items: Edges, Collection: true, Reconstructs: true},
	Default: "hypercluster",
	Scores:  []string{"loss", "accuracy", "all_right"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		return resolveReconstruction(s, d, parts, edgeRate, Edges)
	},
	Problem: func(m model.Model, s *Settings) train.Problem { return reconstruction(m, featuresOf(s, Edges)) },
	Predict: func(s *Settings) Predictor { return newFeatureRows(s, Edges) },
}

// nodeReconstruction is edgeReconstruction for the features of nodes, with GMT's rate.
var nodeReconstruction = &Task{
	Kind:    Kind{Name: "node-reconstruction", Title: "node features back from a few pooled vectors", Items: Nodes, Collection: true, Reconstructs: true},
	Default: "gmpool-nodes",
	Scores:  []string{"loss", "accuracy", "all_right"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		return resolveReconstruction(s, d, parts, nodeRate, Nodes)
	},
	Problem: func(m model.Model, s *Settings) train.Problem { return reconstruction(m, featuresOf(s, Nodes)) },
	Predict: func(s *Settings) Predictor { return newFeatureRows(s, Nodes) },
}

// resolveReconstruction refuses data without the features that are to be predicted, and sets
// the defaults.
func resolveReconstruction(s *Settings, d Data, parts map[string]*Part, rate float64, of ...Items) error {
	g, m := s.Data.Graphs, &s.Model
	for _, items := range of {
		fields, width := g.NodeFields, m.Node
		if items == Edges {
			fields, width = g.EdgeFields, m.Edge
		}
		if len(fields) == 1 && (fields[0].Kind == KindConstant || fields[0].Kind == KindDegree) {
			return fmt.Errorf("task: %s needs %s labels or attributes, %s has none", s.Task, items, d.Name())
		}
		if !slices.ContainsFunc(parts[PartTrain].Graphs, func(g *graph.Graph) bool { return countOf(g, items) > 0 }) {
			return fmt.Errorf("task: %s needs %ss, the training graphs of %s have none", s.Task, items, d.Name())
		}
		m.Out = width
	}
	m.Default("hidden", 32)
	m.Default("layers", 2)
	m.Default("heads", 1)
	m.Default("ratio", 0.15)
	// Without these two the pool begins with nearly equal shares of every item, and it is up
	// to the seed when, or whether, it leaves them.
	m.Default("layer-norm", true)
	m.Default("seed-scale", 1.0)
	s.Train = train.Config{Epochs: 500, BatchSize: 128, LR: rate, Patience: 200, Optimizer: optim.Config{Name: "adam"},
		Schedule: train.Schedule{Name: "constant"}}
	return nil
}

// countOf is the number of items of a graph: of nodes, of edges, or the graph itself.
func countOf(g *graph.Graph, items Items) int {
	switch items {
	case Edges:
		return g.NumEdges()
	case Nodes:
		return g.NumNodes
	}
	return 1
}

// reconstruction is the problem of predicting the features of nodes or of edges.
func reconstruction(m model.Model, f features) train.Problem {
	return train.Problem{
		Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			if f.rows(b).Dim(0) == 0 {
				return nil, 0
			}
			return f.loss(f.predicted(m.Forward(p, b)), b)
		},
		Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
			return f.score(f.predicted(m.Forward(p, b)), b).all()
		}),
	}
}
