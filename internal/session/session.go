package session

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Session is a model with its data and settings, for training or for use.
type Session struct {
	Settings settings.Settings
	Data     source.Data
	Model    model.Model
	Threads  int
	// Gradients, if not nil, changes the gradients of each step before they are clipped. Set it before
	// training.
	Gradients func(params []*tensor.Param) train.GradientHook

	Task        *task.Task
	Spec        model.Spec
	Parts       map[string]*source.Part
	own         bool                     // the data are the training data
	leaderboard []auto.Entry             // of a training of model.Auto
	keptLabels  *model.KeptLabels        // kept while the same edges are predicted repeatedly
	curve       []train.EpochInfo        // learning curve of the network of model.Auto
	before      *Run                     // finished run with the same settings in the folder, before a training is resumed; nil for none
	outcomes    map[string]*task.Outcome // outcomes of parts after a training
	warnings    []string                 // of the training
	stream      *StreamInfo              // of a session of OpenTrainStream, which has no Data; otherwise nil

	request   Request      // of a session made by OpenOn
	input     *Input       // also: to open other sessions on the same data
	maxMemory int64        // see Request.MaxMemory
	Toolkit   chem.Toolkit // see Request.Toolkit; nil for none
}

// Open reads the data of a request, resolves the settings and builds the model. Its errors are
// caused by the input or the settings.
func Open(ctx context.Context, r Request) (*Session, error) {
	in, err := Read(ctx, r)
	if err != nil {
		return nil, err
	}
	return OpenOn(ctx, r, in)
}

// OpenOn is Open for data that were already read.
func OpenOn(ctx context.Context, r Request, in *Input) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in.opening.Lock()
	defer in.opening.Unlock()
	suits := settings.TaskOf(in.Labelled())
	t, spec, err := task.Choose(r.Task, r.Model, suits, in.settings.Many(), r.Defaults.Over(r.Given))
	if err != nil {
		return nil, err
	}
	s := &Session{Data: in.Data, Threads: r.Threads, Task: t, Spec: spec, own: true, maxMemory: r.MaxMemory, Toolkit: r.Toolkit, request: r, input: in}
	set := &s.Settings
	*set = settings.Settings{Version: settings.SettingsVersion, Task: t.Name, Kind: t.Kind, ModelName: spec.Name, Data: in.settings.Clone()}
	if err := in.Unread(r.Given); err != nil {
		return nil, err
	}
	if err := s.split(ctx, r); err != nil {
		if r.Task == "" && t.Name != suits {
			err = settings.Misuse("%w; model %s is for %s, these data are for %s", err, spec.Name, t.Name, suits)
		}
		return nil, err
	}
	training := s.Parts[source.PartTrain]
	if training == nil || len(training.Graphs) == 0 {
		return nil, settings.Misuse("%s: no graphs to train on", set.Data.Name)
	}
	if t.Level == settings.Graphs && !t.Reconstructs { // the defaults depend on the form
		given, ok := r.Defaults.Over(r.Given)["learners"].(bool)
		set.Target.Learners = ok && given || !ok && r.Model == ""
	}
	set.Model = spec.Config()
	g := training.Graphs[0]
	set.Model.Node, set.Model.Edge = g.Node.Width(), g.Edge.Width()
	if err := t.Resolve(set, in, s.Parts); err != nil {
		return nil, settings.Usage(err)
	}
	if err := s.options(r); err != nil {
		return nil, err
	}
	s.describeColumns()
	if t.Check != nil {
		if err := t.Check(set, in, s.Parts); err != nil {
			return nil, settings.Usage(err)
		}
	}
	if err := s.build(); err != nil {
		return nil, err
	}
	return s, nil
}

// build makes the model after all settings are resolved.
func (s *Session) build() (err error) {
	if err := s.checkCoverage(); err != nil {
		return err
	}
	if err := s.Spec.Trainable(s.Settings.Model); err != nil {
		return settings.Usage(err)
	}
	if s.Model, err = s.Spec.New(s.Settings.Model); err != nil {
		return settings.Usage(err)
	}
	return nil
}

// split resolves the split and divides the data.
func (s *Session) split(ctx context.Context, r Request) (err error) {
	set := &s.Settings
	given := r.Defaults.Over(r.Given)
	if set.Split.Seed = r.Seed; r.SplitSeed != nil {
		set.Split.Seed = *r.SplitSeed
	}
	set.Split.Kind, _ = given["split"].(string)
	if _, ok := given["folds"]; ok && set.Split.Kind == "" {
		set.Split.Kind = settings.SplitFolds
	}
	err = s.Data.ResolveSplit(&set.Split, &s.Task.Kind)
	if _, own := r.Given["split"]; err != nil && !own && set.Split.Kind != "" {
		// A default split, for example of a run on other data, is replaced by the split of the data.
		set.Split = settings.Split{Seed: set.Split.Seed}
		err = s.Data.ResolveSplit(&set.Split, &s.Task.Kind)
	}
	if err != nil {
		return settings.Usage(err)
	}
	if c, ok := s.Data.(*source.ColumnData); ok && given["transductive"] == nil {
		c.ResolveTransductive(set)
	}
	if err := r.Defaults.Apply(set, true, settings.OfSplit); err != nil {
		return err
	}
	if err := r.Given.Apply(set, false, settings.OfSplit); err != nil {
		return err
	}
	if err := s.largeEdges(given); err != nil {
		return err
	}
	s.Parts, err = s.Data.Split(ctx, set, &s.Task.Kind, s.Spec.Form)
	if err != nil {
		return settings.Usage(err)
	}
	return nil
}

// options applies defaults and given values to model and training, and sets what depends on them.
func (s *Session) options(r Request) error {
	set := &s.Settings
	groups := []settings.Group{settings.OfTask, settings.OfModel, settings.OfTrain}
	if err := r.Defaults.Apply(set, true, groups...); err != nil {
		return err
	}
	if err := r.Given.Apply(set, false, groups...); err != nil {
		return err
	}
	if err := s.settleThreshold(); err != nil {
		return err
	}
	m := &set.Model
	if m.Encode && s.stream == nil {
		g := s.Parts[source.PartTrain].Graphs[0]
		m.NodeBlocks, m.EdgeBlocks = g.Node.Blocks(), g.Edge.Blocks()
	}
	s.Spec.Size(m, s.stats())
	m.Seed, set.Train.Seed = r.Seed, r.Seed
	set.Train.Threads = r.Threads
	if err := set.Train.Validate(); err != nil {
		return settings.Usage(err)
	}
	return nil
}

// stats counts the nodes and edges of all graphs. Like the published code, it includes the test
// graphs for the shape of a model.
func (s *Session) stats() model.Stats {
	var st model.Stats
	if s.stream != nil {
		return st
	}
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

// Part returns a part of the session's data.
func (s *Session) Part(name string) (*source.Part, error) {
	if p, ok := s.Parts[name]; ok {
		return p, nil
	}
	if name != source.PartAll {
		have := []string{source.PartAll}
		for k := range s.Parts {
			if k != source.PartAll {
				have = append(have, k)
			}
		}
		slices.Sort(have)
		return nil, settings.Misuse("no part %q of %s, expected one of %q", name, s.Data.Name(), have)
	}
	p, err := s.Data.All(&s.Settings, &s.Task.Kind, s.Spec.Form)
	if err != nil {
		return nil, settings.Usage(err)
	}
	s.Parts[source.PartAll] = p
	return p, nil
}

// Graphs returns the graphs of a part in the form that the model reads; nil if there is no such part.
func (s *Session) Graphs(part string) []*graph.Graph {
	if p := s.Parts[part]; p != nil {
		return p.Graphs
	}
	return nil
}

// checkCoverage returns an error for a coverage for which the validation part has too few labels.
func (s *Session) checkCoverage() error {
	t := &s.Settings.Target
	if t.Coverage == 0 {
		return nil
	}
	least := int(math.Ceil(t.Coverage/(1-t.Coverage) - 1e-9)) // see metric.ConformalQuantile
	refused := func(n int, what string) error {
		return settings.Misuse("--coverage %v needs at least %d %ss to validate on that have %s, found %d", t.Coverage, least, s.Task.Level, what, n)
	}
	valid, n := s.Parts[source.PartValid], 0
	if s.stream != nil {
		n = s.stream.Valid
	} else if valid != nil {
		n = s.labelled(valid)
	}
	if n < least {
		return refused(n, "a label")
	}
	for k, name := range t.Names {
		n := lists.Count(valid.Graphs, func(g *graph.Graph) bool { return !math.IsNaN(float64(g.Targets[k])) })
		if n < least {
			return refused(n, "a number "+name)
		}
	}
	return nil
}

// labelled counts the items of a part that have a label or a number.
func (s *Session) labelled(p *source.Part) int {
	n := 0
	count := func(labels []int32) {
		for _, c := range labels {
			if c >= 0 {
				n++
			}
		}
	}
	numbers := func(rows []float32, items int) {
		width := max(len(rows)/max(items, 1), 1)
		for i := 0; i+width <= len(rows); i += width {
			if slices.ContainsFunc(rows[i:i+width], func(v float32) bool { return !math.IsNaN(float64(v)) }) {
				n++
			}
		}
	}
	byNumber := s.Settings.Target.Names != nil || s.Task.Number
	for _, g := range p.Graphs {
		switch items := s.Task.Level; {
		case s.Task.Reconstructs && items == settings.Graphs:
			n += g.NumNodes + g.NumEdges()
		case s.Task.Reconstructs:
			n += task.CountOf(g, items)
		case byNumber:
			numbers(task.NumbersOf(items, g), task.CountOf(g, items))
		default:
			count(task.ClassesOfGraph(items, g))
		}
	}
	return n
}
