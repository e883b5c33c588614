package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/linear"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// edgeColumns computes the columns [m,k] that a baseline reads for each edge of a graph. c
// describes the labels, and shown has the known labels, NaN for others. Nil means no columns.
type edgeColumns func(p *nn.Pass, b *graph.Batch, c nn.LabelContext, shown []float32) *tensor.Tensor

// hiddenFolds is the number of folds of the training labels. When a baseline is fitted, one fold is
// hidden at a time, as in a training step of a model. If only an edge's own label were left out,
// the total of the labels at its node would reveal it.
const hiddenFolds = 5

// learned returns the columns of the edges of a training part.
func (f edgeColumns) learned(p *nn.Pass, b *graph.Batch, c nn.LabelContext) linear.Columns {
	if b.Observed == nil {
		return columnsOf(f(p, b, c, nil))
	}
	fold, r := make([]int, len(b.Observed.Label)), rng.Stream(0, "experiment", "edges", "folds") // the same for any seed
	for e := range fold {
		fold[e] = r.IntN(hiddenFolds)
	}
	var out linear.Columns
	for k := range hiddenFolds {
		shown := slices.Clone(b.Observed.Label)
		for e, of := range fold {
			if of == k {
				shown[e] = float32(math.NaN())
			}
		}
		x := columnsOf(f(p, b, c, shown))
		if k == 0 {
			out = linear.Columns{X: slices.Clone(x.X), K: x.K}
		}
		for e, of := range fold {
			if of == k {
				copy(out.X[e*x.K:][:x.K], x.X[e*x.K:])
			}
		}
	}
	return out
}

// edgeBaseline predicts edges by a linear model of columns. It implements model.Model, so that it
// is divided, calibrated and scored like other models.
type edgeBaseline struct {
	columns edgeColumns
	context nn.LabelContext
	fitted  *linear.Model
}

func (m *edgeBaseline) Params() []*tensor.Param { return nil }

func (m *edgeBaseline) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	var shown []float32
	if b.Observed != nil {
		shown = b.Observed.Label
	}
	x := columnsOf(m.columns(p, b, m.context, shown))
	n, out := b.H.NumEdges(), len(m.fitted.Bias)
	y, row := p.Tape.New(n, out), make([]float64, out)
	for e := range n {
		m.fitted.Apply(row, x.X[e*x.K:][:x.K])
		for k, v := range row {
			y.Data()[e*out+k] = float32(v)
		}
	}
	return &model.Output{Edge: y}
}

// constant reports whether the baseline predicts the same for all edges.
func (m *edgeBaseline) constant() bool { return len(m.fitted.Weight) == 0 }

func columnsOf(t *tensor.Tensor) linear.Columns {
	if t == nil {
		return linear.Columns{}
	}
	return linear.Columns{X: t.Data(), K: t.Dim(1)}
}

// noColumns gives no columns: the baseline predicts the shares of the classes, or the median of numbers.
func noColumns(*nn.Pass, *graph.Batch, nn.LabelContext, []float32) *tensor.Tensor { return nil }

// degreeColumns are log(1 + degree) for the outgoing and incoming edges of the source and the
// target. In an undirected graph they are the sum and the difference over both ends.
func degreeColumns(p *nn.Pass, b *graph.Batch, c nn.LabelContext, _ []float32) *tensor.Tensor {
	ends, n := b.H.Ends(), b.H.NumVertices()
	degree := [2][]float64{make([]float64, n), make([]float64, n)}
	for i, v := range ends {
		degree[i%2][v]++
	}
	m := len(ends) / 2
	if !c.Directed {
		y := p.Tape.New(m, 2)
		of := func(v int32) float64 { return math.Log1p(degree[0][v] + degree[1][v]) }
		for e := range m {
			u, v := of(ends[2*e]), of(ends[2*e+1])
			y.Data()[2*e], y.Data()[2*e+1] = float32(u+v), float32(math.Abs(u-v))
		}
		return y
	}
	y := p.Tape.New(m, 4)
	for i, v := range ends {
		for k := range degree {
			y.Data()[2*i+k] = float32(math.Log1p(degree[k][v]))
		}
	}
	return y
}

// labelColumns summarise the known labels of edges that share an end with an edge, as in
// nn.LabelContext, without the edge's own label. For classes they are counts at both ends and
// between the ends in both directions; for numbers they are the mean with the effects of both ends.
func labelColumns(p *nn.Pass, b *graph.Batch, c nn.LabelContext, shown []float32) *tensor.Tensor {
	columns, estimate := c.Columns(p, b.View, shown)
	if c.Classes == 0 {
		return estimate
	}
	own, m, width := c.Classes+1, columns.Dim(0), columns.Dim(1) // one-hot label, and whether it is known
	y := p.Tape.New(m, width-own)
	for e := range m {
		copy(y.Data()[e*(width-own):], columns.Data()[e*width+own:(e+1)*width])
	}
	return y
}

// baselinePenalty is the L2 penalty of standardised weights: the default of scikit-learn.
const baselinePenalty = 1

// fitEdgeBaseline fits a baseline to the training part of a session and makes it the session's
// model.
func fitEdgeBaseline(ctx context.Context, s *session.Session, columns edgeColumns) error {
	set := &s.Settings
	classes := len(set.Target.Classes)
	m := &edgeBaseline{columns: columns, context: nn.LabelContext{Classes: classes, Directed: set.Data.Directed()}}
	err := train.ForEachBatch(ctx, s.Graphs(source.PartTrain), train.Config{Threads: s.Threads}, func(p *nn.Pass, _ int, b *graph.Batch) (err error) {
		x, o := columns.learned(p, b, m.context), linear.Options{Penalty: baselinePenalty, Threads: s.Threads}
		if classes > 0 {
			rows, class := labelledRows(x, b.EdgeLabels, func(c int32) bool { return c >= 0 })
			m.fitted, err = linear.Logistic(rows, class, classes, o)
			return err
		}
		rows, numbers := labelledRows(x, b.EdgeTargets.Data(), func(v float32) bool { return v == v })
		y, unit := make([]float64, len(numbers)), set.Target.Units[0]
		for i, v := range numbers {
			y[i] = (float64(v) - unit.Mean) / unit.Scale
		}
		if rows.K == 0 {
			m.fitted = &linear.Model{Bias: []float64{median(y)}}
			return nil
		}
		m.fitted, err = linear.LeastSquares(rows, y, o)
		return err
	})
	if err != nil {
		return fmt.Errorf("experiment: edges: %w", err)
	}
	s.Model = m
	return nil
}

// labelledRows returns the rows of columns that have a label, and these labels.
func labelledRows[L any](x linear.Columns, label []L, known func(L) bool) (linear.Columns, []L) {
	out, labels := linear.Columns{K: x.K}, []L(nil)
	for e, l := range label {
		if known(l) {
			out.X, labels = append(out.X, x.X[e*x.K:][:x.K]...), append(labels, l)
		}
	}
	return out, labels
}

// median sorts numbers, of which there is at least one, and returns their median.
func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
