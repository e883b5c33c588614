package model

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// LabelContext adds the known labels of other edges to the input of a model of edges (label reuse
// with masked labels, as in UniMP): the columns of nn.LabelContext become edge features, so that
// message passing reads them.
//
// In training every pass draws a share of the observed labels, hides them and takes the loss on
// these edges only (Output.Learn). So the loss of an edge is never taken while its own label, or a
// label of its group (graph.ObservedLabels), is an input anywhere. If labels have times, a moment
// is drawn: labels before it are observed, a share of the edges after it is in the loss, and all
// labels after it are hidden.
//
// In prediction an edge does not read its own label, a label of its group or, with times, a label
// that is not earlier. If such labels are observed, they are hidden fold by fold, in as many passes
// (out-of-fold prediction).
type LabelContext struct {
	Model  Model
	Config LabelContextConfig
	Many   *nn.LabelVectors // nil if each class has columns
	labels nn.LabelContext
}

// LabelContextConfig are the settings of a LabelContext.
type LabelContextConfig struct {
	Classes  int     `json:"classes,omitempty"` // 0 if labels are numbers
	Directed bool    `json:"directed,omitempty"`
	Hide     float64 `json:"hide"` // share of labels that a training pass hides
	// Vectors is the width of learned vectors of labels (nn.LabelVectors). 0 means columns for each
	// class (nn.LabelContext): eleven per class in a directed graph.
	Vectors int `json:"vectors,omitempty"`
}

// Columns is the number of features that labels become.
func (c LabelContextConfig) Columns() int {
	if c.Vectors > 0 {
		return nn.LabelVectorsWidth(c.Vectors, c.Directed)
	}
	return nn.LabelContext{Classes: c.Classes, Directed: c.Directed}.Width()
}

// The number of folds in which observed labels are hidden. Edges with a label of their own have
// ownFolds, a fifth of the labels each, as in training. Other edges of groups with an observed
// label have OtherFolds. With times both are windows of time, ownFolds of them.
const (
	ownFolds   = 5
	OtherFolds = 20
)

// maxClasses bounds the number of classes: float32 represents smaller integers exactly.
const maxClasses = 1 << 24

func newLabelContext(s Spec, c Config, root func(seed uint64) nn.Init) (*LabelContext, error) {
	of := *c.Context
	switch {
	case of.Classes < 0 || of.Classes > maxClasses:
		return nil, fmt.Errorf("model: %s: label_context.classes is %d, expected 0 to %d", s.Name, of.Classes, maxClasses)
	case of.Vectors < 0 || of.Vectors > 0 && of.Classes == 0:
		return nil, fmt.Errorf("model: %s: label_context.vectors is %d with %d classes, expected 0, or a width where there are classes", s.Name, of.Vectors, of.Classes)
	case !(of.Hide > 0 && of.Hide < 1):
		return nil, fmt.Errorf("model: %s: label_context.hide is %v, expected a number between 0 and 1", s.Name, of.Hide)
	}
	m := &LabelContext{Config: of, labels: nn.LabelContext{Classes: of.Classes, Directed: of.Directed}}
	if of.Vectors > 0 {
		m.Many = nn.NewLabelVectors(root(c.Seed).In("label_context"), of.Classes, of.Vectors, of.Directed)
	}
	width := of.Columns()
	if c.EdgeBlocks != nil {
		c.EdgeBlocks = append(slices.Clone(c.EdgeBlocks), width)
	}
	c.Context = nil
	c.Edge += width
	var err error
	m.Model, err = s.assemble(c, root)
	return m, err
}

// Params lists the parameters of the model and of the label vectors.
func (m *LabelContext) Params() []*tensor.Param {
	if m.Many != nil {
		return append(m.Many.Params(), m.Model.Params()...)
	}
	return m.Model.Params()
}

// Forward is the model's Forward with the labels around each edge among its features.
func (m *LabelContext) Forward(p *nn.Pass, b *graph.Batch) *Output {
	shown := shownLabels(b, m.Config.Classes)
	if p.Train {
		hidden := drawHidden(p, b.Observed, shown, m.Config.Hide)
		out := m.forward(p, b, hidden.apply(shown))
		out.Learn = hidden.learn
		return out
	}
	turns := hideInTurn(b, shown)
	if len(turns) == 0 {
		return m.forward(p, b, shown)
	}
	return m.inTurn(p, b, shown, turns)
}

func (m *LabelContext) forward(p *nn.Pass, b *graph.Batch, label []float32) *Output {
	if m.Many != nil {
		return forwardWith(p, m.Model, b, m.Many.Columns(p, b.View, label))
	}
	columns, estimate := m.labels.Columns(p, b.View, label)
	out := forwardWith(p, m.Model, b, columns)
	if estimate != nil && out.Edge.Dim(1) == 1 {
		out.Edge = out.Edge.Add(estimate)
	}
	return out
}

// forwardWith is a model's Forward with more edge features. A model with a forwardWith of its own
// needs no copy of all features.
func forwardWith(p *nn.Pass, m Model, b *graph.Batch, more *tensor.Tensor) *Output {
	if m, ok := m.(interface {
		forwardWith(p *nn.Pass, b *graph.Batch, more *tensor.Tensor) *Output
	}); ok {
		return m.forwardWith(p, b, more)
	}
	with := *b
	with.E = tensor.Concat(1, p.Tape.Bind(b.E), more)
	return m.Forward(p, &with)
}

// inTurn predicts the edges of each turn, and all other edges with all labels observed.
func (m *LabelContext) inTurn(p *nn.Pass, b *graph.Batch, shown []float32, turns []labelMask) *Output {
	var all *Output
	others := len(shown)
	for _, h := range turns {
		others -= len(h.learn)
	}
	if others > 0 {
		all = ownRows(m.forward(p, b, shown))
	}
	for _, h := range turns {
		out := m.forward(p, b, h.apply(shown))
		if all == nil {
			all = ownRows(out)
			continue
		}
		copyRows(all.Edge, out.Edge, h.learn)
		for i, v := range out.EdgeVecs {
			if v.IDs == nil {
				copyRows(all.EdgeVecs[i].Rows, v.Rows, h.learn)
			}
		}
	}
	return all
}

// Reads returns the labels that the model reads when it predicts an edge of a batch: one for each
// edge, graph.Masked if it is not read.
func (c LabelContextConfig) Reads(b *graph.Batch, edge int32) []float32 {
	shown := shownLabels(b, c.Classes)
	for _, h := range hideInTurn(b, shown) {
		if slices.Contains(h.learn, edge) {
			return h.apply(shown)
		}
	}
	return shown
}

// ownRows returns an output whose rows for edges may be overwritten.
func ownRows(o *Output) *Output {
	out := *o
	out.Edge, out.EdgeVecs = o.Edge.Clone(), slices.Clone(o.EdgeVecs)
	for i, v := range out.EdgeVecs {
		out.EdgeVecs[i].Rows = v.Rows.Clone()
	}
	return &out
}

func copyRows(to, from *tensor.Tensor, rows []int32) {
	d := to.Dim(1)
	for _, r := range rows {
		copy(to.Data()[int(r)*d:][:d], from.Data()[int(r)*d:][:d])
	}
}

// shownLabels returns the observed labels of a batch. It is NaN for other edges and for a class
// that the model does not know.
func shownLabels(b *graph.Batch, classes int) []float32 {
	out := make([]float32, b.H.NumEdges())
	for e := range out {
		out[e] = graph.Masked
		if b.Observed == nil {
			continue
		}
		if x := b.Observed.Label[e]; knownLabel(x, classes) {
			out[e] = x
		}
	}
	return out
}

// knownLabel reports whether a label is one of the classes, or any number if classes is 0.
func knownLabel(x float32, classes int) bool { return classes == 0 || x >= 0 && int(x) < classes }
