package experiment

import (
	"context"
	"errors"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
)

// The rows have the paper's sizes and numbers, and times above zero. The test does not check the
// times themselves.
func TestTransformTime(t *testing.T) {
	if testing.Short() {
		t.Skip("builds line graphs of millions of pairs")
	}
	rows, err := measureTransforms(t.Context(), 1, 42)
	if err != nil {
		t.Fatal(err)
	}
	line := []float64{32.78, 65.93, 131.36, 260.92, 527.44, 1071.31}
	dual := []float64{0.13, 0.18, 0.26, 0.45, 0.81, 1.37}
	if len(rows) != len(line) {
		t.Fatalf("%d rows, want %d", len(rows), len(line))
	}
	for i, r := range rows {
		if r.Edges != 2000<<i || r.PaperLine != line[i] || r.PaperDual != dual[i] {
			t.Errorf("row %d is %+v", i, r)
		}
		if !(r.LineGraph > 0 && r.Dual > 0 && r.Index > 0 && r.Copy > 0) {
			t.Errorf("row %d has times that are not above zero: %+v", i, r)
		}
		g, err := synth.ErdosRenyi(1000, r.Edges, 42)
		if err != nil {
			t.Fatal(err)
		}
		if want := len(graph.LineGraph(1000, g.Ends)) / 2; r.LinePairs != want {
			t.Errorf("row %d has %d pairs in the line graph, want %d", i, r.LinePairs, want)
		}
	}
}

func TestMessageTime(t *testing.T) {
	rows, err := measureMessages(t.Context(), 2, 2, 42)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Graph != "Erdos-Renyi" || rows[1].Graph != "Barabasi-Albert" {
		t.Fatalf("rows %+v", rows)
	}
	for _, r := range rows {
		if r.Nodes != 3000 || r.Edges != 11984 || !(r.NodeTime > 0 && r.EdgeTime > 0) {
			t.Errorf("row %+v, want 3000 nodes, 11984 edges and times above zero", r)
		}
	}
}

// A measurement stops when its context is cancelled.
func TestTimingCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measureTransforms(ctx, 1, 42); !errors.Is(err, context.Canceled) {
		t.Errorf("TransformTime: %v", err)
	}
	if _, err := measureMessages(ctx, 1, 1, 42); !errors.Is(err, context.Canceled) {
		t.Errorf("MessageTime: %v", err)
	}
	if _, err := Demo.Run(ctx, Env{Seed: 42, Threads: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Demo: %v", err)
	}
}

// fastest repeats the call often enough for the clock, after one call to warm up.
func TestFastest(t *testing.T) {
	calls := 0
	if took := fastest(3, func() { calls++ }); calls < 4 || took < 0 {
		t.Errorf("%d calls, %v seconds", calls, took)
	}
}
