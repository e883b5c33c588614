package experiment

import (
	"github.com/ehgnn/ehgnn/internal/settings"
)

// edgeTaskRow is a line of the tables of edgeTasks: a model with the settings that make the
// row. A baseline stands in the place of its model, with the data that this one would have.
type edgeTaskRow struct {
	name, title string
	model       string          // of the registry
	values      settings.Values // win over what the user gives
	baseline    edgeColumns     // nil for a model
	mostClasses int             // for which it can be fitted; 0 for any
}

// edgeTaskRows are all rows, ours first.
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

// edgeTaskRowHelp lists the rows for help.
func edgeTaskRowHelp() string {
	return rowHelp(26, edgeTaskRows, func(r edgeTaskRow) (name, title string) { return r.name, r.title })
}

// findEdgeTaskRows are the rows of some names, all for none; a name that does not exist is an
// error of usage.
func findEdgeTaskRows(names []string) ([]edgeTaskRow, error) {
	if len(names) == 0 {
		return edgeTaskRows, nil
	}
	return named("model", names, edgeTaskRows, func(r edgeTaskRow) string { return r.name })
}
