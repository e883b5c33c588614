package task

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// Task says what a model's output means.
type Task struct {
	Name  string
	Title string // one line
	// Default is the model that is trained where none is named.
	Default string
	// Nodes says that the items are the nodes of one graph: splits are of them.
	Nodes bool
	// Scores names the scores of an evaluation of the task's plain form; the first is
	// the loss.
	Scores []string
	// Resolve fills in what the data decide (the output width and the like) and
	// the task's defaults, before overrides.
	Resolve func(s *Settings, p *Parts, training []*graph.Graph) error
	// Problem is the loss and the scores for package train.
	Problem func(m model.Model, s Settings) train.Problem
	// Predict appends the predictions of one batch to the rows of a table.
	Predict func(s Settings) Predictor
}

// Predictor collects predictions batch by batch.
type Predictor interface {
	// Add takes the output for a batch.
	Add(out *model.Output, b *graph.Batch, of Items)
	Table() *report.Table
}

// Items says which items of the data are in a batch.
type Items struct {
	Graphs []int // the id of each graph
	// Nodes are the nodes of the batch that belong to the part of the data, rising;
	// nil for all.
	Nodes []int
}

// Registry lists the tasks in the order help shows them.
var Registry = []Task{graphClassification, graphRegression, nodeClassification, edgeReconstruction}

// ModelFor is the model that a task trains where none is named; empty for an
// unknown task.
func ModelFor(taskName string) string {
	t, err := find(taskName)
	if err != nil {
		return ""
	}
	return t.Default
}

// Names lists the registered tasks.
func Names() []string {
	names := make([]string, len(Registry))
	for i, t := range Registry {
		names[i] = t.Name
	}
	return names
}

func find(name string) (Task, error) {
	for _, t := range Registry {
		if t.Name == name {
			return t, nil
		}
	}
	return Task{}, fmt.Errorf("task: unknown task %q, expected one of: %s", name, strings.Join(Names(), ", "))
}

// choose returns the model and the task: the named one, or the one the model is
// for, and without a model that of the task.
func choose(taskName, modelName string) (Task, model.Spec, error) {
	if modelName == "" {
		modelName = cmp.Or(ModelFor(taskName), graphClassification.Default)
	}
	spec, err := model.Find(modelName)
	if err != nil {
		return Task{}, spec, err
	}
	if taskName == "" {
		taskName = spec.Tasks[0]
	}
	t, err := find(taskName)
	if err != nil {
		return t, spec, err
	}
	if !slices.Contains(spec.Tasks, t.Name) {
		return t, spec, fmt.Errorf("task: model %s has no predictions for %s, expected a model for that task or one of the tasks: %s",
			spec.Name, t.Name, strings.Join(spec.Tasks, ", "))
	}
	return t, spec, nil
}
