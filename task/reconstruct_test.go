package task

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// pathBatch is a batch of a path of three edges, a graph without edges, and a
// single edge, with the given edge features.
func pathBatch(t *testing.T, edge func(from, to int) graph.Features) *graph.Batch {
	t.Helper()
	b, err := graph.Collate([]*graph.Graph{
		{NumNodes: 4, Ends: []int32{0, 1, 1, 2, 2, 3}, Node: graph.Ones(4), Edge: edge(0, 3)},
		{NumNodes: 1, Node: graph.Ones(1), Edge: edge(3, 3)},
		{NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Ones(2), Edge: edge(3, 4)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Types are scored by cross-entropy, the share of right edges, and the share of
// graphs with edges that are right in all of them.
func TestEdgeTypes(t *testing.T) {
	codes := []int32{0, 2, -1, 1} // the third edge has no type
	b := pathBatch(t, func(from, to int) graph.Features { return graph.Features{Code: codes[from:to], Codes: []int{3}} })
	target := features{Edges, true, 3}
	out := tensor.FromSlice([]float32{
		2, 0, 0, // right
		0, 0, 1, // right
		9, 0, 0, // does not count
		3, 1, 0, // wrong
	}, 4, 3)
	nll := func(k int, row ...float64) float64 {
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v)
		}
		return math.Log(sum) - row[k]
	}
	total := nll(0, 2, 0, 0) + nll(2, 0, 0, 1) + nll(1, 3, 1, 0)
	want := []struct {
		name          string
		total, weight float64
	}{{"loss", total, 3}, {"accuracy", 2, 3}, {"all_right", 1, 2}}
	for i, s := range target.score(out, b).all() {
		if s.Name != want[i].name || math.Abs(s.Total-want[i].total) > 1e-5 || s.Weight != want[i].weight {
			t.Errorf("score %+v, want %+v", s, want[i])
		}
	}
	loss, weight := target.loss(out, b)
	if weight != 3 || math.Abs(float64(loss.Item())-total/3) > 1e-5 {
		t.Errorf("loss %v of %v edges, want %v of 3", loss.Item(), weight, total/3)
	}
	none := pathBatch(t, func(from, to int) graph.Features {
		return graph.Features{Code: []int32{-1, -1, -1, -1}[from:to], Codes: []int{3}}
	})
	if _, weight := target.loss(out, none); weight != 0 {
		t.Errorf("edges without types weigh %v", weight)
	}
}

// Features that are no types are scored by squared error.
func TestEdgeFeatures(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	b := pathBatch(t, func(from, to int) graph.Features { return graph.Features{Dense: values[2*from : 2*to], Dim: 2} })
	target := features{Edges, false, 2}
	out := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7, 12}, 4, 2)
	loss, weight := target.loss(out, b)
	if weight != 4 || loss.Item() != 16.0/8 {
		t.Errorf("loss %v of %v edges, want 2 of 4", loss.Item(), weight)
	}
	sums := target.score(out, b).all()
	if len(sums) != 1 || sums[0].Name != "loss" || sums[0].Total != 8 || sums[0].Weight != 4 {
		t.Errorf("scores %+v", sums)
	}
}

// A batch without edges has the scores, of no weight.
func TestNoEdges(t *testing.T) {
	for _, coded := range []bool{true, false} {
		f := graph.Features{Dim: 2}
		if coded {
			f = graph.Features{Codes: []int{2}, Code: []int32{}}
		}
		b, err := graph.Collate([]*graph.Graph{{NumNodes: 2, Node: graph.Ones(2), Edge: f}})
		if err != nil {
			t.Fatal(err)
		}
		want := "loss"
		if coded {
			want = "loss accuracy all_right"
		}
		var names []string
		for _, s := range (features{Edges, coded, 2}).score(tensor.New(0, 2), b).all() {
			names = append(names, s.Name)
			if s.Weight != 0 || s.Total != 0 {
				t.Errorf("%+v of no edges", s)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("scores %q, want %q", got, want)
		}
	}
}

// Edge attributes are predicted back as numbers: a run on them learns, and its
// predictions have one vector an edge.
func TestReconstructAttributes(t *testing.T) {
	files := tuFiles(edgeClass(t, 20))
	var b strings.Builder
	for i := range strings.Count(files["edge_labels"], "\n") {
		fmt.Fprintf(&b, "%d.5, %d\n", (i/2)%3, 1-(i/2)%2)
	}
	files["edge_attributes"] = b.String()
	delete(files, "edge_labels")
	path := writeSet(t, t.TempDir(), "SET", files)
	o := quick()
	o["epochs"], o["hidden"], o["lr"], o["standardise"] = 30, 8, 0.02, false
	dir, res := trained(t, Request{Path: path, Model: "hypercluster", Seed: 5, Threads: 2, Given: o})
	first, last := epochLoss(t, dir, 0), epochLoss(t, dir, 29)
	if !(last < first/2) || len(res.Test) != 1 || res.Test[0].Name != "loss" {
		t.Errorf("loss from %v to %v, test %v", first, last, res.Test)
	}
	s, err := Load(t.Context(), dir, LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), PartAll)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for _, g := range edgeClass(t, 20) {
		edges += g.NumEdges()
	}
	if table.Rows() != edges || csvHeader(t, table) != "graph,source,target,part,prediction_0,prediction_1,cluster" {
		t.Errorf("%d rows, columns %v; want %d rows with graph, source, target and prediction", table.Rows(), table.Columns, edges)
	}
}

// Every model and task ends when its context does.
func TestCancelledUse(t *testing.T) {
	path := foldSet(t, "SET", 20)
	ctx, cancel := context.WithCancel(t.Context())
	s := mustOpen(t, Request{Path: path, Model: "hyperdrop", Given: quick()})
	cancel()
	if _, err := s.Evaluate(ctx, PartTest); err != context.Canceled {
		t.Errorf("Evaluate: %v", err)
	}
	if _, err := s.Predict(ctx, PartTest); err != context.Canceled {
		t.Errorf("Predict: %v", err)
	}
	if _, err := s.Embed(ctx, PartTest, "edge"); err != context.Canceled {
		t.Errorf("Embed: %v", err)
	}
	if _, err := Open(ctx, Request{Path: path, Model: "hyperdrop"}); err != context.Canceled {
		t.Errorf("Open: %v", err)
	}
}
