package experiment

import (
	"github.com/ehgnn/ehgnn/internal/settings"
)

// edgeTaskRow is a row of the tables of edgeTasks: a model with its settings. A baseline replaces
// its model and gets the same data.
type edgeTaskRow struct {
	name, title string
	model       string          // in the registry
	values      settings.Values // override the user's settings
	baseline    edgeColumns     // nil for a model
	mostClasses int             // largest number of classes; 0 for any
}

// edgeTaskRows lists all rows; this project's are first.
var edgeTaskRows = []edgeTaskRow{
	{name: "ehgnn-roles", title: "ehgnn-roles", model: "ehgnn-roles"},
	{name: "ehgnn-roles-0", title: "ehgnn-roles, 0 layers", model: "ehgnn-roles", values: settings.Values{"layers": 0}},
	{name: "ehgnn-roles-unlabelled", title: "ehgnn-roles, no labels", model: "ehgnn-roles", values: settings.Values{"label-context": "off"}},
	{name: "ehgnn-roles-0-unlabelled", title: "ehgnn-roles, 0 layers, no labels", model: "ehgnn-roles", values: settings.Values{"layers": 0, "label-context": "off"}},
	{name: "ehgnn-edge", title: "ehgnn-edge", model: "ehgnn-edge"},
	{name: "gin-edge", title: "gin-edge", model: "gin-edge"},
	{name: "pna-edge", title: "pna-edge", model: "pna-edge"},
	{name: "linegraph-edge", title: "linegraph-edge", model: "linegraph-edge"},
	{name: "attention-edge", title: "attention-edge", model: "attention-edge"},
	{name: "mlp-edge", title: "mlp-edge", model: "mlp-edge"},
	{name: "majority", title: "majority; median of numbers", model: "mlp-edge", values: settings.Values{"label-context": "off"}, baseline: noColumns},
	{name: "degrees", title: "degrees, logistic regression", model: "mlp-edge", values: settings.Values{"label-context": "off"}, baseline: degreeColumns},
	{name: "labels", title: "training labels, logistic regression", model: "mlp-edge", values: settings.Values{"label-context": "on"}, baseline: labelColumns, mostClasses: 32},
}

// edgeTaskRowHelp lists the rows for the help.
func edgeTaskRowHelp() string {
	return rowHelp(26, edgeTaskRows, func(r edgeTaskRow) (name, title string) { return r.name, r.title })
}

// findEdgeTaskRows returns the rows of some names, all for none; an unknown name is a usage error.
func findEdgeTaskRows(names []string) ([]edgeTaskRow, error) {
	if len(names) == 0 {
		return edgeTaskRows, nil
	}
	return named("model", names, edgeTaskRows, func(r edgeTaskRow) string { return r.name })
}
