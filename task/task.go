package task

import (
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
	// Scores names the scores of an evaluation; the first is the loss.
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
	// Add takes the output for a batch whose graphs have the given ids.
	Add(out *model.Output, b *graph.Batch, ids []int)
	Table() *report.Table
}

// Registry lists the tasks in the order help shows them.
var Registry = []Task{graphClassification, edgeReconstruction}

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
// for.
func choose(taskName, modelName string) (Task, model.Spec, error) {
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
