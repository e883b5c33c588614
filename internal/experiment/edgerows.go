package experiment

import "github.com/ehgnn/ehgnn/internal/lists"

// edgeRow is a model that reconstructs edge features.
type edgeRow struct{ name, title, model, conv string }

// edgeRows are the models of the paper's figures of edge reconstruction; the paper's own model is first.
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

func (r edgeRow) called() string { return r.name }

func edgeRowNames() []string { return lists.Map(edgeRows, edgeRow.called) }

// findEdgeRows returns the rows of --model; an unknown name is a usage error.
func findEdgeRows(names []string) ([]edgeRow, error) {
	return named("model", names, edgeRows, edgeRow.called)
}
