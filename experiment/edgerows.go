package experiment

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// edgeRow is a model that reconstructs the features of edges.
type edgeRow struct{ name, title, model, conv string }

// edgeRows are the models of the paper's figures of edge reconstruction, ours first.
var edgeRows = []edgeRow{
	{name: "hypercluster", title: "HyperCluster", model: "hypercluster"},
	{name: "egcn-gmpool", title: "EGCN + GMPool", model: "gmpool-edges", conv: "egcn"},
	{name: "mpnn-gmpool", title: "MPNN + GMPool", model: "gmpool-edges", conv: "mpnn"},
	{name: "rgcn-gmpool", title: "R-GCN + GMPool", model: "gmpool-edges", conv: "rgcn"},
	{name: "egnn-gmpool", title: "EGNN + GMPool", model: "gmpool-edges", conv: "egnn"},
	{name: "egcn-topkpool", title: "EGCN + TopKPool", model: "topkpool-edges", conv: "egcn"},
	{name: "mpnn-topkpool", title: "MPNN + TopKPool", model: "topkpool-edges", conv: "mpnn"},
	{name: "rgcn-topkpool", title: "R-GCN + TopKPool", model: "topkpool-edges", conv: "rgcn"},
	{name: "egnn-topkpool", title: "EGNN + TopKPool", model: "topkpool-edges", conv: "egnn"},
}

func edgeRowNames() []string {
	names := make([]string, len(edgeRows))
	for i, r := range edgeRows {
		names[i] = r.name
	}
	return names
}

// findEdgeRow is the row of a name; one that does not exist is an error of usage.
func findEdgeRow(name string) (edgeRow, error) {
	at := slices.IndexFunc(edgeRows, func(r edgeRow) bool { return r.name == name })
	if at < 0 {
		return edgeRow{}, settings.Misuse("--model is %q, expected one of %q", name, edgeRowNames())
	}
	return edgeRows[at], nil
}
