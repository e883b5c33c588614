package task

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Find returns the task of a name.
func Find(name string) (Task, error) { return find(name) }

// Misuse is an error about the input or the settings, as IsUsage reports it.
func Misuse(format string, args ...any) error { return misuse(format, args...) }

// OpenSet is OpenData of the set of a name where the path holds several.
func OpenSet(path, set, format, edges string) (*Parts, error) {
	return openNamed(path, set, format, edges)
}

// Name is what the data are called.
func (p *Parts) Name() string { return p.name() }

// OpenOn is Open on data that are read already, which several sessions may share.
// Settings that the model does not read are not refused: a request may be one of
// many with the same settings (see Overrides.Check).
func OpenOn(ctx context.Context, r Request, p *Parts) (*Session, error) {
	t, spec, err := choose(r.Task, r.Model)
	if err != nil {
		return nil, err
	}
	return open(ctx, r, t, spec, p)
}

// FitOptions say what a training keeps and who is told of its progress.
type FitOptions struct {
	// Dir gets a checkpoint at most every Interval, from which a later call goes on;
	// empty keeps none.
	Dir      string
	Interval time.Duration
	OnEpoch  func(train.EpochInfo)
}

// Fit trains the model without a run folder: nothing is kept but checkpoints.
func (s *Session) Fit(ctx context.Context, o FitOptions) (*train.Result, error) {
	var checkpoint *train.Checkpoint
	if o.Dir != "" {
		checkpoint = &train.Checkpoint{Dir: o.Dir, Resume: true, Interval: o.Interval, Identity: s.Settings.identity()}
	}
	return train.Fit(ctx, s.problem(), s.subsets[PartTrain].graphs, s.subsets[PartValid].graphs, s.config(),
		train.Options{Checkpoint: checkpoint, OnEpoch: o.OnEpoch})
}

// Key identifies what decides the result of a training besides its seed and fold.
func (s Settings) Key() string {
	s.Split.Fold, s.Split.Seed, s.Model.Seed, s.Train.Seed, s.Data.Path, s.Data.Set = 0, 0, 0, 0, "", ""
	return digest(mustJSON(s))
}

// Selection says how the settings choose the epoch that is tested.
func (s Settings) Selection() string {
	which, metric := "lowest", s.Train.Monitor.Metric
	if metric == "" {
		metric = "loss"
	}
	if s.Train.Monitor.Maximize {
		which = "highest"
	}
	part := "part"
	if s.Split.Kind == SplitFold {
		part = "fold"
	}
	return fmt.Sprintf("%s validation %s, then one look at the test %s", which, ScoreTitle(metric), part)
}

// ScoreTitle is a score's name for people.
func ScoreTitle(name string) string {
	switch name {
	case "roc_auc":
		return "ROC-AUC"
	case "rmse":
		return "RMSE"
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Over returns o with the settings that by gives in place of its own.
func (o Overrides) Over(by Overrides) Overrides {
	to, from := reflect.ValueOf(&o).Elem(), reflect.ValueOf(by)
	for i := range from.NumField() { // every field is a pointer, nil for not given
		if !from.Field(i).IsNil() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return o
}

// Given lists the settings that are set: the place of the field and the name of its
// option ("batch-size").
func (o Overrides) Given() iter.Seq2[int, string] { return o.given() }

// Has reports whether the field at a place is set.
func (o Overrides) Has(i int) bool { return o.has(i) }

// Check refuses an option of models that none of the given ones, at least one, reads.
func (o Overrides) Check(option string, specs ...model.Spec) error {
	return o.checkOption(option, specs...)
}
