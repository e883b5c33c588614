package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// NodeRegression predicts numbers for each atom of molecules, standardised like those of
// GraphRegression.
var NodeRegression = &Task{
	Kind:         settings.Kind{Name: "node-regression", Title: "numbers per node of molecules", Level: settings.Nodes, Number: true},
	Default:      "ehgnn-joint-node",
	SameModelsAs: "node-classification",
	Scores:       []string{"loss", "mae", "rmse", "r2"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Nodes)
		if err != nil {
			return err
		}
		if !s.Data.Many() {
			return fmt.Errorf("node-regression needs molecules with a list of numbers for each, %s has none", d.Name())
		}
		return resolveNumbers(s, l, d, parts, settings.Nodes)
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem { return numberProblem(m, s, settings.Nodes) },
	Predict: func(s *settings.Settings) Predictor { return NewNumberRows(s, settings.Nodes) },
}

// resolveNumbers sets the targets of nodes or edges of molecules, their units (measured on the
// training part), and the defaults.
func resolveNumbers(s *settings.Settings, l source.Labels, d source.Data, parts map[string]*source.Part, items settings.Level) error {
	if len(l.Targets) == 0 {
		return settings.Misuse("%s needs a list of numbers for each molecule, %s has none", s.Task, d.Name())
	}
	training := parts[source.PartTrain].Graphs
	if !labelled(training, items) {
		return settings.Misuse("%s: no %s to train on has a number to predict", d.Name(), items)
	}
	s.Target.Names = l.Targets
	s.Target.Units = UnitsOf(training, items, len(l.Targets))
	itemDefaults(s, len(l.Targets), parts)
	if items == settings.Edges {
		s.Train.Monitor = robustMonitor
	}
	return nil
}
