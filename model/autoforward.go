package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Turn is one pass of out-of-fold prediction: edges of a batch, and the labels that they may read.
type Turn struct {
	Edges []int32   // ascending
	Label []float32 // of each edge of the batch, graph.Masked where not known
}

// Turns divides the edges of a batch that are predicted into turns: edges whose label is not
// observed, and edges that have a label to be scored by. An edge must not read its own label, a
// label of its group or, with times, a label that is not earlier. If such labels are observed,
// turns hide them fold by fold.
func Turns(b *graph.Batch, classes int) []Turn {
	shown := shownLabels(b, classes)
	var out []Turn
	in := make([]bool, len(shown))
	for _, h := range hideInTurn(b, shown) {
		out = append(out, Turn{h.learn, h.apply(shown)})
		for _, e := range h.learn {
			in[e] = true
		}
	}
	rest := lists.Where[int32](shown, func(e int, v float32) bool { return !in[e] && v != v })
	if len(rest) > 0 {
		out = append(out, Turn{rest, shown})
	}
	return out
}

// Reads returns the labels that the model reads when it predicts an edge of a batch.
func (m *Auto) Reads(b *graph.Batch, edge int32) []float32 {
	for _, t := range Turns(b, m.Layout().Classes) {
		if _, found := slices.BinarySearch(t.Edges, edge); found {
			return t.Label
		}
	}
	return shownLabels(b, m.Layout().Classes)
}

// Forward predicts for the edges of Turns. Other edges have outputs of 0. For classes the outputs
// are logarithms of probabilities.
func (m *Auto) Forward(p *nn.Pass, b *graph.Batch) *Output {
	return m.forward(p, b, func(edges []int32) []int32 { return edges })
}

// ForwardEdges is Forward for some edges only. Their outputs have the same bits. All other outputs
// are 0.
func (m *Auto) ForwardEdges(p *nn.Pass, b *graph.Batch, some []int32) *Output {
	want := lists.Marked(b.H.NumEdges(), some)
	return m.forward(p, b, func(edges []int32) []int32 {
		return lists.Filter(edges, func(e int32) bool { return want[e] })
	})
}

// forward predicts for the edges that wanted selects from each turn.
func (m *Auto) forward(p *nn.Pass, b *graph.Batch, wanted func(edges []int32) []int32) *Output {
	if len(m.learners) != len(m.Config.Learners) {
		panic("model: auto: Forward before Ready")
	}
	rows := NewEdgeRows(b, m.Layout(), p.Tape.Threads())
	rows.kept = m.kept
	o := &Output{Edge: tensor.New(b.H.NumEdges(), m.dims.Out)}
	for _, t := range Turns(b, rows.Classes) {
		p.Tape.Check()
		if t.Edges = wanted(t.Edges); len(t.Edges) == 0 {
			continue
		}
		if err := m.predict(rows, t, o); err != nil {
			panic(fmt.Errorf("model: auto: %w", err)) // a turn knows no label of its own edges
		}
	}
	return o
}

// predict writes the outputs of the edges of a turn.
func (m *Auto) predict(rows *EdgeRows, t Turn, o *Output) error {
	of := rows.Rows(t.Edges)
	all, err := rows.Block(context.Background(), t.Label, of)
	if err != nil {
		return err
	}
	return m.learn(rows, t.Edges, all, rows.place(t.Label, of), o)
}

// learn writes the outputs of some edges from their columns, and their vectors if a learner has
// some. place gives the neighbours of the edges to learners that read them.
func (m *Auto) learn(rows *EdgeRows, edges []int32, all Block, place *Place, o *Output) (err error) {
	out := m.dims.Out
	sum, embedded := make([]float64, len(edges)*out), false
	for k, l := range m.learners {
		x := all.Select(m.Config.Learners[k].Columns)
		if n, ok := l.(*Network); ok {
			if l, err = n.At(place); err != nil {
				return err
			}
		}
		if weight, quantile := m.Config.Learners[k].Weight, m.Config.Learners[k].Quantile; weight > 0 || quantile > 0 {
			y, err := l.Predict(x, rows.threads)
			if err != nil {
				return err
			}
			y = Join(y, len(sum))
			if quantile > 0 {
				o.bound(rows.edges, edges, y, quantile > 0.5)
				continue
			}
			for i, v := range y {
				sum[i] += weight * float64(v)
			}
		}
		if e, ok := l.(*Network); ok && !embedded {
			embedded = true
			o.vectors = append(o.vectors, func(o *Output) { embedEdges(e, x, edges, rows, o) })
		}
	}
	for i, e := range edges {
		for k := range out {
			v := sum[i*out+k]
			if !m.Config.Number {
				v = math.Log(max(v, leastProbability))
			}
			o.Edge.Data()[int(e)*out+k] = float32(v)
		}
	}
	return nil
}

// bound writes a lower or an upper quantile for some of the edges.
func (o *Output) bound(edges int, of []int32, y []float32, upper bool) {
	if o.EdgeBounds == nil {
		o.EdgeBounds = tensor.New(edges, 2)
	}
	at := 0
	if upper {
		at = 1
	}
	for i, e := range of {
		o.EdgeBounds.Data()[2*int(e)+at] = y[i]
	}
}

// leastProbability bounds logarithms from below: no learner's probability counts as smaller.
const leastProbability = 1e-9

// embedEdges writes the vectors of the edges of a turn.
func embedEdges(e *Network, x Block, edges []int32, rows *EdgeRows, o *Output) {
	vectors, width, err := e.Embed(x, rows.threads)
	if err != nil {
		panic(fmt.Errorf("model: auto: %w", err)) // the same rows were predicted before
	}
	if o.EdgeVecs == nil {
		o.EdgeVecs = []EdgeVec{{Rows: tensor.New(rows.edges, width)}}
	}
	to := o.EdgeVecs[0].Rows.Data()
	for i, v := range Join(vectors, len(edges)*width) {
		to[int(edges[i/width])*width+i%width] = v
	}
}
