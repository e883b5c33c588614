package experiment

import (
	"strings"

	"github.com/ehgnn/ehgnn/task"
)

// Registry lists the experiments in the order help shows them.
var Registry = []Experiment{
	graphClassification.experiment(),
	nodeClassification.experiment(),
	ablation.experiment(),
	twoMoon,
	zincEdges,
	zincGraphs,
	molGAN,
	marsExperiment,
	edgeTasks,
	compression,
	transformTime,
	messageTime,
}

// Find returns the experiment of a name.
func Find(name string) (Experiment, error) {
	var names []string
	for _, e := range Registry {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, task.Misuse("experiment: unknown experiment %q, expected one of: %s", name, strings.Join(names, ", "))
}
