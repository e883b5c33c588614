package ehgnn

import (
	"context"
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// Prediction is the prediction for a graph, its nodes or its edges.
type Prediction struct {
	// Item is the prediction for the graph, if the run predicts for graphs (Model.Level).
	Item
	// Nodes and Edges are the predictions for its nodes or edges, in their order. A run that
	// reconstructs graphs has both.
	Nodes []Item `json:"nodes,omitempty"`
	Edges []Item `json:"edges,omitempty"`
	// Unseen counts the categories that do not occur in training. The model treats them as missing.
	Unseen []Unseen `json:"unseen,omitempty"`
	// Remarks are the remarks of the graph, and remarks on edges that lack a time or a group.
	Remarks []string `json:"remarks,omitempty"`
}

// Unseen counts the nodes or edges that have an attribute with a category that training lacks. It
// names the first such category if that is known.
type Unseen = tables.Unseen

// Item is the prediction for one graph, node or edge: its class with Probabilities in the order of
// Model.Classes, or the probabilities of labels or the Values in the order of Model.Targets.
type Item = task.Item

// Embedding holds learned vectors of a graph.
type Embedding struct {
	Width int
	// Rows holds the vectors one after the other: that of the graph, or those of its nodes or edges
	// in their order.
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

// Embed returns the learned vectors of graphs at a level. It returns a *LevelError if the model
// learns none there.
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

// each runs the model on each graph by itself and calls f for each. Calls of f may overlap. The
// error names the graph that caused it.
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

// largeLoad is the smallest load, in bytes, for which fits asks how much memory is free.
const largeLoad = 64 << 20

// fits returns an error if the model certainly needs more memory for a graph than is free.
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

// predictions turns the output for graphs into one Prediction each.
func (m *Model) predictions(o *model.Output, of []*Input) []Prediction {
	var graphs, nodes, edges []Item
	switch {
	case m.task.Reconstructs && m.task.Level == settings.Graphs:
		nodes, edges = m.items(o, settings.Nodes), m.items(o, settings.Edges)
	case m.task.Level == settings.Nodes:
		nodes = m.items(o, settings.Nodes)
	case m.task.Level == settings.Edges:
		edges = m.items(o, settings.Edges)
	default:
		graphs = m.items(o, settings.Graphs)
	}
	out := make([]Prediction, len(of))
	for i, in := range of {
		out[i].Unseen, out[i].Remarks = in.unseen, in.said
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

// embeddings returns the learned vectors of graphs at a level.
func (m *Model) embeddings(o *model.Output, level Level, of []*Input) ([]Embedding, error) {
	edges := lists.SumOf(of, func(in *Input) int { return in.graph.NumEdges() })
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

// items reads the output for nodes, edges or graphs.
func (m *Model) items(o *model.Output, level Level) []Item {
	outputs := task.NewOutputs(&m.settings, level, o)
	out := make([]Item, outputs.Len())
	for i := range out {
		outputs.Read(i, &out[i])
	}
	return out
}

// codes returns the number of codes of nodes or edges in collections, and the label of the first
// code.
func (m *Model) codes(of Level) (n, offset int) {
	switch g := m.settings.Data.Graphs; {
	case g == nil:
		return 0, 0
	case of == settings.Edges:
		return g.EdgeCodes, g.EdgeOffset
	default:
		return g.NodeCodes, g.NodeOffset
	}
}

// className returns the name of class k: its name in the data, the code of a feature, or its
// number.
func (m *Model) className(k int) string {
	if m.task.Reconstructs {
		_, offset := m.codes(m.task.Level)
		return strconv.Itoa(k + offset)
	}
	if names := m.settings.Target.Classes; k < len(names) {
		return names[k]
	}
	return strconv.Itoa(k)
}
