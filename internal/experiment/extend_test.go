package experiment

import (
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// newExperiment is a table of GCNs with different readouts.
var newExperiment = gridExperiment{
	Name: "readouts", Short: "GCN by readout", Help: "What the nodes of a graph are read out by.\n",
	Title: "Readouts", Measure: "test accuracy in percent",
	Rows: []modelRow{
		{Name: "gcn-sum", Model: "gcn", Overrides: settings.Values{"readout": "sum"}},
		{Name: "gcn-mean", Model: "gcn", Overrides: settings.Values{"readout": "mean"}},
		{Name: "gcn-max", Model: "gcn", Overrides: settings.Values{"readout": "max"}},
	},
	Sets: []string{"MUTAG", "PROTEINS"},
	Presets: []gridPreset{
		{Name: presetQuick, Sets: []string{"MUTAG"}, Seeds: 1, Overrides: quickSettings(100, 25), Note: "Shortened (preset quick): MUTAG alone."},
		{Name: presetPaper, Seeds: 10},
	},
}

// A new experiment runs like the others.
func TestExtendExperiment(t *testing.T) {
	d, err := newExperiment.experiment().Run(t.Context(), Env{Seed: 3, Threads: 2, Find: find, Settings: quick(), Options: map[string]any{
		"dataset": []string{foldSet(t, "MUTAG", 20)}, "folds": []int{2}, "out": filepath.Join(t.TempDir(), "out")}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "rows", d.Value.(*gridJSON).Rows, []string{"gcn-sum", "gcn-mean", "gcn-max"})
}
