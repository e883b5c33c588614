package task

import (
	"context"
	"strconv"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/report"
)

// Recorded is the method that says what a model kept, dropped and clustered (Session.Record),
// which is no explanation by itself.
const Recorded = "record"

// Explain is Session.Explain of one graph, Session.ExplainItems of one node or edge, empty for the
// first, or for the method Recorded Session.Record. The graph is encoded as those of the training
// were and in the form of the data; its nodes are named by names, or for nil by their numbers.
func (r *Run) Explain(ctx context.Context, g *graph.Graph, names []string, method, target, item string, threads int) (*GraphRecord, error) {
	t, err := FindTask(r.Settings.Task)
	if err != nil {
		return nil, err
	}
	s := &Session{Settings: r.Settings, Model: r.Model, Threads: threads, task: t, spec: r.Settings.spec()}
	if names == nil {
		for v := range g.NumNodes {
			names = append(names, strconv.Itoa(v))
		}
	}
	switch {
	case method == Recorded:
		if s.spec.Form != nil {
			if g, err = s.spec.Form(g); err != nil {
				return nil, err
			}
		}
		out := []GraphRecord{s.sketch(g, "", names)}
		return &out[0], s.record(ctx, &Part{Graphs: []*graph.Graph{g}}, out)
	case !s.Explains():
		return nil, Misuse("task: method %s explains predictions, this run has the task %s; the method %s shows what its model did", method, t.Name, Recorded)
	case t.Items == Graphs:
		out := s.sketch(g, "", names)
		x := &explained{session: s, graph: g, method: method}
		out.Explanation, err = x.explain(ctx, target)
		return &out, err
	}
	p := alone(g, names)
	var named []string
	if item != "" {
		named = []string{item}
	}
	items, err := s.namedItems("the request", p, 0, named)
	if err != nil {
		return nil, err
	}
	out, err := s.explainItem(ctx, p, 0, items[0], method, target)
	return &out, err
}

// alone is a part of one graph that has no name and whose edges have numbers.
func alone(g *graph.Graph, names []string) *Part {
	return &Part{Graphs: []*graph.Graph{g}, Name: func(items Items, at []Place) []report.Column {
		number, first, second := make([]int, len(at)), make([]string, len(at)), make([]string, len(at))
		for i, place := range at {
			switch number[i] = place.Item; items {
			case Nodes:
				first[i] = names[place.Item]
			case Edges:
				first[i], second[i] = names[g.Ends[2*place.Item]], names[g.Ends[2*place.Item+1]]
			}
		}
		if items == Edges {
			return []report.Column{report.Ints("edge", number), report.Strings("source", first), report.Strings("target", second)}
		}
		return []report.Column{report.Strings(string(items), first)}
	}}
}
