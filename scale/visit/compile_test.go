package visit_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// program returns a run on a small graph, its program and a store of the graph.
func program(t *testing.T, model string, directed bool) (*session.Run, visit.Program, *store.Store) {
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

// A run without a program is an error with its name and advice.
func TestCompileRefuses(t *testing.T) {
	dir := t.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 30, Edges: 120, Features: true}.Write(t, dir)
	for _, test := range []struct {
		model string
		more  settings.Values
		want  string
	}{
		{"ehgnn-roles", settings.Values{"layers": 1}, "model ehgnn-roles cannot be run a block at a time"},
		{"gin-edge", settings.Values{"layers": 1}, "model gin-edge cannot be run a block at a time"},
		{"ehgnn-edge", settings.Values{"structure": []string{"degree"}}, "--structure none"},
		{"ehgnn-edge", settings.Values{"label-context": "on"}, "--label-context off"},
		{"ehgnn-edge", settings.Values{"members": 2}, "--members 1"},
	} {
		t.Run(test.want, func(t *testing.T) {
			test.more["epochs"] = 1
			r, err := session.LoadRun(tiny.Trained(t, dir, test.model, false, test.more))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := visit.Compile(r); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one of usage with %q", err, test.want)
			}
		})
	}
}

// A store with features of another encoder, or with another layout, is an error.
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

// Visits reuse their memory: allocations do not grow with edges and widths.
func TestMemory(t *testing.T) {
	if raceDetector {
		t.Skip("pools lose what they hold under the race detector")
	}
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		t.Run(model, func(t *testing.T) {
			r, p, _ := program(t, model, true)
			dir := filepath.Join(t.TempDir(), "store")
			if err := (tiny.Large{Nodes: 2000, Edges: 20000, Encoder: r.Settings.Data.Tables.Encoder, BlockEdges: 20000, Parts: 1}).Store(dir); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Block(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			part, err := s.Part(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			var res visit.Result
			var scatter visit.Scatter
			var rows, last []float32
			shift, width := kernel.FixedShift(1e3, s.Manifest.MostEntries), p.MessageWidth(0)
			total := visit.NewTotal(len(part.IDs), width, shift)
			nodes := [2][]float32{make([]float32, b.NumNodes()*p.NodeWidth(0)), make([]float32, b.NumNodes()*p.NodeWidth(1))}
			once := func() {
				if err := p.Block(0, b, visit.All, nodes[0], nil, &res); err != nil {
					t.Fatal(err)
				}
				if err := scatter.Each(b, visit.All, res.Messages(p, 0), width, shift, nil, total.Add); err != nil {
					t.Fatal(err)
				}
				if last, err = p.Part(0, part, nil, nil, last); err != nil {
					t.Fatal(err)
				}
				if rows, err = p.Part(1, part, last, total, rows); err != nil {
					t.Fatal(err)
				}
				if err := p.Block(1, b, visit.All, nodes[1], res.State, &res); err != nil {
					t.Fatal(err)
				}
			}
			once()
			once()
			const times = 10
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range times {
				once()
			}
			runtime.ReadMemStats(&after)
			// Rows for all edges would be 640 kB.
			if n := (after.TotalAlloc - before.TotalAlloc) / times; n > 200<<10 {
				t.Errorf("%d bytes for a round of visits", n)
			}
		})
	}
}
