package experiment

import (
	"errors"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Settings of a row win over those of a column, and these over those of the request.
func TestGridOverrides(t *testing.T) {
	r := twoByTwo(t, "")
	r.Overrides = r.Overrides.Over(settings.Values{"hidden": 8, "layers": 2, "dropout": 0.25})
	r.Columns[0].Overrides = settings.Values{"hidden": 12, "layers": 4}
	r.Rows[0].Overrides = settings.Values{"hidden": 20}
	g, err := plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2][2]int{{{20, 4}, {20, 2}}, {{12, 4}, {8, 2}}} {
		for k, w := range want {
			if m := g.cells[i][k].settings.Model; setting(m, "hidden") != w[0] || setting(m, "layers") != w[1] || setting(m, "dropout") != 0.25 {
				t.Errorf("cell %d %d: hidden %v, layers %v, dropout %v; want %v", i, k, setting(m, "hidden"), setting(m, "layers"), setting(m, "dropout"), w)
			}
		}
	}
}

// Mistakes in the request are found before any training.
func TestGridErrors(t *testing.T) {
	path := foldSet(t, "SET", 20)
	unlabelled := tuFiles(t, "BARE", 10)
	delete(unlabelled, "BARE_graph_labels.txt")
	bare := unlabelled.write(t, "BARE")
	tests := []struct {
		name   string
		change func(*gridRequest)
		want   string
	}{
		{"no seeds", func(r *gridRequest) { r.Seeds = nil }, "nothing to do: 1 models, 1 data sets, 0 seeds"},
		{"no rows", func(r *gridRequest) { r.Rows = nil }, "nothing to do: 0 models"},
		{"seed twice", func(r *gridRequest) { r.Seeds = []uint64{4, 4} }, "seed 4 is there twice"},
		{"row twice", func(r *gridRequest) { r.Rows = append(r.Rows, r.Rows...) }, "model hyperdrop is there twice"},
		{"column twice", func(r *gridRequest) { r.Columns = append(r.Columns, r.Columns...) }, "data set SET is there twice"},
		{"fold 0", func(r *gridRequest) { r.Folds = []int{1, 0} }, "there is no fold 0, expected 1 to 10"},
		{"fold 11", func(r *gridRequest) { r.Columns[0].Folds = []int{11} }, "there is no fold 11, expected 1 to 10"},
		{"option that the row has", func(r *gridRequest) {
			r.Rows[0].Overrides, r.Overrides = settings.Values{"batch-size": 32}, settings.Values{"batch-size": 64}
		}, "--batch-size does not apply to row hyperdrop, which sets it itself"},
		{"option of a row whose model alone reads it", func(r *gridRequest) {
			r.Rows = append(r.Rows, modelRow{Name: "mlp"})
			r.Rows[0].Overrides, r.Overrides = settings.Values{"edge-init": "endpoints"}, settings.Values{"edge-init": "given"}
		}, "--edge-init does not apply to model mlp"},
		{"option that the column has", func(r *gridRequest) {
			r.Columns[0].Overrides, r.Overrides = settings.Values{"layers": 2}, settings.Values{"layers": 4}
		}, "--layers does not apply here, where columns differ in it"},
		{"fold twice", func(r *gridRequest) { r.Folds = []int{2, 3, 2} }, "fold 2 is there twice"},
		{"another task", func(r *gridRequest) { r.Rows[0].Model = "hypercluster" }, "model hypercluster has no predictions for graph-classification"},
		{"unknown model", func(r *gridRequest) { r.Rows[0].Model = "hyperdorp" }, `did you mean "hyperdrop"?`},
		{"unknown model, with an option", func(r *gridRequest) {
			r.Rows[0].Model, r.Overrides = "hyperdorp", settings.Values{"ratio": 0.5}
		}, `did you mean "hyperdrop"?`},
		{"no data", func(r *gridRequest) { r.Columns[0].Path += "x" }, "no such file or directory"},
		{"data without classes", func(r *gridRequest) { r.Columns[0].Path = bare }, "no protocol for BARE: expected a set of graphs with classes"},
		{"bad settings", func(r *gridRequest) { r.Overrides = settings.Values{"lr": -1.0} }, "LR is -1"},
	}
	for _, test := range tests {
		r := gridRequest{Rows: []modelRow{{Name: "hyperdrop"}}, Columns: []DatasetColumn{{Path: path}}, Seeds: []uint64{1},
			OnEvent: func(Event) { t.Errorf("%s: a job was started", test.name) }}
		test.change(&r)
		_, err := runGrid(t.Context(), r)
		fails(t, err, test.want)
		if !settings.IsUsage(err) {
			t.Errorf("%s: not marked as the user's to mend", test.name)
		}
	}
}

// A change to sessions changes the results and the identity of jobs.
func TestGridAdjust(t *testing.T) {
	r := oneCell(foldSet(t, "SET", 20), "gcn", 1, 1)
	r.Dir, r.Folds = t.TempDir(), []int{1, 2}
	plain := mustRun(t, r)
	r.Adjust = []adjustment{{Name: "zero weights", Apply: func(s *session.Session) error {
		for _, p := range s.Model.Params() {
			clear(p.Value.Data())
		}
		return nil
	}}}
	adjusted := mustRun(t, r)
	same(t, "jobs", countsOf(adjusted), counts{Total: 2, Done: 2})
	if a, b := plain.gridCells()[0].Folds[0], adjusted.gridCells()[0].Folds[0]; a.ValidLoss == b.ValidLoss || a.Key == b.Key {
		t.Errorf("plain %+v, adjusted %+v", a, b)
	}
	same(t, "jobs again", countsOf(mustRun(t, r)), counts{Total: 2, Done: 2, Kept: 2})
	r.Adjust[0].Apply = func(*session.Session) error { return errors.New("cannot be") }
	_, err := runGrid(t.Context(), r)
	fails(t, err, "zero weights: cannot be")
}
