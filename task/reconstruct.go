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
		if f := s.Data.Graphs.EdgeFields; len(f) == 1 && f[0].Kind == KindConstant {
			return fmt.Errorf("task: edge-reconstruction needs edge labels or attributes, %s has none", d.Name())
		}
		if !slices.ContainsFunc(parts[PartTrain].Graphs, func(g *graph.Graph) bool { return g.NumEdges() > 0 }) {
			return fmt.Errorf("task: edge-reconstruction needs edges, the training graphs of %s have none", d.Name())
		}
		m := &s.Model
		m.Out = m.Edge
		m.Default("hidden", 32)
		m.Default("layers", 2)
		m.Default("heads", 1)
		m.Default("ratio", 0.15)
		s.Train = train.Config{Epochs: 500, BatchSize: 128, LR: 1e-3, Patience: 200, Optimizer: optim.Config{Name: "adam"},
			Schedule: train.Schedule{Name: "constant"}}
		return nil
	},
	Problem: func(m model.Model, s *Settings) train.Problem {
		t := edgeTargetOf(s)
		return train.Problem{
			Model: m,
			Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
				if b.H.NumEdges() == 0 {
					return nil, 0
				}
				return t.loss(m.Forward(p, b).Edge, b)
			},
			Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum { return t.score(m.Forward(p, b).Edge, b) }),
		}
	},
	Predict: func(s *Settings) Predictor {
		return &edgeRows{target: edgeTargetOf(s), offset: s.Data.Graphs.EdgeOffset}
	},
}

func edgeTargetOf(s *Settings) edgeTarget {
	return edgeTarget{coded: s.Data.Graphs.EdgeCodes == s.Model.Edge, width: s.Model.Edge}
}

// edgeTarget reads the target of each edge from the edge features of a batch.
type edgeTarget struct {
	coded bool // features are one-hot codes
	width int
}

// labels are the codes of the edges, loss.Ignore for an edge without one.
func (t edgeTarget) labels(b *graph.Batch) *loss.Labels {
	class := argmaxRows(b.E)
	for i, c := range class {
		if b.E.Data()[i*t.width+int(c)] == 0 {
			class[i] = loss.Ignore
		}
	}
	l, err := loss.NewLabels(class, t.width, nil)
	if err != nil { // the codes are columns
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(class)}, {t.width}}, Want: err.Error()})
	}
	return l
}

func (t edgeTarget) loss(out *tensor.Tensor, b *graph.Batch) (*tensor.Tensor, float64) {
	if !t.coded {
		return loss.MSE(out, b.E), float64(b.H.NumEdges())
	}
	l := t.labels(b)
	if l.Total == 0 {
		return nil, 0
	}
	return loss.CrossEntropy(out, l), l.Total
}

// score gives the loss and, for codes, the share of edges that are predicted correctly and
// the share of graphs in which all edges are, among the graphs with edges.
func (t edgeTarget) score(out *tensor.Tensor, b *graph.Batch) []train.Sum {
	if b.H.NumEdges() == 0 { // the same scores must be there, with weight 0
		sums := []train.Sum{{Name: "loss"}}
		if t.coded {
			sums = append(sums, train.Sum{Name: "accuracy"}, train.Sum{Name: "all_right"})
		}
		return sums
	}
	if !t.coded {
		n := float64(b.H.NumEdges())
		return []train.Sum{{Name: "loss", Total: float64(loss.MSE(out, b.E).Item()) * n, Weight: n}}
	}
	l := t.labels(b)
	right := 0.0
	wrong := make([]bool, b.N)
	has := make([]bool, b.N)
	for e, c := range argmaxRows(out) {
		g := b.EdgeOf.IDs()[e]
		if l.Class[e] == loss.Ignore {
			continue
		}
		has[g] = true
		if c == l.Class[e] {
			right++
		} else {
			wrong[g] = true
		}
	}
	whole, graphs := 0.0, 0.0
	for g := range has {
		if has[g] {
			graphs++
			if !wrong[g] {
				whole++
			}
		}
	}
	return []train.Sum{
		{Name: "loss", Total: float64(loss.NLLSum(out.LogSoftmax(), l).Item()), Weight: l.Total},
		{Name: "accuracy", Total: right, Weight: l.Total},
		{Name: "all_right", Total: whole, Weight: graphs},
	}
}

// edgeRows collects a row per edge: the true and the predicted type with its probability,
// or the predicted features.
type edgeRows struct {
	target                edgeTarget
	offset                int
	label, prediction     []int
	probability, features []float32
}

func (r *edgeRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	w := r.target.width
	if !r.target.coded {
		for _, e := range rows {
			r.features = append(r.features, out.Edge.Data()[int(e)*w:][:w]...)
		}
		return
	}
	l, prob := r.target.labels(b), out.Edge.Softmax().Data()
	for _, e := range rows {
		label := math.MinInt
		if l.Class[e] != loss.Ignore {
			label = int(l.Class[e]) + r.offset
		}
		row := prob[int(e)*w:][:w]
		c := argmax(row)
		r.label = append(r.label, label)
		r.prediction = append(r.prediction, int(c)+r.offset)
		r.probability = append(r.probability, row[c])
	}
}

func (r *edgeRows) Columns() []report.Column {
	if !r.target.coded {
		return []report.Column{report.Vectors("prediction", r.features, r.target.width)}
	}
	return []report.Column{report.Ints("label", r.label), report.Ints("prediction", r.prediction), report.Floats("probability", r.probability)}
}
