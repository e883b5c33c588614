package task

import (
	"cmp"
	"context"
	"sync"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/smiles"
)

// Request is what a user asks to train.
type Request struct {
	Path string // of the data
	// Task and Model are names of the registries. Where they are empty, the task is the one
	// that the data suit or the model is for, and the model is the task's default.
	Task, Model string
	// Given are settings that a user gave; one that the run does not read is refused.
	Given Values
	// Defaults take the place of the task's defaults, where the run reads them.
	Defaults Values
	Seed     uint64
	// SplitSeed is the seed of a split that is made here; nil for Seed.
	SplitSeed *uint64
	// Threads is the number of threads, 0 for all processors. Results do not depend on it.
	Threads int
	// MaxMemory is the memory, in bytes, that reading the data may take, and that the model
	// may need for a batch; 0 is the bound of data.NewBudget for the data and what is free
	// for the model.
	MaxMemory int64
	// Toolkit reads molecules; nil for none.
	Toolkit chem.Toolkit
}

// Input is data that were read for a request; sessions may share it, side by side.
type Input struct {
	Data
	opening  sync.Mutex // what is fitted on a training part is kept beside the data until a session is open
	settings DataSettings
	source   *Source
	task     *Task // the one that was named; nil for none
}

// Read reads the data of a request. Every error is due to the input or the settings.
func Read(ctx context.Context, r Request) (*Input, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.Given.Validate(); err != nil {
		return nil, err
	}
	format, _ := r.Given["format"].(string)
	usual, _ := r.Defaults["smiles"].(string)
	if format == "" && (r.Given["smiles"] != nil || smiles.Has(r.Path, usual)) {
		format = smiles.Format // the column may have any name
	}
	graphFile, _ := r.Defaults["format"].(string)
	src, err := sourceOf(r.Path, cmp.Or(format, unrecognised(r.Path, graphFile)))
	if err != nil {
		return nil, err
	}
	in := &Input{source: src}
	if err := in.named(r); err != nil {
		return nil, err
	}
	s := &Settings{Data: DataSettings{Source: src.Name, Path: r.Path, Edges: edgesAuto, MaxMemory: r.MaxMemory, Toolkit: r.Toolkit, Threads: r.Threads}}
	src.Begin(&s.Data)
	if in.task != nil {
		s.Task, s.Kind = in.task.Name, in.task.Kind
	}
	for _, values := range []Values{r.Defaults, r.Given} {
		if err := values.apply(s, true, OfData); err != nil { // what is not read is refused once the task is known
			return nil, err
		}
	}
	if src.Fits != nil {
		if err := src.Fits(&s.Data, in.kind(), r.Model, r.Defaults.Over(r.Given)); err != nil {
			return nil, err
		}
	}
	if in.Data, err = src.Read(ctx, &s.Data, in.kind()); err != nil {
		return nil, asUsage(err)
	}
	s.Data.Toolkit, s.Data.Threads = nil, 0 // which are of the request
	in.settings = s.Data
	return in, nil
}

// kind is what the task that was named predicts; nil for none.
func (in *Input) kind() *Kind {
	if in.task == nil {
		return nil
	}
	return &in.task.Kind
}

// named checks, before data are read, the names in a request and its options of models.
func (in *Input) named(r Request) (err error) {
	if r.Task != "" {
		if in.task, err = FindTask(r.Task); err != nil {
			return err
		}
	}
	if r.Task == "" && r.Model == "" {
		return nil
	}
	var begun DataSettings
	in.source.Begin(&begun)
	_, spec, err := choose(r.Task, r.Model, "", begun.many())
	if err != nil {
		return err
	}
	s := &Settings{ModelName: spec.Name, Model: spec.Config()}
	for o := range r.Given.each() {
		if o.Of == OfModel && s.Model.At(o.Name) == nil {
			return o.unread(s)
		}
	}
	return nil
}

// Unread refuses given values of OfData that the source does not read.
func (in *Input) Unread(given Values) error {
	return given.apply(&Settings{Data: in.settings.clone()}, false, OfData)
}

// Collection is the set of graphs that was read; an error where data are of another kind.
func (in *Input) Collection() (*data.Dataset, error) {
	p, ok := collection(in.Data)
	switch {
	case !ok:
		return nil, Misuse("task: %s is read from %s, expected a collection of graphs", in.Name(), in.settings.Source)
	case p.whole == nil:
		return nil, Misuse("task: %s holds a set per part; take each by its own path", in.Name())
	}
	return p.whole, nil
}

// Memory is the size, in bytes, of graphs as they were read; 0 for other data.
func (in *Input) Memory() int64 {
	if p, ok := collection(in.Data); ok {
		return p.memory()
	}
	return 0
}
