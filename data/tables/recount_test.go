package tables_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph/structure"
)

// Columns that are counted again from all edges equal those of the input. Counted from fewer edges they differ.
// Counting for some edges and some columns gives the same values there and changes nothing else.
func TestRecount(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	s := read(t, tables.Options{Time: "time"}, "edges.csv", text(randomRows(r, 80)))
	split, err := s.Split(tables.SplitOptions{Fractions: [3]float64{0.6, 0.2, 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []tables.InputOptions{{}, {Transductive: true}} {
		e, err := s.Fit(split.Train)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.FitStructure(e, split, structure.Groups(), o); err != nil {
			t.Fatal(err)
		}
		if err := s.FitTimes(e, split, false, true, o); err != nil {
			t.Fatal(err)
		}
		in, err := s.Input(e, split, tables.Test, o)
		if err != nil {
			t.Fatal(err)
		}
		recount := func(keep func(i int32) bool, again tables.Recounted) []float32 {
			var edges []int32
			for i := range int32(in.Graph.NumEdges()) {
				if keep(i) {
					edges = append(edges, i)
				}
			}
			g, err := in.Recount(s, e, in.Graph.WithEdges(keep), edges, again, 2)
			if err != nil {
				t.Fatal(err)
			}
			return g.Edge.Dense
		}
		width := in.Graph.Edge.Dim
		all := func(int32) bool { return true }
		if got := recount(all, tables.Recounted{}); !slices.Equal(got, in.Graph.Edge.Dense) {
			t.Errorf("%+v: counted again from the same edges, columns are others", o)
		}
		third := func(i int32) bool { return i%3 > 0 }
		full, stale := recount(third, tables.Recounted{}), in.Graph.WithEdges(third).Edge.Dense
		if slices.Equal(full, stale) {
			t.Errorf("%+v: columns do not change with the edges", o)
		}
		reads := make([]bool, width)
		for c := range reads {
			reads[c] = c%2 == 0 && c < width-len(e.Times.Fields)
		}
		for name, again := range map[string]tables.Recounted{"columns": {Reads: reads}, "edges": {Edges: []int32{5}}, "both": {reads, []int32{5}}} {
			got := recount(third, again)
			for i := range len(got) {
				row, column := i/width, i%width
				structured := column < width-len(e.Times.Fields)
				switch {
				case again.Reads != nil && !again.Reads[column], structured && again.Edges != nil && row != 5 && o.Transductive:
					if got[i] != stale[i] {
						t.Fatalf("%+v, %s: row %d has another column %d, which is not read", o, name, row, column)
					}
				case structured && (again.Edges == nil || row == 5), !structured:
					if got[i] != full[i] {
						t.Fatalf("%+v, %s: row %d has %v in column %d, expected %v", o, name, row, got[i], column, full[i])
					}
				}
			}
		}
	}
}
