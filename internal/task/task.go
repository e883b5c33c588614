package task

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Task gives the outputs of a model their meaning.
type Task struct {
	settings.Kind
	// Default is the model that is trained if none is named. DefaultForCollections, if not empty,
	// replaces it for items of many graphs.
	Default, DefaultForCollections string
	// DefaultNetwork, if not empty, is the model that is trained if none is named and if settings of networks
	// or of their training are given, which Default does not read.
	DefaultNetwork string
	// SameModelsAs names the registered task whose models also predict for this task; empty if models
	// name this task.
	SameModelsAs string
	// Scores lists the scores of an evaluation in the basic case. The first is the loss.
	Scores []string
	// Resolve sets what the data determine, such as the output width, and the task's defaults. Options
	// are applied after it.
	Resolve func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error
	// Check returns an error for parts that cannot be trained on with the resolved settings; nil accepts all.
	Check func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error
	// Problem is the loss and the scores for package train.
	Problem func(m model.Model, s *settings.Settings) train.Problem
	// Predict returns a collector of predictions.
	Predict func(s *settings.Settings) Predictor
	// Finish returns a Chooser that completes the settings after training from the outputs for the
	// validation part. Finish or its result may be nil.
	Finish func(s *settings.Settings) Chooser
}

// Predictor collects predictions batch by batch.
type Predictor interface {
	// Add adds the output for a batch; only the given rows are collected.
	Add(out *model.Output, b *graph.Batch, rows []int32)
	// Columns returns the collected predictions.
	Columns() []report.Column
}

// Chooser sets the settings that are chosen after training.
type Chooser interface {
	// Add adds the output for a batch of the validation part.
	Add(out *model.Output, b *graph.Batch)
	Choose() error
}

// Tasks lists the tasks in the order of the help.
func Tasks() []*Task { return slices.Clone(registry) }

// Register adds a task at the end until remove is called. Tests use it to check what a new task needs.
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

// FindTask returns a task by name. The error for an unknown name suggests the nearest name.
func FindTask(name string) (*Task, error) {
	for _, t := range registry {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, settings.Usage(didyoumean.Unknown("task", name, Names()))
}

// Choose returns the task and the model of a request, for items of many graphs or of one graph. The
// default model is the task's default. The default task is the one that suits the data, or, if the
// model is not for it, the model's first task.
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
