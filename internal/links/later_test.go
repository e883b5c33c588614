package links

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows later than a part, and held-out rows of any part, do not change the training graph's columns
// of any candidate.
func TestLaterRowsChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for i := range 60 {
		table := randomTable(r, []Kind{Undirected, Directed, Bipartite}[i%3])
		d, err := NewData(table)
		if err != nil {
			t.Fatal(err)
		}
		s, err := SplitTime(d, [3]float64{0.6, 0.2, 0.2})
		if err != nil {
			continue
		}
		less := table
		less.Ends, less.Time = nil, nil
		for row, time := range table.Time {
			if time <= s.Cut[0] {
				less.Ends, less.Time = append(less.Ends, table.Ends[2*row:2*row+2]...), append(less.Time, time)
			}
		}
		less.Target = nil
		if table.Kind == Bipartite {
			less.Target = make([]bool, len(table.IDs))
			for v := range less.Target {
				less.Target[v] = v >= len(table.IDs)/2
			}
		}
		without, err := NewData(less)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]int32, len(without.Pairs))
		for p := range all {
			all[p] = int32(p)
		}
		a, b := NewColumns(NewGraph(d, s.Visible(Train, false)), nil), NewColumns(NewGraph(without, all), nil)
		wa, wb := a.NewWorker(), b.NewWorker()
		rowA, rowB := make([]float64, len(a.Names())), make([]float64, len(b.Names()))
		for u := range int32(d.Nodes()) {
			for v := range int32(d.Nodes()) {
				if !d.Eligible(u, v) {
					continue
				}
				wa.Keep(u)
				wb.Keep(u)
				wa.Row(v, false, rowA)
				wb.Row(v, false, rowB)
				if !slices.Equal(rowA, rowB) {
					t.Fatalf("graph %d: columns of (%s, %s) are %v with later rows, %v without", i, d.IDs[u], d.IDs[v], rowA, rowB)
				}
			}
		}
	}
}
