package session

import (
	"cmp"
	"context"
	"sync"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Request describes a training that a user asks for.
type Request struct {
	Path string // path of the data
	// Memory has the data if there is no path; nil for data in files.
	Memory *settings.Memory
	// Task and Model are names in the registries. The default task is the one that suits the data or
	// the model, and the default model is the default of the task.
	Task, Model string
	// Given are the settings that a user gave; a setting that the run does not read is an error.
	Given settings.Values
	// Defaults replace the task's defaults, if the run reads them.
	Defaults settings.Values
	Seed     uint64
	// SplitSeed is the seed of a random split; nil for Seed.
	SplitSeed *uint64
	// Threads is the number of threads, 0 for all processors. Results do not depend on it.
	Threads int
	// MaxMemory is the memory, in bytes, that reading the data may use, and that the model may use for
	// a batch. 0 means the bound of data.NewBudget for the data, and the free memory for the model.
	MaxMemory int64
	// Toolkit reads molecules; nil for none.
	Toolkit chem.Toolkit
}

// Input is the data read for a request. Several sessions may share it, also concurrently.
type Input struct {
	source.Data
	opening  sync.Mutex // held while a session is opened: what is fitted on a training part is stored in the data
	settings settings.DataSettings
	source   *source.Source
	task     *task.Task // the given task; nil for none
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
		format = smiles.Format // any column may have the SMILES
	}
	graphFile, _ := r.Defaults["format"].(string)
	src, err := r.source(cmp.Or(format, source.Unrecognised(r.Path, graphFile)))
	if err != nil {
		return nil, err
	}
	in := &Input{source: src}
	if err := in.checkNames(r); err != nil {
		return nil, err
	}
	s := &settings.Settings{Data: settings.DataSettings{Source: src.Name, Path: r.Path, Edges: settings.EdgesAuto, MaxMemory: r.MaxMemory, Toolkit: r.Toolkit, Threads: r.Threads, Memory: r.Memory}}
	src.InitSettings(&s.Data)
	if in.task != nil {
		s.Task, s.Kind = in.task.Name, in.task.Kind
	}
	for _, values := range []settings.Values{r.Defaults, r.Given} {
		if err := values.Apply(s, true, settings.OfData); err != nil { // options that are not read are reported once the task is known
			return nil, err
		}
	}
	if src.CheckMemory != nil {
		if err := src.CheckMemory(&s.Data, in.kind(), r.Model, r.Defaults.Over(r.Given)); err != nil {
			return nil, err
		}
	}
	if s.Data.Bipartite() && s.Data.Tables == nil {
		return nil, settings.Misuse("--edges bipartite is for tables of edges, and %s is read as %s", r.Path, src.Name)
	}
	if in.Data, err = src.Read(ctx, &s.Data, in.kind()); err != nil {
		return nil, settings.Usage(err)
	}
	s.Data.Toolkit, s.Data.Threads, s.Data.Memory = nil, 0, nil // these belong to the request
	in.settings = s.Data
	return in, nil
}

// source returns the source that reads the data.
func (r Request) source(format string) (*source.Source, error) {
	switch m := r.Memory; {
	case m == nil:
		return source.SourceOf(r.Path, format)
	case m.Tables != nil:
		return source.FindSource("tables")
	}
	return source.FindSource(nodelink.Format)
}

// kind is what the given task predicts; nil for none.
func (in *Input) kind() *settings.Kind {
	if in.task == nil {
		return nil
	}
	return &in.task.Kind
}

// checkNames checks the names in a request and its model options before data are read.
func (in *Input) checkNames(r Request) (err error) {
	if r.Task != "" {
		if in.task, err = task.FindTask(r.Task); err != nil {
			return err
		}
	}
	if r.Task == "" && r.Model == "" {
		return nil
	}
	var begun settings.DataSettings
	in.source.InitSettings(&begun)
	_, spec, err := task.Choose(r.Task, r.Model, "", begun.Many(), r.Given)
	if err != nil {
		return err
	}
	s := &settings.Settings{ModelName: spec.Name, Model: spec.Config()}
	for o := range r.Given.Each() {
		if o.Of == settings.OfModel && s.Model.At(o.Name) == nil {
			return o.Unread(s)
		}
	}
	return nil
}

// Unread returns an error for given values of OfData that the source does not read.
func (in *Input) Unread(given settings.Values) error {
	return given.Apply(&settings.Settings{Data: in.settings.Clone()}, false, settings.OfData)
}

// Collection returns the graphs of a collection; an error for other data.
func (in *Input) Collection() (*data.Dataset, error) {
	p, ok := source.Collection(in.Data)
	switch {
	case !ok:
		return nil, settings.Misuse("%s is read from %s, expected a collection of graphs", in.Name(), in.settings.Source)
	case p.Whole == nil:
		return nil, settings.Misuse("%s holds a set per part; take each by its own path", in.Name())
	}
	return p.Whole, nil
}

// Memory is the size in bytes of the graphs of a collection; 0 for other data.
func (in *Input) Memory() int64 {
	if p, ok := source.Collection(in.Data); ok {
		return p.Memory()
	}
	return 0
}
