package task

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/nearest"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Task says what a model's output means.
type Task struct {
	settings.Kind
	// Default is the model that is trained where none is named; DefaultForCollections, where it is not
	// empty, is it where the items are those of many graphs.
	Default, DefaultForCollections string
	// DefaultNetwork, where it is not empty, is the model that is trained where none is named and settings of a
	// network or of its training are given, which Default does not read.
	DefaultNetwork string
	// SameModelsAs names the registered task whose models predict for this one too; empty where
	// models name this task.
	SameModelsAs string
	// Scores names the scores of an evaluation, in the plain form of the task. The first is
	// the loss.
	Scores []string
	// Resolve sets what the data decide, such as the width of the output, and the task's
	// defaults. Options are applied after it.
	Resolve func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error
	// Check refuses parts that the resolved settings cannot be trained on; nil accepts all.
	Check func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error
	// Problem is the loss and the scores for package train.
	Problem func(m model.Model, s *settings.Settings) train.Problem
	// Predict makes a collector of predictions.
	Predict func(s *settings.Settings) Predictor
	// Finish makes what completes the settings after training, by the outputs for the
	// validation part; nil, or a maker of nil, for nothing.
	Finish func(s *settings.Settings) Chooser
}

// Predictor collects predictions batch by batch.
type Predictor interface {
	// Add takes the output for a batch and the rows of the items to collect.
	Add(out *model.Output, b *graph.Batch, rows []int32)
	// Columns are the predictions that were collected.
	Columns() []report.Column
}

// Chooser sets what settings leave open until the model is trained.
type Chooser interface {
	// Add takes the output for a batch of the validation part.
	Add(out *model.Output, b *graph.Batch)
	Choose() error
}

// Tasks lists the tasks in the order help shows them.
func Tasks() []*Task { return slices.Clone(registry) }

// Register adds a task behind the others until remove is called. It is for tests of what a new task needs.
func Register(t *Task) (remove func()) {
	before := registry
	registry = append(Tasks(), t)
	return func() { registry = before }
}

var registry = []*Task{GraphClassification, GraphRegression, NodeClassification, NodeRegression, EdgeClassification, EdgeRegression, EdgeReconstruction, nodeReconstruction, graphReconstruction}

// Names lists the registered tasks.
func Names() []string {
	return lists.Map(registry, func(t *Task) string { return t.Name })
}

// FindTask returns a task by name. The error of an unknown name suggests the nearest.
func FindTask(name string) (*Task, error) {
	for _, t := range registry {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, settings.Usage(nearest.Unknown("task", name, Names()))
}

// Choose finds the task and the model of a request, for items of many graphs or of one. Where
// no model is named it is the task's default. Where no task is named it is the one that the
// data suit, or, if the model is not for it, the model's first.
func Choose(taskName, modelName, suits string, many bool, given settings.Values) (*Task, model.Spec, error) {
	if modelName == "" {
		t, err := FindTask(cmp.Or(taskName, suits))
		if err != nil {
			return nil, model.Spec{}, err
		}
		if modelName = t.Default; many {
			modelName = cmp.Or(t.DefaultForCollections, t.Default)
		} else if t.DefaultNetwork != "" && given.OfNetwork() != "" {
			modelName = t.DefaultNetwork
		}
	}
	spec, err := model.Find(modelName)
	if err != nil {
		return nil, spec, settings.Usage(err)
	}
	if taskName == "" {
		taskName = spec.Tasks[0]
		if t, err := FindTask(suits); err == nil && t.Has(spec) {
			taskName = suits
		}
	}
	t, err := FindTask(taskName)
	if err != nil {
		return nil, spec, err
	}
	if !t.Has(spec) {
		return t, spec, settings.Misuse("model %s has no predictions for %s, expected a model for that task or one of the tasks: %s",
			spec.Name, t.Name, strings.Join(spec.Tasks, ", "))
	}
	return t, spec, nil
}

// Has reports whether a model predicts for the task.
func (t *Task) Has(spec model.Spec) bool {
	return slices.Contains(spec.Tasks, cmp.Or(t.SameModelsAs, t.Name))
}
