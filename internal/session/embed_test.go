package session

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// An edge has its last vector: later layers replace vectors of earlier layers for edges that are
// still in the graph.
func TestLastVectors(t *testing.T) {
	all := tensor.FromSlice([]float32{1, 1, 2, 2, 3, 3, 4, 4}, 4, 2)
	some := tensor.FromSlice([]float32{20, 20, 40, 40}, 2, 2)
	one := tensor.FromSlice([]float32{400, 400}, 1, 2)
	tests := []struct {
		name  string
		vecs  []model.EdgeVec
		edges int
		want  []float32
	}{
		{"one layer", []model.EdgeVec{{Rows: all}}, 4, []float32{1, 1, 2, 2, 3, 3, 4, 4}},
		{"two layers", []model.EdgeVec{{Rows: all}, {IDs: []int32{1, 3}, Rows: some}}, 4, []float32{1, 1, 20, 20, 3, 3, 40, 40}},
		{"three layers", []model.EdgeVec{{Rows: all}, {IDs: []int32{1, 3}, Rows: some}, {IDs: []int32{3}, Rows: one}}, 4, []float32{1, 1, 20, 20, 3, 3, 400, 400}},
		{"out of order", []model.EdgeVec{{Rows: all}, {IDs: []int32{3, 0}, Rows: some}}, 4, []float32{40, 40, 2, 2, 3, 3, 20, 20}},
		{"all dropped", []model.EdgeVec{{Rows: all}, {IDs: []int32{}, Rows: tensor.New(0, 2)}}, 4, []float32{1, 1, 2, 2, 3, 3, 4, 4}},
		{"no edges", []model.EdgeVec{{Rows: tensor.New(0, 2)}}, 0, nil},
	}
	for _, test := range tests {
		rows, width := (&model.Output{EdgeVecs: test.vecs}).Vectors("edge", test.edges)
		if width != 2 || !slices.Equal(rows, test.want) {
			t.Errorf("%s: %v of width %d, want %v", test.name, rows, width, test.want)
		}
	}
}

// The vectors of a part equal those of its graphs among all vectors, with the same ids.
func TestEmbedParts(t *testing.T) {
	dir, _ := trained(t, Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Seed: 1, Threads: 2, Given: quick().Over(settings.Values{"fold": 4})})
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []settings.Level{settings.Graphs, settings.Nodes, settings.Edges} {
		all, err := s.Embed(t.Context(), source.PartAll, level)
		if err != nil {
			t.Fatal(err)
		}
		test, err := s.Embed(t.Context(), source.PartTest, level)
		if err != nil {
			t.Fatal(err)
		}
		whole, part := testsets.CSVRows(t, all), testsets.CSVRows(t, test)
		var want []string
		for _, row := range whole {
			// Fold 4 tests graphs 6 and 7.
			if row[0] == '6' && row[1] == ',' || row[0] == '7' && row[1] == ',' {
				want = append(want, row)
			}
		}
		if len(want) == 0 || !slices.Equal(part, want) {
			t.Errorf("%s: the test part has\n%q\nthe same graphs of the whole\n%q", level, part, want)
		}
	}
	if _, err := s.Embed(t.Context(), "some", "edge"); !settings.IsUsage(err) {
		t.Errorf("an unknown part: %v", err)
	}
}
