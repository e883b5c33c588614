package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Request is what a user asks to train.
type Request struct {
	Path string // of the data
	// Task and Model are names of the registries; empty for what the data are for, the
	// model of the task, the task of the model.
	Task, Model string
	// Given are settings that a user gave; one that the run would not read is refused.
	Given Values
	// Defaults replace defaults of the task, where the run reads them.
	Defaults Values
	Seed     uint64
	// SplitSeed is that of a split that is made here; nil for Seed.
	SplitSeed *uint64
	// Threads does not change results; 0 for all processors.
	Threads int
	// MaxMemory is the memory, in bytes, that reading the data may take; 0 is
	// data.DefaultMaxMemory.
	MaxMemory int64
}

// Session is a model with its data and settings, to be trained or used.
type Session struct {
	Settings Settings
	Data     Data
	Model    model.Model
	Threads  int
	// Gradients changes the gradients of each step before they are clipped; nil leaves
	// them. An experiment sets it before training.
	Gradients func(params []*tensor.Param) train.GradientHook

	task  *Task
	spec  model.Spec
	parts map[string]*Part
	own   bool // the data are those of the training
}

// usageError marks errors that the input or the settings are to blame for.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// IsUsage reports whether an error is about the input or the settings, and not
// a failure of the work.
func IsUsage(err error) bool {
	var u usageError
	var p *data.ParseError
	return errors.As(err, &u) || errors.As(err, &p)
}

func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Misuse is an error about the input or the settings, as IsUsage reports it.
func Misuse(format string, args ...any) error { return misuse(format, args...) }

// Input is data that were read with the settings of a request; sessions may share it.
type Input struct {
	Data
	settings DataSettings
	source   *Source
	task     *Task // that was named; nil for none
}

// Read reads the data of a request. Every error is the input's or the settings'.
func Read(ctx context.Context, r Request) (*Input, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.Given.Validate(); err != nil {
		return nil, err
	}
	format, _ := r.Given["format"].(string)
	src, err := sourceOf(r.Path, format)
	if err != nil {
		return nil, err
	}
	in := &Input{source: src}
	if err := in.named(r); err != nil {
		return nil, err
	}
	s := &Settings{Data: DataSettings{Source: src.Name, Path: r.Path, Edges: edgesAuto, MaxMemory: r.MaxMemory}}
	src.Begin(&s.Data)
	if in.task != nil {
		s.Task = in.task.Name
	}
	for _, values := range []Values{r.Defaults, r.Given} {
		if err := values.apply(s, true, OfData); err != nil { // refused once the task is known
			return nil, err
		}
	}
	if in.Data, err = src.Read(ctx, &s.Data, in.task); err != nil {
		return nil, usageError{err}
	}
	in.settings = s.Data
	return in, nil
}

// named checks the names of a request, and its options of models, before data are read.
func (in *Input) named(r Request) (err error) {
	if r.Task != "" {
		if in.task, err = FindTask(r.Task); err != nil {
			return err
		}
	}
	if r.Task == "" && r.Model == "" {
		return nil
	}
	_, spec, err := choose(r.Task, r.Model, "")
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

// Open reads the data of a request, resolves the settings and builds the model.
// Every error is the input's or the settings'.
func Open(ctx context.Context, r Request) (*Session, error) {
	in, err := Read(ctx, r)
	if err != nil {
		return nil, err
	}
	return OpenOn(ctx, r, in)
}

// OpenOn is Open on data that are read already.
func OpenOn(ctx context.Context, r Request, in *Input) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, spec, err := choose(r.Task, r.Model, in.Suits())
	if err != nil {
		return nil, err
	}
	s := &Session{Data: in.Data, Threads: r.Threads, task: t, spec: spec, own: true}
	set := &s.Settings
	*set = Settings{Version: settingsVersion, Task: t.Name, ModelName: spec.Name, Data: in.settings.clone()}
	if err := in.Unread(r.Given); err != nil {
		return nil, err
	}
	if err := s.split(r); err != nil {
		if r.Task == "" && t.Name != in.Suits() {
			err = misuse("%w; model %s is for %s, these data are for %s", err, spec.Name, t.Name, in.Suits())
		}
		return nil, err
	}
	training := s.parts[PartTrain]
	if training == nil || len(training.Graphs) == 0 {
		return nil, misuse("task: %s: no graphs to train on", set.Data.Name)
	}
	set.Model = spec.Config()
	g := training.Graphs[0]
	set.Model.Node, set.Model.Edge = g.Node.Width(), g.Edge.Width()
	if err := t.Resolve(set, in, s.parts); err != nil {
		return nil, usageError{err}
	}
	if err := s.options(r); err != nil {
		return nil, err
	}
	if t.Check != nil {
		if err := t.Check(set, in, s.parts); err != nil {
			return nil, usageError{err}
		}
	}
	if s.Model, err = spec.New(set.Model); err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

// Unread refuses values of OfData that the source does not read.
func (in *Input) Unread(given Values) error {
	return given.apply(&Settings{Data: in.settings.clone()}, false, OfData)
}

// Collection is the one set of graphs of the input.
func (in *Input) Collection() (*data.Dataset, error) {
	p, ok := in.Data.(*graphData)
	switch {
	case !ok:
		return nil, misuse("task: %s is read from %s, expected a collection of graphs", in.Name(), in.settings.Source)
	case p.whole == nil:
		return nil, misuse("task: %s holds a set per part; take each by its own path", in.Name())
	}
	return p.whole, nil
}

// clone copies the parts of the settings that sessions complete each for itself.
func (d DataSettings) clone() DataSettings {
	if d.Graphs != nil {
		g := *d.Graphs
		d.Graphs = &g
	}
	if d.Tables != nil {
		t := *d.Tables
		d.Tables = &t
	}
	return d
}

// split resolves the split and divides the data.
func (s *Session) split(r Request) (err error) {
	set := &s.Settings
	given := r.Defaults.Over(r.Given)
	if set.Split.Seed = r.Seed; r.SplitSeed != nil {
		set.Split.Seed = *r.SplitSeed
	}
	set.Split.Kind, _ = given["split"].(string)
	if _, ok := given["folds"]; ok && set.Split.Kind == "" {
		set.Split.Kind = SplitFolds
	}
	err = s.Data.ResolveSplit(&set.Split, s.task)
	if _, own := r.Given["split"]; err != nil && !own && set.Split.Kind != "" {
		// A default, as of a run on other data, gives way to what the data have.
		set.Split = Split{Seed: set.Split.Seed}
		err = s.Data.ResolveSplit(&set.Split, s.task)
	}
	if err != nil {
		return usageError{err}
	}
	if err := r.Defaults.apply(set, true, OfSplit); err != nil {
		return err
	}
	if err := r.Given.apply(set, false, OfSplit); err != nil {
		return err
	}
	s.parts, err = s.Data.Divide(set, s.task, s.spec.Form)
	if err != nil {
		return usageError{err}
	}
	return nil
}

// options applies defaults and given values to model and training, and completes what
// follows from them.
func (s *Session) options(r Request) error {
	set := &s.Settings
	groups := []Group{OfTask, OfModel, OfTrain}
	if err := r.Defaults.apply(set, true, groups...); err != nil {
		return err
	}
	if err := r.Given.apply(set, false, groups...); err != nil {
		return err
	}
	m := &set.Model
	if m.Encode {
		g := s.parts[PartTrain].Graphs[0]
		m.NodeBlocks, m.EdgeBlocks = g.Node.Blocks(), g.Edge.Blocks()
	}
	s.spec.Size(m, s.stats())
	m.Seed, set.Train.Seed = r.Seed, r.Seed
	set.Train.Threads = r.Threads
	if err := set.Train.Validate(); err != nil {
		return usageError{err}
	}
	return nil
}

// stats counts over all graphs of a set: what shapes a model may look at the sizes of
// test graphs, as the published code does.
func (s *Session) stats() model.Stats {
	var st model.Stats
	graphs := s.Data.Graphs()
	if len(graphs) == 0 {
		return st
	}
	edges := 0
	for _, g := range graphs {
		st.Nodes = append(st.Nodes, g.NumNodes)
		edges += g.NumEdges()
	}
	slices.Sort(st.Nodes)
	st.MeanEdges = float64(edges) / float64(len(graphs))
	if s.Settings.Data.Directed() {
		st.MeanEdges /= 2
	}
	return st
}

// part returns a part of the session's data.
func (s *Session) part(name string) (*Part, error) {
	if p, ok := s.parts[name]; ok {
		return p, nil
	}
	if name != PartAll {
		have := []string{PartAll}
		for k := range s.parts {
			if k != PartAll {
				have = append(have, k)
			}
		}
		slices.Sort(have)
		return nil, misuse("task: no part %q of %s, expected one of %q", name, s.Data.Name(), have)
	}
	p, err := s.Data.Whole(&s.Settings, s.task, s.spec.Form)
	if err != nil {
		return nil, usageError{err}
	}
	s.parts[PartAll] = p
	return p, nil
}

// graphs are those of a part, nil where there is none.
func (s *Session) graphs(part string) []*graph.Graph {
	if p := s.parts[part]; p != nil {
		return p.Graphs
	}
	return nil
}

// labelled counts the items of a part that have a label or number to score by.
func (s *Session) labelled(p *Part) int {
	n := 0
	count := func(labels []int32) {
		for _, c := range labels {
			if c >= 0 {
				n++
			}
		}
	}
	numbers := func(rows []float32, width int) {
		for i := 0; i+width <= len(rows); i += width {
			if slices.ContainsFunc(rows[i:i+width], func(v float32) bool { return !math.IsNaN(float64(v)) }) {
				n++
			}
		}
	}
	byNumber := s.Settings.Target.Names != nil || s.task.Number
	for _, g := range p.Graphs {
		switch items := s.task.Items; {
		case items == Edges && s.task.Collection:
			n += g.NumEdges()
		case items == Edges && byNumber:
			numbers(g.EdgeTargets, 1)
		case items == Edges:
			count(g.EdgeLabel)
		case items == Nodes:
			count(g.NodeLabel)
		case byNumber:
			numbers(g.Targets, max(len(g.Targets), 1))
		default:
			count([]int32{g.Label})
		}
	}
	return n
}
