package run

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// epochSettings are the registered settings that models trained by epochs read.
var epochSettings = []string{"hidden", "layers", "dropout", "epochs", "batch-size", "lr", "structure"}

// SettingNames are the registered settings that link prediction reads.
func SettingNames() []string {
	return slices.Concat([]string{"edges", "nodes", "node-id", "source", "target", "label", "time", "part", "graph", "ignore", "categories", "feature", "missing", "decimal",
		"time-format", "sheet", "format", "split", "fractions"}, epochSettings)
}

// Flags returns the settings that only link prediction has, with their help.
func Flags() []settings.Option {
	return []settings.Option{
		{Name: "positive", Kind: "", Help: "rows that are positives, as `rating>=4` (default: all)"},
		{Name: "bipartite", Kind: false, Help: "sources and targets are different nodes; an id on both sides is an error (default: where no id is on both)"},
		{Name: "observed", Kind: 0.0, Help: "with --split nodes: share of the pairs of unseen nodes that are shown when the others are scored; 0 for cold nodes"},
		{Name: "test-sees", Kind: "", Help: "valid has the validation pairs in the graph when the test part is scored"},
		{Name: "select", Kind: "", Help: "negatives by which epochs and models are chosen on the validation part: all, hard, uniform or, of bipartite graphs, lists (default all, or lists)"},
		{Name: "baselines", Kind: "", Help: "`none` leaves the baselines out of the tables"},
		{Name: "negatives", Kind: []string(nil), Help: "negatives of the test part: uniform, degree, hard, all, lists or, with --split time, next (default: those that suit the graph)"},
		{Name: "negatives-from", Kind: "", Help: "table with a row for each positive of the test part and candidate: source, target, and the node in place of the target, or both nodes of the candidate; one more form of negatives, `file`"},
	}
}

// Help returns the help of a flag.
func Help(name string) string {
	for _, f := range Flags() {
		if f.Name == name {
			return f.Help
		}
	}
	return ""
}
