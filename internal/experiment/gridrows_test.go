package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// Every row of every experiment and preset exists. Settings of the user win over those of presets.
func TestExperiments(t *testing.T) {
	for _, e := range []gridExperiment{graphClassification, ablation} {
		all, err := e.selectRows([]string{rowsAll})
		if err != nil || len(all) != len(e.Rows)+len(e.Extra) {
			t.Fatalf("%s: %d rows (%v)", e.Name, len(all), err)
		}
		for _, row := range all {
			if spec, err := model.Find(cmp.Or(row.Model, row.Name)); err != nil || !slices.Contains(spec.Tasks, "graph-classification") {
				t.Errorf("%s: %v", row.Name, err)
			}
		}
		for _, p := range e.Presets {
			if _, err := e.selectRows(p.Rows); err != nil {
				t.Error(err)
			}
			if _, err := e.preset(p.Name); err != nil {
				t.Error(err)
			}
			for _, set := range append(slices.Clone(p.Sets), e.Sets...) {
				if paperColumn(set) < 0 {
					t.Errorf("%s, preset %s: no set %s", e.Name, p.Name, set)
				}
			}
			for set := range p.Folds {
				if !slices.Contains(p.Sets, set) {
					t.Errorf("%s, preset %s: folds of %s, which is not in it", e.Name, p.Name, set)
				}
			}
		}
	}
	if len(graphClassification.Rows) != 14 || len(graphClassification.Sets) != 10 {
		t.Errorf("table 3 has %d rows and %d sets", len(graphClassification.Rows), len(graphClassification.Sets))
	}
	_, err := graphClassification.selectRows([]string{"hyperdorp"})
	fails(t, err, `did you mean "hyperdrop"?`)
	_, err = graphClassification.preset("slow")
	fails(t, err, `--preset is "slow", expected quick or paper`)
	rows, err := graphClassification.selectRows([]string{"gat", "gcn", "gat", "hyperdrop-endpoints"})
	if err != nil || len(rows) != 3 || rows[2].Model != "hyperdrop" || rows[2].Overrides["edge-init"] != "endpoints" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// Models that read a ratio get one more row for each ratio. Special settings of a row stay.
func TestWithRatios(t *testing.T) {
	rows, err := graphClassification.selectRows([]string{"gcn", "hyperdrop-gine", "topkpool"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := withRatios(rows, []float64{0.25, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range out {
		names = append(names, r.Name)
		if _, varied, found := strings.Cut(r.Name, "-ratio-"); found && (r.Overrides["ratio"] == nil || fmt.Sprint(r.Overrides["ratio"]) != varied) {
			t.Errorf("%s has the ratio %v", r.Name, r.Overrides["ratio"])
		}
	}
	want := []string{"gcn", "hyperdrop-gine", "hyperdrop-gine-ratio-0.25", "hyperdrop-gine-ratio-0.5", "topkpool", "topkpool-ratio-0.25", "topkpool-ratio-0.5"}
	if !slices.Equal(names, want) {
		t.Errorf("rows %q, want %q", names, want)
	}
	if r := out[2]; r.Model != "hyperdrop" || r.Overrides["conv"] != "gine" || r.Title != "HyperDrop, tuned (GINE, batch 32), ratio 0.25" || rows[1].Overrides["ratio"] != nil {
		t.Errorf("%+v", r)
	}
	if out, err := withRatios(rows, nil); err != nil || len(out) != 3 {
		t.Errorf("without ratios %d rows, %v", len(out), err)
	}
	_, err = withRatios(rows[:1], []float64{0.5})
	fails(t, err, "none of the models asked for has a ratio")
}

// In the table of the paper, GCN and GIN read bonds on sets of molecules.
func TestMoleculeRows(t *testing.T) {
	rows, err := graphClassification.selectRows([]string{"gcn", "gin", "sagpool"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := plan(t.Context(), gridRequest{Rows: rows, Seeds: []uint64{1}, Overrides: quick(),
		Columns: []DatasetColumn{{Path: molecules(t, "ogbg_molbace", bonds)}, {Path: foldSet(t, "SET", 20)}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]string{{"egcn", "gcn"}, {"gine", "gin"}, {"sagpool", "sagpool"}} {
		for k, c := range g.cells[i] {
			if c.settings.ModelName != want[k] || c.row.Name != rows[i].Name {
				t.Errorf("row %s on %s is %s, want %s", c.row.Name, c.column.Name, c.settings.ModelName, want[k])
			}
		}
	}
}

// The experiment by depth has a column for each depth. All columns share the data, and every row
// has that many layers.
func TestNodeGrid(t *testing.T) {
	e := nodeClassification
	r := gridRequest{Name: e.Name, Rows: e.Rows, Columns: e.spread(DatasetColumn{Path: tinyNodes}, []int{2, 5}), Seeds: []uint64{1}, Threads: 2,
		Overrides: settings.Values{"epochs": 3, "constant-lr": true}}
	g := mustRun(t, r)
	if g.columns[0].Name != "tiny, 2 layers" || g.columns[1].Title != "tiny, 5 layers" || g.Done() != 8 {
		t.Fatalf("columns %+v, %d done", g.columns, g.Done())
	}
	for _, row := range g.cells {
		for k, c := range row {
			if setting(c.settings.Model, "layers") != []int{2, 5}[k] || c.column.protocol.Name != "nodes" {
				t.Errorf("%s: %+v", c.column.Name, c.settings.Model)
			}
		}
	}
	if g.Table().Average {
		t.Error("an average over depths")
	}
	if again, err := plan(t.Context(), r); err != nil || again.columns[0].data != again.columns[1].data {
		t.Errorf("the data are read twice (%v)", err)
	}
	if one := graphClassification.spread(DatasetColumn{Name: "x"}, nil); len(one) != 1 || one[0].Name != "x" || one[0].Overrides["layers"] != nil {
		t.Errorf("an experiment without depths: %+v", one)
	}
}
