package experiment

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// The authors' settings for a set are found with any spelling of its name. Only settings that the
// model reads are used, so that its own ratio stays.
func TestRecipe(t *testing.T) {
	for _, test := range []struct {
		dataset, model string
		want           settings.Values
	}{
		{"OTHER", "hyperdrop", settings.Values{}},
		{"MUTAG", "hyperdrop", settings.Values{"ratio": 0.90}},
		{"MUTAG", "gmt", settings.Values{"ratio": 0.90, "heads": 4, "layer-norm": true}},
		{"MUTAG", "topkpool", settings.Values{}},
		{"PROTEINS", "hyperdrop", settings.Values{"ratio": 0.65, "standardise": false}},
		{"DD", "gcn", settings.Values{"hidden": 32, "batch-size": 10, "ratio": 0.75}},
		{"COLLAB", "hyperdrop", settings.Values{"edge-hidden": 16}},
		{"ogbg-molhiv", "hyperdrop", settings.Values{"batch-size": 512, "ratio": 0.95}},
		{"ogbg_moltoxcast", "hyperdrop-gmt", settings.Values{"heads": 8}},
		{"citeseer", "deep-gcn", settings.Values{"dropout": 0.2}},
	} {
		spec, err := model.Find(test.model)
		if err != nil {
			t.Fatal(err)
		}
		same(t, test.model+" on "+test.dataset, Recipe(test.dataset, spec), test.want)
	}
}

// A job uses the recipe of its data set. Requested settings win.
func TestRecipeInGrid(t *testing.T) {
	r := gridRequest{Rows: []modelRow{{Name: "hyperdrop"}, {Name: "gmt"}, {Name: "sagpool"}}, Columns: []DatasetColumn{{Path: foldSet(t, "COLLAB", 20)}}, Seeds: []uint64{1},
		Overrides: settings.Values{"ratio": 0.5}}
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if m := g.cells[0][0].settings.Model; *m.At("edge-hidden")[0].(*int) != 16 || *m.At("ratio")[0].(*float64) != 0.5 || *m.At("hidden")[0].(*int) != 128 {
		t.Errorf("hyperdrop on COLLAB: %+v", m)
	}
	if m := g.cells[1][0].settings.Model; *m.At("heads")[0].(*int) != 2 {
		t.Errorf("gmt on COLLAB: %+v", m)
	}
}
