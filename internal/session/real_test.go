package session

import (
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/internal/realdata"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// MUTAG as published: the test trains a run and then uses it in every way.
func TestMUTAG(t *testing.T) {
	path := realdata.Path(t, "tu", "MUTAG.zip")
	dir, res := trained(t, Request{Path: path, Model: "hyperdrop", Seed: 42, Threads: 2, Given: settings.Values{"epochs": 2, "constant-lr": true}})
	if res.Dataset != "MUTAG" || res.Epochs != 2 {
		t.Errorf("result %+v", res)
	}
	s, err := Load(t.Context(), dir, source.LoadOptions{Data: path, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{source.PartTrain: 152, source.PartValid: 18, source.PartTest: 18, source.PartAll: 188} {
		e, err := s.Evaluate(t.Context(), part)
		if err != nil || e.Graphs != want {
			t.Errorf("Evaluate(%s) = %+v, %v; want %d graphs", part, e, err, want)
			continue
		}
		// Two epochs learn little, but the accuracy should not be clearly below chance.
		if a, ok := e.Scores.Get("accuracy"); !ok || a < 0.4 {
			t.Errorf("accuracy on %s is %v", part, a)
		}
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil || table.Rows() != 188 {
		t.Fatalf("%d predictions, %v; want 188", table.Rows(), err)
	}
	// 3371 atoms and 3721 bonds, which are half of the 7442 arcs.
	for level, want := range map[settings.Level]int{settings.Graphs: 188, settings.Nodes: 3371, settings.Edges: 3721} {
		table, err := s.Embed(t.Context(), source.PartAll, level)
		if err != nil || table.Rows() != want {
			t.Errorf("%d vectors of %ss, %v; want %d", table.Rows(), level, err, want)
		}
		if level == settings.Edges {
			if err := report.WriteTable(filepath.Join(t.TempDir(), "edges.arrow"), table); err != nil {
				t.Error(err)
			}
		}
	}
}

// ZINC in its three parts, with the authors' settings: after one epoch most bond types are correct.
func TestZINC(t *testing.T) {
	path := realdata.Path(t, "zinc12k")
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, res := trained(t, Request{Path: path, Model: "hypercluster", Seed: 42, Threads: 2, Given: settings.Values{"epochs": 1}})
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := s.Settings.Model
	if setting[int](m, "clusters") != 8 || m.Node != 28 || m.Edge != 5 || setting[int](m, "hidden") != 32 || s.Settings.Data.Name != "ZINC" || s.TrainGraphs() != 10000 {
		t.Errorf("settings %+v", s.Settings)
	}
	accuracy, _ := res.Test.Get("accuracy")
	if accuracy < 0.5 {
		t.Errorf("accuracy %v on the edges to test", accuracy)
	}
	table, err := s.Embed(t.Context(), source.PartTest, "edge")
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for _, g := range s.Graphs(source.PartTest) {
		edges += g.NumEdges()
	}
	if table.Rows() != edges {
		t.Errorf("%d vectors of edges, want %d", table.Rows(), edges)
	}
}
