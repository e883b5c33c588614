package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Edge attributes are reconstructed as numbers. The run learns, and its predictions have one vector
// for each edge.
func TestReconstructAttributes(t *testing.T) {
	files := testsets.TUFiles(testsets.EdgeClass(t, 20))
	var b strings.Builder
	for i := range strings.Count(files["edge_labels"], "\n") {
		fmt.Fprintf(&b, "%d.5, %d\n", (i/2)%3, 1-(i/2)%2)
	}
	files["edge_attributes"] = b.String()
	delete(files, "edge_labels")
	path := testsets.WriteSet(t, t.TempDir(), "SET", files)
	o := quick()
	o["epochs"], o["hidden"], o["lr"], o["standardise"] = 30, 8, 0.02, false
	dir, res := trained(t, Request{Path: path, Model: "hypercluster", Seed: 5, Threads: 2, Given: o})
	first, last := epochLoss(t, dir, 0), epochLoss(t, dir, 29)
	if !(last < first/2) || len(res.Test) != 1 || res.Test[0].Name != "loss" {
		t.Errorf("loss from %v to %v, test %v", first, last, res.Test)
	}
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for _, g := range testsets.EdgeClass(t, 20) {
		edges += g.NumEdges()
	}
	if table.Rows() != edges || testsets.CSVHeader(t, table) != "graph,source,target,part,prediction_0,prediction_1,cluster" {
		t.Errorf("%d rows, columns %v; want %d rows with graph, source, target and prediction", table.Rows(), table.Columns, edges)
	}
}

// Every model and task stops when its context is cancelled.
func TestCancelledUse(t *testing.T) {
	path := foldSet(t, "SET", 20)
	ctx, cancel := context.WithCancel(t.Context())
	s := mustOpen(t, Request{Path: path, Model: "hyperdrop", Given: quick()})
	cancel()
	if _, err := s.Evaluate(ctx, source.PartTest); err != context.Canceled {
		t.Errorf("Evaluate: %v", err)
	}
	if _, err := s.Predict(ctx, source.PartTest); err != context.Canceled {
		t.Errorf("Predict: %v", err)
	}
	if _, err := s.Embed(ctx, source.PartTest, "edge"); err != context.Canceled {
		t.Errorf("Embed: %v", err)
	}
	if _, err := Open(ctx, Request{Path: path, Model: "hyperdrop"}); err != context.Canceled {
		t.Errorf("Open: %v", err)
	}
}
