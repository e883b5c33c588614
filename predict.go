package ehgnn

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/task"
	"github.com/ehgnn/ehgnn/tensor"
)

// Prediction is the prediction for a graph or for its nodes or edges.
type Prediction struct {
	// Item is the prediction for the graph, where the run predicts for graphs
	// (Model.Level).
	Item
	// Nodes and Edges are the predictions for its nodes or edges, in their order; a run that
	// reconstructs graphs has both.
	Nodes []Item `json:"nodes,omitempty"`
	Edges []Item `json:"edges,omitempty"`
	// Unseen counts categories of attributes that do not occur in training; the model takes
	// them for missing.
	Unseen int `json:"unseen,omitempty"`
}

// Item is the prediction for one graph, node or edge.
type Item struct {
	// Class is the predicted class; empty where numbers or several labels are predicted.
	Class string `json:"class,omitempty"`
	// Probabilities are those of the classes, in the order of Model.Classes, or of the
	// labels, in the order of Model.Targets.
	Probabilities []float64 `json:"probabilities,omitempty"`
	// Values are numbers in the unit of the data, in the order of Model.Targets.
	Values []float64 `json:"values,omitempty"`
	// Set holds the classes, or Lower and Upper the ends of an interval for each of Values,
	// that cover the true one as often as the run was trained for (--coverage); nil where it
	// was not.
	Set   []string  `json:"set,omitzero"`
	Lower []float64 `json:"lower,omitempty"`
	Upper []float64 `json:"upper,omitempty"`
	// Std is, for an ensemble, the standard deviation across its members: of the probability
	// of Class, else of each of Values or of the probabilities of labels.
	Std []float64 `json:"std,omitempty"`
}

// Embedding holds learned vectors of a graph.
type Embedding struct {
	Width int
	// Rows holds the vectors one after the other: of the graph, of its nodes or of its
	// edges, in their order.
	Rows []float32
}

// Predict predicts for graphs, up to Options.Parallel of them at the same time.
func (m *Model) Predict(ctx context.Context, graphs ...*Graph) ([]Prediction, error) {
	out := make([]Prediction, len(graphs))
	err := m.each(ctx, graphs, func(i int, o *model.Output, in *Input) error {
		out[i] = m.predictions(o, []*Input{in})[0]
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Embed returns the learned vectors of graphs at a level; an error where the model learns
// none.
func (m *Model) Embed(ctx context.Context, level Level, graphs ...*Graph) ([]Embedding, error) {
	out := make([]Embedding, len(graphs))
	err := m.each(ctx, graphs, func(i int, o *model.Output, in *Input) error {
		one, err := m.embeddings(o, level, []*Input{in})
		if err == nil {
			out[i] = one[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// each runs the model on graphs, each by itself, and calls f once for each. Calls may
// overlap. The error names the graph that is at fault.
func (m *Model) each(ctx context.Context, graphs []*Graph, f func(i int, o *model.Output, in *Input) error) error {
	one := func(ctx context.Context, i int) (err error) {
		defer func() {
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("ehgnn: graph %d: %w", i, err)
			}
		}()
		in, err := m.input(graphs[i])
		if err != nil {
			return err
		}
		_, err = m.pass(ctx, []*Input{in}, func(o *model.Output) error { return f(i, o, in) })
		return err
	}
	workers := min(cap(m.arenas), len(graphs))
	if workers <= 1 {
		for i := range graphs {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := one(ctx, i); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := par.Group{Stop: func() { cancel(nil) }}
	next := make(chan int)
	for range workers {
		all.Go(func() {
			for i := range next {
				if err := one(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
send:
	for i := range graphs {
		select {
		case next <- i:
		case <-ctx.Done():
			break send
		}
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}

// largeLoad is the memory from which on the free memory is asked for.
const largeLoad = 64 << 20

// fits refuses a graph for which the model is certain to need more memory than is free.
func (m *Model) fits(g *graph.Graph, l model.Load) error {
	if l.Least < largeLoad {
		return nil
	}
	if free := memory.Free(); free > 0 && l.Least > float64(free) {
		return fmt.Errorf("model %s needs %s or more for a graph of %d nodes and %d edges; %s are free",
			m.settings.ModelName, memory.Text(l.Least), g.NumNodes, g.NumEdges(), memory.Text(free))
	}
	return nil
}

// predictions turns the output for graphs into a Prediction for each.
func (m *Model) predictions(o *model.Output, of []*Input) []Prediction {
	var graphs, nodes, edges []Item
	n, e := 0, 0
	for _, in := range of {
		n, e = n+in.graph.NumNodes, e+in.graph.NumEdges()
	}
	switch {
	case m.task.Reconstructs && m.task.Items == task.Graphs:
		nodes, edges = m.features(o.Node, task.Nodes), m.features(o.Edge, task.Edges)
	case m.task.Reconstructs && m.task.Items == task.Nodes:
		nodes = m.features(o.Node, task.Nodes)
	case m.task.Reconstructs:
		edges = m.features(o.Edge, task.Edges)
	case m.task.Items == task.Nodes:
		nodes = m.items(o, func(o *model.Output) *tensor.Tensor { return o.Node }, n)
	case m.task.Items == task.Edges:
		edges = m.items(o, func(o *model.Output) *tensor.Tensor { return o.Edge }, e)
	default:
		graphs = m.items(o, func(o *model.Output) *tensor.Tensor { return o.Graph }, len(of))
	}
	out := make([]Prediction, len(of))
	for i, in := range of {
		out[i].Unseen = in.unseen
		if graphs != nil {
			out[i].Item = graphs[i]
		}
		if k := in.graph.NumNodes; nodes != nil {
			out[i].Nodes, nodes = nodes[:k:k], nodes[k:]
		}
		if k := in.graph.NumEdges(); edges != nil {
			out[i].Edges, edges = edges[:k:k], edges[k:]
		}
	}
	return out
}

// embeddings are the learned vectors of graphs at a level.
func (m *Model) embeddings(o *model.Output, level Level, of []*Input) ([]Embedding, error) {
	edges := 0
	for _, in := range of {
		edges += in.graph.NumEdges()
	}
	rows, width := o.Vectors(string(level), edges)
	if rows == nil || level == Edges && m.form != nil { // a form has other edges than the graph
		return nil, &LevelError{Model: m.settings.ModelName, Level: level}
	}
	out := make([]Embedding, len(of))
	for i, in := range of {
		k := width * map[Level]int{Graphs: 1, Nodes: in.graph.NumNodes, Edges: in.graph.NumEdges()}[level]
		out[i] = Embedding{Width: width, Rows: append([]float32(nil), rows[:k]...)}
		rows = rows[k:]
	}
	return out, nil
}

// LevelError says that a model learns no vectors at a level.
type LevelError struct {
	Model string
	Level Level
}

func (e *LevelError) Error() string {
	return fmt.Sprintf("model %s learns no vectors of %ss of the graph", e.Model, e.Level)
}

// items turns the outputs of a level, which of takes, into n Items.
func (m *Model) items(o *model.Output, of func(*model.Output) *tensor.Tensor, n int) []Item {
	out := make([]Item, n)
	t, k := &m.settings.Target, m.settings.Model.Out
	rows := m.values(of(o))
	members := make([][]float32, len(o.Members))
	for j, one := range o.Members {
		members[j] = m.values(of(one))
	}
	spread := func(at int) float64 {
		values := make([]float32, len(members))
		for j, x := range members {
			values[j] = x[at]
		}
		return float64(task.Std(values))
	}
	for i := range out {
		x, row := &out[i], rows[i*k:][:k]
		if m.task.Number || t.Names != nil {
			for j, v := range row {
				if len(members) > 0 {
					x.Std = append(x.Std, spread(i*k+j))
				}
				if !m.task.Number {
					x.Probabilities = append(x.Probabilities, float64(v))
					continue
				}
				x.Values = append(x.Values, float64(v))
				if c := t.Conformal; c != nil {
					lower, upper := c.Interval(v, j)
					x.Lower, x.Upper = append(x.Lower, float64(lower)), append(x.Upper, float64(upper))
				}
			}
			continue
		}
		class := int(t.Decide(row))
		x.Class = m.className(class)
		for _, v := range row {
			x.Probabilities = append(x.Probabilities, float64(v))
		}
		if c := t.Conformal; c != nil {
			x.Set = []string{}
			for _, y := range c.Set(row) {
				x.Set = append(x.Set, m.className(int(y)))
			}
		}
		if len(members) > 0 {
			for _, of := range members {
				t.Decide(of[i*k:][:k])
			}
			x.Std = []float64{spread(i*k + class)}
		}
	}
	return out
}

// values are what is predicted, from rows of numbers or logits: numbers in the unit of the
// data, probabilities of labels, or those of classes before they are calibrated.
func (m *Model) values(rows *tensor.Tensor) []float32 {
	t := &m.settings.Target
	if !m.task.Number && t.Names == nil {
		return rows.Softmax().Data()
	}
	out := rows.Clone().Data()
	for i, v := range out {
		if m.task.Number {
			u := t.Units[i%len(t.Units)]
			out[i] = float32(float64(v)*u.Scale + u.Mean)
		} else {
			out[i] = float32(1 / (1 + math.Exp(-float64(v))))
		}
	}
	return out
}

// features turns rows that reconstruct the features of nodes or edges into Items: of codes
// the most probable one, else the numbers.
func (m *Model) features(rows *tensor.Tensor, of Level) []Item {
	out, k := make([]Item, rows.Dim(0)), rows.Dim(1)
	codes, offset := m.codes(of)
	if codes != k {
		for i := range out {
			for _, v := range rows.Data()[i*k:][:k] {
				out[i].Values = append(out[i].Values, float64(v))
			}
		}
		return out
	}
	prob := rows.Softmax().Data()
	for i := range out {
		row := prob[i*k:][:k]
		for _, v := range row {
			out[i].Probabilities = append(out[i].Probabilities, float64(v))
		}
		out[i].Class = strconv.Itoa(int(m.settings.Target.Decide(row)) + offset)
	}
	return out
}

// codes is the number of codes of nodes or edges in collections, and the label of the first.
func (m *Model) codes(of Level) (n, offset int) {
	switch g := m.settings.Data.Graphs; {
	case g == nil:
		return 0, 0
	case of == task.Edges:
		return g.EdgeCodes, g.EdgeOffset
	default:
		return g.NodeCodes, g.NodeOffset
	}
}

// className is the name of a class: its name in the data, the code of a feature, or its
// number.
func (m *Model) className(k int) string {
	if m.task.Reconstructs {
		_, offset := m.codes(m.task.Items)
		return strconv.Itoa(k + offset)
	}
	if names := m.settings.Target.Classes; k < len(names) {
		return names[k]
	}
	return strconv.Itoa(k)
}
