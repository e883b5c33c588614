package ehgnn_test

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// 16 goroutines share a model with fewer arenas; each graph has the same bits always.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(sets, "RINGS")
	for _, name := range []string{"hyperdrop", "gmt", "randdrop", "gat", "gine-residual", "haarpool"} {
		m := open(t, trained(t, session.Request{Path: path, Model: name}), ehgnn.Options{Parallel: 5})
		graphs := collection(t, m, path)
		want, err := m.Predict(t.Context(), graphs...)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for k := range 16 {
			wg.Go(func() {
				for round := range 4 {
					i := (k + 5*round) % len(graphs)
					got, err := m.Predict(context.Background(), graphs[i])
					if err != nil || !slices.Equal(got[0].Probabilities, want[i].Probabilities) {
						t.Errorf("%s, graph %d: %v, %v; alone %v", name, i, got, err, want[i].Probabilities)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Memory stays as it is however many predictions there are.
func TestMemory(t *testing.T) {
	m := open(t, trained(t, session.Request{Path: filepath.Join(sets, "RINGS"), Model: "hyperdrop"}), ehgnn.Options{Parallel: 1})
	graphs := collection(t, m, filepath.Join(sets, "RINGS"))
	heap := func(calls int) uint64 {
		for range calls {
			if _, err := m.Predict(t.Context(), graphs...); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap(20)
	if after := heap(200); after > before+1<<20 {
		t.Errorf("the heap grows from %d to %d bytes", before, after)
	}
}

// One prediction for a graph of the size of a molecule.
func BenchmarkPredict(b *testing.B) {
	path := filepath.Join(sets, "RINGS")
	for _, name := range []string{"hyperdrop", "gcn", "hyperdrop-gmt"} {
		b.Run(name, func(b *testing.B) {
			dir := trained(b, session.Request{Path: path, Model: name, Given: settings.Values{"hidden": 128}})
			m := open(b, dir, ehgnn.Options{})
			g := molecule()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Predict(b.Context(), g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// molecule is a graph of 23 nodes and 25 edges.
func molecule() *ehgnn.Graph {
	g := &ehgnn.Graph{NumNodes: 23}
	var nodes, edges ehgnn.Numbers
	for v := range int32(23) {
		nodes = append(nodes, float64(5+v%2))
		g.Ends = append(g.Ends, v, (v+1)%23)
		edges = append(edges, float64(1+v%2))
	}
	g.Ends = append(g.Ends, 0, 5, 8, 13)
	edges = append(edges, 1, 2)
	g.Node, g.Edge = ehgnn.Columns{"label": nodes}, ehgnn.Columns{"label": edges}
	return g
}
