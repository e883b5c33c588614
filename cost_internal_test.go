package ehgnn

import (
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/task"
)

// What a model takes lies below what it is estimated to take, and not far below.
func TestCost(t *testing.T) {
	ring := &Graph{NumNodes: 1000}
	star := &Graph{NumNodes: 301}
	for v := range int32(1000) {
		ring.Ends = append(ring.Ends, v, (v+1)%1000, v, (v+7)%1000)
	}
	for v := range int32(300) {
		star.Ends = append(star.Ends, 0, v+1)
	}
	for _, test := range []struct {
		model string
		given task.Values
	}{
		{"gcn", nil}, {"gine", nil}, {"gat", nil}, {"hyperdrop", nil}, {"hypercluster-graph", nil}, {"mincutpool", nil}, {"gmt", nil}, {"asap", nil},
		{"hyperdrop", task.Values{"edge-conv": "line:gcn"}},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		s, err := task.Open(t.Context(), task.Request{Path: filepath.Join("testdata", "sets", "RINGS"), Model: test.model, Seed: 1, Threads: 1,
			Given: task.Values{"epochs": 1, "hidden": 64}.Over(test.given)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Train(t.Context(), task.TrainOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		for name, g := range map[string]*Graph{"ring": ring, "star": star} {
			m, err := Open(t.Context(), dir, Options{Parallel: 1})
			if err != nil {
				t.Fatal(err)
			}
			nodes, edges := make(Numbers, g.NumNodes), make(Numbers, len(g.Ends)/2)
			for v := range nodes {
				nodes[v] = 5
			}
			for e := range edges {
				edges[e] = 1
			}
			g.Node, g.Edge = Columns{"label": nodes}, Columns{"label": edges}
			if _, err := m.Predict(t.Context(), g); err != nil {
				t.Fatal(err)
			}
			took, cost := float64((<-m.arenas).Bytes()), m.Cost(g)
			t.Logf("%s %v, %s: %.0f KiB, estimated %.0f KiB", test.model, test.given, name, took/1024, cost/1024)
			if cost < 0.9*took || cost > 16*took+1<<20 {
				t.Errorf("%s %v, %s: takes %.0f KiB, estimated %.0f KiB", test.model, test.given, name, took/1024, cost/1024)
			}
		}
	}
}
