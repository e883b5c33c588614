package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// nodeRegression predicts numbers per atom of molecules, standardised as those of
// graphRegression are.
var nodeRegression = &Task{
	Kind:    Kind{Name: "node-regression", Title: "numbers per node of molecules", Items: Nodes, Number: true},
	Default: "ehgnn-joint-node",
	Like:    "node-classification",
	Scores:  []string{"loss", "mae", "rmse", "r2"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		l, err := d.Labels(Nodes)
		if err != nil {
			return err
		}
		if !s.Data.many() {
			return fmt.Errorf("task: node-regression needs molecules with a list of numbers for each, %s has none", d.Name())
		}
		return s.resolveNumbers(l, d, parts, Nodes)
	},
	Problem: func(m model.Model, s *Settings) train.Problem { return numberProblem(m, s, Nodes) },
	Predict: func(s *Settings) Predictor { return newNumberRows(s, Nodes) },
}

// resolveNumbers sets the targets of nodes or edges of molecules, their units, which are
// measured on the training part, and the defaults.
func (s *Settings) resolveNumbers(l Labels, d Data, parts map[string]*Part, items Items) error {
	if len(l.Targets) == 0 {
		return Misuse("task: %s needs a list of numbers for each molecule, %s has none", s.Task, d.Name())
	}
	training := parts[PartTrain].Graphs
	if !labelled(training, items) {
		return Misuse("task: %s: no %s to train on has a number to predict", d.Name(), items)
	}
	s.Target.Names = l.Targets
	s.Target.Units = unitsOf(training, items, len(l.Targets))
	s.itemDefaults(len(l.Targets), parts)
	if items == Edges {
		s.Train.Monitor = robustMonitor
	}
	return nil
}
