package task

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Session is a model with its data and settings, to be trained or used.
type Session struct {
	Settings Settings
	Data     Data
	Model    model.Model
	Threads  int
	// Gradients changes the gradients of each step before they are clipped; nil does not.
	// It is set before training.
	Gradients func(params []*tensor.Param) train.GradientHook

	task   *Task
	spec   model.Spec
	parts  map[string]*Part
	own    bool     // the data are those of the training
	tested *Outcome // of the test part, once a training has ended
	facts  *Facts   // of a session of OpenFed, which has no Data; else nil

	// What trials need, of a session that OpenOn made: see trial.go.
	request   Request
	input     *Input
	questions []question

	maxMemory int64        // Request.MaxMemory
	toolkit   chem.Toolkit // Request.Toolkit; nil for none
}

// Open reads the data of a request, resolves the settings and builds the model. Every error
// is due to the input or the settings.
func Open(ctx context.Context, r Request) (*Session, error) {
	in, err := Read(ctx, r)
	if err != nil {
		return nil, err
	}
	return OpenOn(ctx, r, in)
}

// OpenOn is Open with data that were read before.
func OpenOn(ctx context.Context, r Request, in *Input) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in.opening.Lock()
	defer in.opening.Unlock()
	suits := suited(in.Labelled())
	t, spec, err := choose(r.Task, r.Model, suits, in.settings.many())
	if err != nil {
		return nil, err
	}
	s := &Session{Data: in.Data, Threads: r.Threads, task: t, spec: spec, own: true, maxMemory: r.MaxMemory, toolkit: r.Toolkit, request: r, input: in}
	set := &s.Settings
	*set = Settings{Version: settingsVersion, Task: t.Name, Kind: t.Kind, ModelName: spec.Name, Data: in.settings.clone()}
	if err := in.Unread(r.Given); err != nil {
		return nil, err
	}
	if err := s.split(ctx, r); err != nil {
		if r.Task == "" && t.Name != suits {
			err = Misuse("%w; model %s is for %s, these data are for %s", err, spec.Name, t.Name, suits)
		}
		return nil, err
	}
	training := s.parts[PartTrain]
	if training == nil || len(training.Graphs) == 0 {
		return nil, Misuse("task: %s: no graphs to train on", set.Data.Name)
	}
	set.Model = spec.Config()
	g := training.Graphs[0]
	set.Model.Node, set.Model.Edge = g.Node.Width(), g.Edge.Width()
	if err := t.Resolve(set, in, s.parts); err != nil {
		return nil, asUsage(err)
	}
	if err := s.options(r); err != nil {
		return nil, err
	}
	if t.Check != nil {
		if err := t.Check(set, in, s.parts); err != nil {
			return nil, asUsage(err)
		}
	}
	if err := s.build(); err != nil {
		return nil, err
	}
	s.ask()
	return s, nil
}

// build makes the model, once all settings are there.
func (s *Session) build() (err error) {
	if err := s.coverable(); err != nil {
		return err
	}
	if err := s.spec.Trainable(s.Settings.Model); err != nil {
		return asUsage(err)
	}
	if s.Model, err = s.spec.New(s.Settings.Model); err != nil {
		return asUsage(err)
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
		set.Split.Kind = SplitFolds
	}
	err = s.Data.ResolveSplit(&set.Split, &s.task.Kind)
	if _, own := r.Given["split"]; err != nil && !own && set.Split.Kind != "" {
		// A default split, such as that of a run on other data, gives way to the one the
		// data have.
		set.Split = Split{Seed: set.Split.Seed}
		err = s.Data.ResolveSplit(&set.Split, &s.task.Kind)
	}
	if err != nil {
		return asUsage(err)
	}
	if err := r.Defaults.apply(set, true, OfSplit); err != nil {
		return err
	}
	if err := r.Given.apply(set, false, OfSplit); err != nil {
		return err
	}
	if err := s.largeEdges(given); err != nil {
		return err
	}
	s.parts, err = s.Data.Divide(ctx, set, &s.task.Kind, s.spec.Form)
	if err != nil {
		return asUsage(err)
	}
	return nil
}

// options applies defaults and given values to model and training, and sets what follows
// from them.
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
	if m.Encode && s.facts == nil {
		g := s.parts[PartTrain].Graphs[0]
		m.NodeBlocks, m.EdgeBlocks = g.Node.Blocks(), g.Edge.Blocks()
	}
	s.spec.Size(m, s.stats())
	m.Seed, set.Train.Seed = r.Seed, r.Seed
	set.Train.Threads = r.Threads
	if err := set.Train.Validate(); err != nil {
		return asUsage(err)
	}
	return nil
}

// stats counts the nodes and edges of all graphs. Like the published code, it counts the
// test graphs for the shape of a model.
func (s *Session) stats() model.Stats {
	var st model.Stats
	if s.facts != nil {
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
		return nil, Misuse("task: no part %q of %s, expected one of %q", name, s.Data.Name(), have)
	}
	p, err := s.Data.Whole(&s.Settings, &s.task.Kind, s.spec.Form)
	if err != nil {
		return nil, asUsage(err)
	}
	s.parts[PartAll] = p
	return p, nil
}

// Graphs are the graphs of a part, as the model sees them; nil where there is no such part.
func (s *Session) Graphs(part string) []*graph.Graph {
	if p := s.parts[part]; p != nil {
		return p.Graphs
	}
	return nil
}

// coverable refuses a coverage that the part to validate on has too few labels for.
func (s *Session) coverable() error {
	t := &s.Settings.Target
	if t.Coverage == 0 {
		return nil
	}
	least := int(math.Ceil(t.Coverage/(1-t.Coverage) - 1e-9)) // see metric.ConformalQuantile
	refused := func(n int, what string) error {
		return Misuse("task: --coverage %v needs at least %d %ss to validate on that have %s, found %d", t.Coverage, least, s.task.Items, what, n)
	}
	valid, n := s.parts[PartValid], 0
	if s.facts != nil {
		n = s.facts.Valid
	} else if valid != nil {
		n = s.labelled(valid)
	}
	if n < least {
		return refused(n, "a label")
	}
	for k, name := range t.Names {
		n := 0
		for _, g := range valid.Graphs {
			if !math.IsNaN(float64(g.Targets[k])) {
				n++
			}
		}
		if n < least {
			return refused(n, "a number "+name)
		}
	}
	return nil
}

// labelled counts the items of a part that have a label or a number to score by.
func (s *Session) labelled(p *Part) int {
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
	byNumber := s.Settings.Target.Names != nil || s.task.Number
	for _, g := range p.Graphs {
		switch items := s.task.Items; {
		case s.task.Reconstructs && items == Graphs:
			n += g.NumNodes + g.NumEdges()
		case s.task.Reconstructs:
			n += countOf(g, items)
		case byNumber:
			numbers(numbersOf(items, g), countOf(g, items))
		default:
			count(classesOfGraph(items, g))
		}
	}
	return n
}
