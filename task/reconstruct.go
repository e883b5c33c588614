package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/report"
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
// the authors' ZINC script but for the schedule: hidden width 32, two layers, 15 % of the
// directed edge count, batches of 128, Adam at 1e-3, no clipping. The rate is constant
// unless --constant-lr=false.
var edgeReconstruction = &Task{
	Name:         "edge-reconstruction",
	Title:        "edge features back from a few pooled vectors",
	Default:      "hypercluster",
	Items:        Edges,
	Collection:   true,
	Reconstructs: true,
	Scores:       []string{"loss", "accuracy", "all_right"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		return resolveReconstruction(s, d, parts, edgeRate, Edges)
	},
	Problem: func(m model.Model, s *Settings) train.Problem { return reconstruction(m, featuresOf(s, Edges)) },
	Predict: func(s *Settings) Predictor { return newFeatureRows(s, Edges) },
}

// nodeReconstruction is edgeReconstruction for the features of nodes, with GMT's rate.
var nodeReconstruction = &Task{
	Name:         "node-reconstruction",
	Title:        "node features back from a few pooled vectors",
	Default:      "gmpool-nodes",
	Items:        Nodes,
	Collection:   true,
	Reconstructs: true,
	Scores:       []string{"loss", "accuracy", "all_right"},
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
	s.Train = train.Config{Epochs: 500, BatchSize: 128, LR: rate, Patience: 200, Optimizer: optim.Config{Name: "adam"},
		Schedule: train.Schedule{Name: "constant"}}
	return nil
}

// countOf is the number of nodes or edges of a graph.
func countOf(g *graph.Graph, items Items) int {
	if items == Edges {
		return g.NumEdges()
	}
	return g.NumNodes
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

// features are those of nodes or of edges as targets, read from a batch.
type features struct {
	items Items
	coded bool // they are one-hot codes
	width int
}

func featuresOf(s *Settings, items Items) features {
	g := s.Data.Graphs
	if items == Edges {
		return features{Edges, g.EdgeCodes == s.Model.Edge, s.Model.Edge}
	}
	return features{Nodes, g.NodeCodes == s.Model.Node, s.Model.Node}
}

// rows are the features of a batch.
func (f features) rows(b *graph.Batch) *tensor.Tensor {
	if f.items == Edges {
		return b.E
	}
	return b.X
}

// predicted is what the model gives for them.
func (f features) predicted(out *model.Output) *tensor.Tensor {
	if f.items == Edges {
		return out.Edge
	}
	return out.Node
}

// graphOf is the graph that each belongs to.
func (f features) graphOf(b *graph.Batch) []int32 {
	if f.items == Edges {
		return b.EdgeOf.IDs()
	}
	return b.VertexOf.IDs()
}

// labels are the codes, loss.Ignore for an item without one.
func (f features) labels(b *graph.Batch) *loss.Labels {
	rows := f.rows(b)
	class := argmaxRows(rows)
	for i, c := range class {
		if rows.Data()[i*f.width+int(c)] == 0 {
			class[i] = loss.Ignore
		}
	}
	l, err := loss.NewLabels(class, f.width, nil)
	if err != nil { // the codes are columns
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(class)}, {f.width}}, Want: err.Error()})
	}
	return l
}

func (f features) loss(out *tensor.Tensor, b *graph.Batch) (*tensor.Tensor, float64) {
	if !f.coded {
		return loss.MSE(out, f.rows(b)), float64(out.Dim(0))
	}
	l := f.labels(b)
	if l.Total == 0 {
		return nil, 0
	}
	return loss.CrossEntropy(out, l), l.Total
}

// fidelity says how well the features of a batch were predicted.
type fidelity struct {
	coded  bool
	loss   float64 // over the items, summed
	total  float64 // number of items
	right  float64 // codes that are right
	graphs []count // of each graph, of codes alone
}

// count is how many of the codes of a graph are right.
type count struct{ right, total int }

func (f features) score(out *tensor.Tensor, b *graph.Batch) fidelity {
	s := fidelity{coded: f.coded, graphs: make([]count, b.N)}
	n := f.rows(b).Dim(0)
	switch {
	case n == 0:
		return s
	case !f.coded:
		s.total = float64(n)
		s.loss = float64(loss.MSE(out, f.rows(b)).Item()) * s.total
		return s
	}
	l, of := f.labels(b), f.graphOf(b)
	for i, c := range argmaxRows(out) {
		if l.Class[i] == loss.Ignore {
			continue
		}
		g := &s.graphs[of[i]]
		g.total++
		if c == l.Class[i] {
			g.right++
			s.right++
		}
	}
	s.loss, s.total = float64(loss.NLLSum(out.LogSoftmax(), l).Item()), l.Total
	return s
}

// sums are the loss and, for codes, the share that is right. A batch without items has them,
// too, of weight 0.
func (s fidelity) sums(prefix string) []train.Sum {
	out := []train.Sum{{Name: prefix + "loss", Total: s.loss, Weight: s.total}}
	if s.coded {
		out = append(out, train.Sum{Name: prefix + "accuracy", Total: s.right, Weight: s.total})
	}
	return out
}

// all are the sums with, for codes, the share of graphs in which all are right.
func (s fidelity) all() []train.Sum {
	if !s.coded {
		return s.sums("")
	}
	return append(s.sums(""), allRight(s.graphs))
}

// allRight is the share of graphs, among those with codes, whose codes are all right.
func allRight(graphs []count) train.Sum {
	s := train.Sum{Name: "all_right"}
	for _, g := range graphs {
		if g.total > 0 {
			s.Weight++
			if g.right == g.total {
				s.Total++
			}
		}
	}
	return s
}

// featureRows collects a row per node or edge: the true and the predicted code with its
// probability, or the predicted features.
type featureRows struct {
	of                  features
	offset              int
	label, prediction   []int
	probability, values []float32
}

func newFeatureRows(s *Settings, items Items) *featureRows {
	offset := s.Data.Graphs.NodeOffset
	if items == Edges {
		offset = s.Data.Graphs.EdgeOffset
	}
	return &featureRows{of: featuresOf(s, items), offset: offset}
}

func (r *featureRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	w, y := r.of.width, r.of.predicted(out)
	if !r.of.coded {
		for _, i := range rows {
			r.values = append(r.values, y.Data()[int(i)*w:][:w]...)
		}
		return
	}
	l, prob := r.of.labels(b), y.Softmax().Data()
	for _, i := range rows {
		label := math.MinInt
		if l.Class[i] != loss.Ignore {
			label = int(l.Class[i]) + r.offset
		}
		row := prob[int(i)*w:][:w]
		c := argmax(row)
		r.label = append(r.label, label)
		r.prediction = append(r.prediction, int(c)+r.offset)
		r.probability = append(r.probability, row[c])
	}
}

func (r *featureRows) Columns() []report.Column {
	if !r.of.coded {
		return []report.Column{report.Vectors("prediction", r.values, r.of.width)}
	}
	return []report.Column{report.Ints("label", r.label), report.Ints("prediction", r.prediction), report.Floats("probability", r.probability)}
}
