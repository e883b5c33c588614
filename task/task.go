package task

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/nearest"
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
	// Items are what is predicted for. With Collection they are those of many graphs,
	// which are the items of a split; else splits are of the items of one graph.
	Items      Items
	Collection bool
	// Number says that labels are numbers to estimate and not classes.
	Number bool
	// Reconstructs says that what is predicted are the features of the items themselves,
	// so that data need no labels.
	Reconstructs bool
	// Weighted says that the loss weighs classes by their rarity unless that is
	// declined.
	Weighted bool
	// Scores names the scores of an evaluation of the task's plain form; the first is
	// the loss.
	Scores []string
	// Resolve fills in what the data decide (the width of the output and the like) and
	// the task's defaults, before options.
	Resolve func(s *Settings, d Data, parts map[string]*Part) error
	// Check refuses parts on which the resolved settings cannot be trained; nil for none.
	Check func(s *Settings, d Data, parts map[string]*Part) error
	// Warmup is the length in epochs of the warm-up where a cosine schedule is asked
	// for and not the default; nil for the patience.
	Warmup func(c train.Config) int
	// Problem is the loss and the scores for package train.
	Problem func(m model.Model, s *Settings) train.Problem
	// Predict makes a collector of predictions.
	Predict func(s *Settings) Predictor
	// Finish chooses what is chosen after training, by the outputs for the validation
	// part; nil for nothing.
	Finish func(s *Settings) Chooser
}

// Predictor collects predictions batch by batch.
type Predictor interface {
	// Add takes the output for some items of a batch, by their rows in it.
	Add(out *model.Output, b *graph.Batch, rows []int32)
	// Columns are what was collected.
	Columns() []report.Column
}

// Chooser sets what settings leave open until the model is trained.
type Chooser interface {
	// Add takes the output for a batch of the validation part.
	Add(out *model.Output, b *graph.Batch)
	Choose()
}

// Tasks lists the tasks in the order help shows them.
var Tasks = []*Task{graphClassification, graphRegression, nodeClassification, edgeClassification, edgeRegression, edgeReconstruction}

// Names lists the registered tasks.
func Names() []string {
	names := make([]string, len(Tasks))
	for i, t := range Tasks {
		names[i] = t.Name
	}
	return names
}

// FindTask returns a task by name. The error of an unknown name suggests the nearest.
func FindTask(name string) (*Task, error) {
	for _, t := range Tasks {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, misuse("task: unknown task %q, did you mean %q? (known: %s)", name, nearest.Name(name, Names(), math.MaxInt-1), strings.Join(Names(), ", "))
}

// suited is the name of the first task on labels of items: classes or numbers.
func suited(items Items, number bool) string {
	for _, t := range Tasks {
		if t.Items == items && t.Number == number && !t.Reconstructs {
			return t.Name
		}
	}
	return ""
}

// choose returns the task and the model: the named ones; without a task the one that the
// data suit, if the model is for it, else the model's first; without a model that of the
// task.
func choose(taskName, modelName, suits string) (*Task, model.Spec, error) {
	if modelName == "" {
		t, err := FindTask(cmp.Or(taskName, suits))
		if err != nil {
			return nil, model.Spec{}, err
		}
		modelName = t.Default
	}
	spec, err := model.Find(modelName)
	if err != nil {
		return nil, spec, usageError{err}
	}
	if taskName == "" {
		if taskName = suits; !slices.Contains(spec.Tasks, suits) {
			taskName = spec.Tasks[0]
		}
	}
	t, err := FindTask(taskName)
	if err != nil {
		return nil, spec, err
	}
	if !slices.Contains(spec.Tasks, t.Name) {
		return t, spec, misuse("task: model %s has no predictions for %s, expected a model for that task or one of the tasks: %s",
			spec.Name, t.Name, strings.Join(spec.Tasks, ", "))
	}
	return t, spec, nil
}

// warmup is the length of a warm-up that is asked for.
func (t *Task) warmup(c train.Config) int {
	if t.Warmup != nil {
		return t.Warmup(c)
	}
	return c.Patience
}

// className is the text a class has in the data, its number where it has none; empty
// for no class.
func className(classes []string, c int32) string {
	switch {
	case c < 0:
		return ""
	case int(c) < len(classes):
		return classes[c]
	}
	return fmt.Sprint(c)
}
