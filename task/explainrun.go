package task

import (
	"context"
	"strconv"

	"github.com/ehgnn/ehgnn/graph"
)

// Recorded is the method that says what a model kept, dropped and clustered (Session.Record),
// which is no explanation by itself.
const Recorded = "record"

// Explain is Session.Explain or, for the method Recorded, Session.Record of one graph that is
// encoded as those of the training were. Its nodes are named by their numbers.
func (r *Run) Explain(ctx context.Context, g *graph.Graph, method, target string, threads int) (*GraphRecord, error) {
	t, err := FindTask(r.Settings.Task)
	if err != nil {
		return nil, err
	}
	s := &Session{Settings: r.Settings, Model: r.Model, Threads: threads, task: t, spec: r.Settings.spec()}
	nodes := make([]string, g.NumNodes)
	for v := range nodes {
		nodes[v] = strconv.Itoa(v)
	}
	out := []GraphRecord{s.sketch(g, "", nodes)}
	if method == Recorded {
		return &out[0], s.record(ctx, &Part{Graphs: []*graph.Graph{g}}, out)
	}
	if !s.Explains() {
		return nil, misuse("task: method %s explains predictions for graphs, this run has the task %s; the method %s shows what its model did", method, t.Name, Recorded)
	}
	x := &explained{session: s, graph: g, method: method}
	out[0].Explanation, err = x.explain(ctx, target)
	return &out[0], err
}
