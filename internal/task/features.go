package task

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Features are node or edge features as targets, read from a batch.
type Features struct {
	items settings.Level
	coded bool // the features are one-hot codes
	width int
}

func featuresOf(s *settings.Settings, items settings.Level) Features {
	g := s.Data.Graphs
	if items == settings.Edges {
		return Features{settings.Edges, g.EdgeCodes == s.Model.Edge, s.Model.Edge}
	}
	return Features{settings.Nodes, g.NodeCodes == s.Model.Node, s.Model.Node}
}

// Rows returns the features of a batch.
func (f Features) Rows(b *graph.Batch) *tensor.Tensor {
	if f.items == settings.Edges {
		return b.E
	}
	return b.X
}

// predicted returns the model's predictions of the features.
func (f Features) predicted(out *model.Output) *tensor.Tensor {
	if f.items == settings.Edges {
		return out.Edge
	}
	return out.Node
}

// graphOf returns the graph of each row.
func (f Features) graphOf(b *graph.Batch) []int32 {
	if f.items == settings.Edges {
		return b.EdgeOf.IDs()
	}
	return b.VertexOf.IDs()
}

// labels returns the codes; loss.Ignore for an item without one.
func (f Features) labels(b *graph.Batch) *loss.Labels {
	rows := f.Rows(b)
	class := argmaxRows(rows)
	for i, c := range class {
		if rows.Data()[i*f.width+int(c)] == 0 {
			class[i] = loss.Ignore
		}
	}
	l, err := loss.NewLabels(class, f.width, nil)
	if err != nil { // codes are columns
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(class)}, {f.width}}, Want: err.Error()})
	}
	return l
}

// Loss is the loss of predicted features of a batch, and its weight.
func (f Features) Loss(out *tensor.Tensor, b *graph.Batch) (*tensor.Tensor, float64) {
	if !f.coded {
		return loss.MSE(out, f.Rows(b)), float64(out.Dim(0))
	}
	l := f.labels(b)
	if l.Total == 0 {
		return nil, 0
	}
	return loss.CrossEntropy(out, l), l.Total
}

// fidelity measures how well the features of a batch were predicted.
type fidelity struct {
	coded  bool
	loss   float64 // sum over the items
	total  float64 // number of items
	right  float64 // number of correct codes
	graphs []count // for each graph; only for codes
}

// count counts the correct codes of a graph.
type count struct{ right, total int }

// Score returns how well the features of a batch were predicted.
func (f Features) Score(out *tensor.Tensor, b *graph.Batch) fidelity {
	s := fidelity{coded: f.coded, graphs: make([]count, b.N)}
	n := f.Rows(b).Dim(0)
	switch {
	case n == 0:
		return s
	case !f.coded:
		s.total = float64(n)
		s.loss = float64(loss.MSE(out, f.Rows(b)).Item()) * s.total
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

// sums returns the loss and, for codes, the share of correct codes. A batch without items returns
// them with weight 0.
func (s fidelity) sums(prefix string) []train.Sum {
	out := []train.Sum{{Name: prefix + "loss", Total: s.loss, Weight: s.total}}
	if s.coded {
		out = append(out, train.Sum{Name: prefix + "accuracy", Total: s.right, Weight: s.total})
	}
	return out
}

// All is sums plus, for codes, the share of graphs in which all codes are correct.
func (s fidelity) All() []train.Sum {
	if !s.coded {
		return s.sums("")
	}
	return append(s.sums(""), allRight(s.graphs))
}

// allRight is the share of graphs with codes in which all codes are correct.
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

// featureRows collects a row for each node or edge: the true and the predicted code with its
// probability, or the predicted features.
type featureRows struct {
	of                  Features
	settings            *settings.Settings
	label, prediction   []int
	probability, values []float32
}

func newFeatureRows(s *settings.Settings, items settings.Level) *featureRows {
	return &featureRows{of: featuresOf(s, items), settings: s}
}

func (r *featureRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	outputs := NewOutputs(r.settings, r.of.items, out)
	var x Item
	var l *loss.Labels
	if r.of.coded {
		l = r.of.labels(b)
	}
	for _, i := range rows {
		outputs.Read(int(i), &x)
		if !r.of.coded {
			for _, v := range x.Values {
				r.values = append(r.values, float32(v))
			}
			continue
		}
		label := math.MinInt
		if l.Class[i] != loss.Ignore {
			label = int(l.Class[i]) + outputs.offset
		}
		r.label, r.prediction = append(r.label, label), append(r.prediction, int(x.class)+outputs.offset)
		r.probability = append(r.probability, float32(x.Probabilities[x.class]))
	}
}

func (r *featureRows) Columns() []report.Column {
	if !r.of.coded {
		return []report.Column{report.Vectors("prediction", r.values, r.of.width)}
	}
	return []report.Column{report.Ints("label", r.label), report.Ints("prediction", r.prediction), report.Floats("probability", r.probability)}
}
