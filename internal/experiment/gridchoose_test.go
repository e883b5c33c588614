package experiment

import (
	"slices"
	"strings"
	"testing"
)

// The row chosen on validation has, for each data set, the test score of the row with the best
// validation score.
func TestGridChoose(t *testing.T) {
	r := twoByTwo(t, "")
	r.Choose = []string{"hyperdrop", "gcn"}
	g := mustRun(t, r)
	cells, table := g.gridCells(), g.Table()
	if len(table.Rows) != 3 || table.Rows[2].Label != "chosen on validation" || len(cells) != 4 {
		t.Fatalf("%d rows, %d cells", len(table.Rows), len(cells))
	}
	choices := g.choices()
	for k, c := range choices {
		var valid [2]float64
		for i := range valid {
			for _, j := range cells[2*k+i].Folds {
				valid[i] += j.Valid / 2
			}
		}
		best := 0
		if valid[1] >= valid[0] { // of equal scores the one that Choose names first
			best = 1
		}
		want := cells[2*k+best]
		if c.Dataset != want.Dataset || c.Row != want.Row || c.Valid != valid[best] || c.Test != *want.Mean || table.Rows[2].Cells[k].Mean != *want.Mean || table.Rows[2].Cells[k].Paper != nil {
			t.Errorf("chosen %+v of %v, want %s %v", c, valid, want.Row, *want.Mean)
		}
		if !strings.Contains(g.document().Markdown(), c.Dataset+" "+c.Row) {
			t.Error("the notes do not say what was chosen")
		}
	}
	if d := g.asJSON(); len(choices) != 2 || !slices.Equal(d.Choices, choices) || len(d.Averages) != 3 || *d.Averages[2].Mean != (choices[0].Test+choices[1].Test)/2 {
		t.Errorf("choices %+v, averages %+v", choices, d.Averages)
	}
	r.Choose = []string{"gin"}
	_, err := runGrid(t.Context(), r)
	fails(t, err, `"gin" cannot be chosen`)
	for _, none := range [][]string{nil, {}} {
		first := r
		first.Choose, first.ChooseFirst = none, true
		_, err = runGrid(t.Context(), first)
		fails(t, err, "no rows are named to choose from")
	}
	// Nothing is chosen until all candidates are finished.
	r.Choose = []string{"gcn"}
	unfinished, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if c := unfinished.Table().Rows[2].Cells[0]; c.Runs != 0 || c.State != "-" || unfinished.choices() != nil {
		t.Errorf("%+v", c)
	}
}

// The first row is chosen unless another row is better on validation by more than chance.
func TestGridChooseFirst(t *testing.T) {
	for _, test := range []struct {
		what          string
		first, second [][]float64 // by seed, then fold
		want          string
	}{
		{"no more than chance", [][]float64{{70, 72, 71}}, [][]float64{{71, 73, 72}}, "first"},
		{"more than chance", [][]float64{{70, 72, 71}}, [][]float64{{81, 83, 82}}, "second"},
		{"the first is best", [][]float64{{81, 83, 82}}, [][]float64{{70, 72, 71}}, "first"},
		{"equals", [][]float64{{70, 70, 70}}, [][]float64{{70, 70, 70}}, "first"},
		{"no test is possible", [][]float64{{70}}, [][]float64{{90}}, "first"},
		{"means of seeds tell more than their folds", [][]float64{{60, 82}, {61, 81}}, [][]float64{{62, 84}, {63, 83}}, "second"},
	} {
		g := &Grid{rows: []modelRow{{Name: "second"}, {Name: "first"}}, columns: []*column{{}},
			request: gridRequest{Choose: []string{"first", "second"}, ChooseFirst: true}}
		for _, seeds := range [][][]float64{test.second, test.first} {
			c := &cell{folds: make([]int, len(seeds[0]))}
			for seed, folds := range seeds {
				for fold, valid := range folds {
					c.results = append(c.results, JobResult{Job: Job{Seed: uint64(seed), Fold: fold}, Valid: valid})
				}
			}
			g.cells = append(g.cells, []*cell{c})
		}
		for seed := range test.first {
			g.Seeds = append(g.Seeds, uint64(seed))
		}
		if i, _ := g.chosen(0); g.rows[i].Name != test.want {
			t.Errorf("%s: %s is chosen", test.what, g.rows[i].Name)
		}
	}
}
