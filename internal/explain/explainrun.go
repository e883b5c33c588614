package explain

import (
	"context"
	"strconv"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Recorded is the method that returns a record of edges kept, dropped and clustered (Record). It is
// not an explanation.
const Recorded = "record"

// One is Graphs for one graph, Items for one node or edge (empty for the first), or Record for the
// method Recorded. The graph is encoded like the training graphs and has the form of the data.
// names are the names of its nodes; nil for their numbers.
func One(r *session.Run, ctx context.Context, g *graph.Graph, names []string, method, target, item string, threads int) (*GraphRecord, error) {
	s, err := sessionOf(r, threads)
	if err != nil {
		return nil, err
	}
	t := s.Task
	if names == nil {
		for v := range g.NumNodes {
			names = append(names, strconv.Itoa(v))
		}
	}
	switch {
	case method == Recorded:
		if s.Spec.Form != nil {
			if g, err = s.Spec.Form(g); err != nil {
				return nil, err
			}
		}
		out := []GraphRecord{sketch(s, g, "", names)}
		return &out[0], record(s, ctx, &source.Part{Graphs: []*graph.Graph{g}}, out)
	case !Explains(s):
		return nil, settings.Misuse("method %s explains predictions, this run has the task %s; the method %s shows what its model did", method, t.Name, Recorded)
	case t.Level == settings.Graphs:
		out := sketch(s, g, "", names)
		x := &explained{session: s, graph: g, method: method}
		out.Explanation, err = x.explain(ctx, target)
		return &out, err
	}
	p := singleGraphPart(g, names)
	var named []string
	if item != "" {
		named = []string{item}
	}
	items, err := namedItems(s, "the request", p, 0, named)
	if err != nil {
		return nil, err
	}
	out, err := explainItem(s, ctx, p, 0, items[0], method, target)
	return &out, err
}

// singleGraphPart is a part of one graph without a name, whose edges have numbers.
func singleGraphPart(g *graph.Graph, names []string) *source.Part {
	return &source.Part{Graphs: []*graph.Graph{g}, Name: func(items settings.Level, at []source.Place) []report.Column {
		number, first, second := make([]int, len(at)), make([]string, len(at)), make([]string, len(at))
		for i, place := range at {
			switch number[i] = place.Item; items {
			case settings.Nodes:
				first[i] = names[place.Item]
			case settings.Edges:
				first[i], second[i] = names[g.Ends[2*place.Item]], names[g.Ends[2*place.Item+1]]
			}
		}
		if items == settings.Edges {
			return []report.Column{report.Ints("edge", number), report.Strings("source", first), report.Strings("target", second)}
		}
		return []report.Column{report.Strings(string(items), first)}
	}}
}

// sessionOf returns a session of a run without data.
func sessionOf(r *session.Run, threads int) (*session.Session, error) {
	t, err := task.FindTask(r.Settings.Task)
	if err != nil {
		return nil, err
	}
	return &session.Session{Settings: r.Settings, Model: r.Model, Threads: threads, Task: t, Spec: r.Settings.Spec()}, nil
}
