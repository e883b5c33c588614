package visit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/task"
)

// program is a run on a small graph, its program and a store of the graph.
func program(t *testing.T, model string, directed bool) (*task.Run, visit.Program, *store.Store) {
	t.Helper()
	dir := t.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 30, Edges: 120, Directed: directed, Features: true}.Write(t, dir)
	run := tiny.Trained(t, dir, model, directed, nil)
	weights, err := os.ReadFile(filepath.Join(run, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	r, p, err := visit.Decode(weights)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(tiny.Packed(t, dir, run, store.Options{BlockEdges: 50, Parts: 2}))
	if err != nil {
		t.Fatal(err)
	}
	return r, p, s
}

// A number that is not finite is an error with the number of the edge.
func TestNotFinite(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
		t.Run(model, func(t *testing.T) {
			_, p, s := program(t, model, true)
			b, err := s.Block(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			inf := float32(1)
			for range 200 {
				inf *= 10
			}
			const edge = 7
			b.Edge.Dense[edge*b.Edge.Dim] = inf
			nodes := make([]float32, b.NumNodes()*p.NodeWidth(0))
			err = p.Block(0, b, visit.All, nodes, nil, &visit.Result{})
			if err == nil || !strings.Contains(err.Error(), "edge 57: ") || !strings.Contains(err.Error(), "is not finite") {
				t.Errorf("error %v, want one that names edge 57", err)
			}
		})
	}
}

// Runs that have no program are refused by name, with what to do.
func TestCompileRefuses(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 30, Edges: 120, Features: true}.Write(t, dir)
	for _, test := range []struct {
		model string
		more  task.Values
		want  string
	}{
		{"ehgnn-roles", task.Values{"layers": 1}, "model ehgnn-roles cannot be run a block at a time"},
		{"gin-edge", task.Values{"layers": 1}, "model gin-edge cannot be run a block at a time"},
		{"ehgnn-edge", task.Values{"structure": []string{"degree"}}, "--structure none"},
		{"ehgnn-edge", task.Values{"label-context": "on"}, "--label-context off"},
		{"ehgnn-edge", task.Values{"node-embedding": 4}, "--node-embedding 0"},
		{"ehgnn-edge", task.Values{"members": 2}, "--members 1"},
	} {
		t.Run(test.want, func(t *testing.T) {
			test.more["epochs"] = 1
			r, err := task.LoadRun(tiny.Trained(t, dir, test.model, false, test.more))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := visit.Compile(r); err == nil || !task.IsUsage(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one of usage with %q", err, test.want)
			}
		})
	}
}

// A store with features of another encoder, or of another form, is refused.
func TestCheck(t *testing.T) {
	r, _, s := program(t, "mlp-edge", true)
	if err := visit.Check(r, &s.Manifest); err != nil {
		t.Error(err)
	}
	m := s.Manifest
	m.Directed = false
	if err := visit.Check(r, &m); err == nil {
		t.Error("an undirected store is taken for a run on a directed graph")
	}
	m = s.Manifest
	other := *m.Encoder
	other.Mean++
	m.Encoder = &other
	if err := visit.Check(r, &m); err == nil || !strings.Contains(err.Error(), "--run") {
		t.Errorf("another encoder: %v", err)
	}
}
