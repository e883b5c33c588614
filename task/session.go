package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// Request is what a user asks to train.
type Request struct {
	Path   string // of the data
	Set    string // the set to read where the path holds several; empty for the one
	Task   string // empty: what the model is for
	Model  string // empty: the task's own
	Edges  string // auto, undirected or directed
	Format string // tu, dgcnn, ogb, planetoid or empty
	Split  string // fold, random, given or empty
	Fold   int    // 1 to 10; 0 for 1
	Seed   uint64
	// Threads does not change results.
	Threads   int
	Overrides Overrides
}

// Session is a model with its data and settings, to be trained or used.
type Session struct {
	Settings Settings
	Parts    *Parts
	Model    model.Model
	Threads  int

	task    Task
	subsets map[string]subset
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

// Open reads the data of a request, resolves the settings and builds the model.
// Every error is the input's or the settings'.
func Open(ctx context.Context, r Request) (*Session, error) {
	t, spec, err := choose(r.Task, r.Model)
	if err != nil {
		return nil, err
	}
	if err := r.Overrides.checkRead(spec); err != nil {
		return nil, err
	}
	parts, err := openNamed(r.Path, r.Set, r.Format, r.Edges)
	if err != nil {
		return nil, err
	}
	return open(ctx, r, t, spec, parts)
}

// open is Open on data that are read already; several sessions may share them.
func open(ctx context.Context, r Request, t Task, spec model.Spec, parts *Parts) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &Session{Parts: parts, Threads: r.Threads, task: t}
	set := &s.Settings
	set.Task, set.ModelName = t.Name, spec.Name
	set.Data = describe(r.Path, parts)
	set.Data.Set = r.Set
	var err error
	if set.Split, err = chooseSplit(r, t, parts); err != nil {
		return nil, err
	}
	if err := s.divide(spec); err != nil {
		return nil, err
	}
	training := s.subsets[PartTrain].graphs
	if len(training) == 0 {
		return nil, fmt.Errorf("task: %s: no graphs to train on", set.Data.Name)
	}
	set.Model.NodeDim, set.Model.EdgeDim = parts.main().Info.NodeWidth, parts.main().Info.EdgeWidth
	if err := t.Resolve(set, parts, training); err != nil {
		return nil, err
	}
	if ratio := ratioOf(spec); ratio > 0 {
		set.Model.Ratio = ratio
	}
	r0 := recipeOf(set.Data)
	if spec.PaperHeads {
		set.Model.Heads, set.Model.LayerNorm = r0.heads, r0.layerNorm
	}
	if slices.Contains(spec.Options(), "conv") {
		set.Model.Conv = r0.conv
	}
	if err := set.override(r.Overrides, spec, parts.main().Graphs); err != nil {
		return nil, err
	}
	set.Model.Seed, set.Train.Seed = r.Seed, r.Seed
	set.Train.Threads = r.Threads
	if err := set.Train.Validate(); err != nil {
		return nil, err
	}
	if valid := s.subsets[PartValid].graphs; set.Train.Monitor.Metric == "roc_auc" && len(valid) > 0 && !bothClasses(valid, set.Model.Out) {
		return nil, fmt.Errorf("task: %s: no label has both classes among the graphs to validate on, which ROC-AUC needs", set.Data.Name)
	}
	s.Model, err = set.Model.build(spec)
	return s, err
}

// divide splits the data as the settings say.
func (s *Session) divide(spec model.Spec) (err error) {
	if s.task.Nodes {
		s.subsets, err = s.Parts.nodesOf(s.Settings.Split, spec.Form)
	} else {
		s.subsets, err = s.Parts.splitOf(s.Settings.Split)
	}
	return err
}

// describe records how the data were encoded.
func describe(path string, p *Parts) DataSettings {
	i := p.main().Info
	d := DataSettings{Path: path, Name: p.name(), Format: i.Format, Directed: i.Directed, Classes: i.ClassNames, Checksum: i.Checksum}
	gs := p.main().Graphs
	if len(gs) == 0 {
		return d
	}
	// Several label columns keep their own encoding.
	switch {
	case len(i.NodeLabelOffset) == 1:
		d.NodeCodes, d.NodeOffset = gs[0].Node.NumCodes(), i.NodeLabelOffset[0]
	case !i.HasNodeLabels && !i.HasNodeAttributes:
		d.NodeCodes = gs[0].Node.NumCodes() // of degrees
	}
	if len(i.EdgeLabelOffset) == 1 {
		d.EdgeCodes, d.EdgeOffset = gs[0].Edge.NumCodes(), i.EdgeLabelOffset[0]
	}
	return d
}

// chooseSplit takes the named split, or the one the data come with.
func chooseSplit(r Request, t Task, p *Parts) (Split, error) {
	kind := r.Split
	switch {
	case (kind == "" || kind == SplitGiven) && p.given(t):
		return Split{Kind: SplitGiven}, nil
	case p.Whole == nil:
		return Split{}, fmt.Errorf("task: the data come as train, valid and test; split %q, expected %s or none", kind, SplitGiven)
	case kind == "" && p.Whole.Info.HasFolds:
		kind = SplitFold
	case kind == "":
		kind = SplitRandom
	}
	switch kind {
	case SplitFold:
		return Split{Kind: kind, Fold: cmp.Or(r.Fold, 1)}, nil
	case SplitRandom:
		return Split{Kind: kind, Fractions: [3]float64{0.8, 0.1, 0.1}, Seed: r.Seed}, nil
	case SplitGiven:
		return Split{}, fmt.Errorf("task: split %q of data that come without one, expected %s or %s", kind, SplitFold, SplitRandom)
	}
	return Split{}, fmt.Errorf("task: split %q, expected %s, %s or %s", kind, SplitFold, SplitRandom, SplitGiven)
}

// given reports whether the data come with a split for a task: as parts, or with
// the lists of one.
func (p *Parts) given(t Task) bool {
	switch {
	case p.Whole == nil:
		return true
	case t.Nodes:
		return p.Whole.NodeSplit != nil
	}
	return p.Whole.Split != nil
}

// override applies what the user gave over the defaults.
func (s *Settings) override(o Overrides, spec model.Spec, graphs []*graph.Graph) error {
	m, t := &s.Model, &s.Train
	set(&m.Hidden, o.Hidden)
	if o.Hidden != nil && o.EdgeHidden == nil && m.EdgeHidden > 0 {
		m.EdgeHidden = min(m.EdgeHidden, m.Hidden)
	}
	set(&m.EdgeHidden, o.EdgeHidden)
	set(&m.Layers, o.Layers)
	set(&m.Members, o.Members)
	set(&m.Heads, o.Heads)
	set(&m.Dropout, o.Dropout)
	set(&m.Ratio, o.Ratio)
	set(&m.InitGain, o.InitGain)
	set(&m.LayerNorm, o.LayerNorm)
	set(&m.Conv, o.Conv)
	set(&m.EdgeConv, o.EdgeConv)
	set(&m.EdgeInit, o.EdgeInit)
	set(&m.Score, o.Score)
	set(&m.VirtualNode, o.VirtualNode)
	set(&m.Encode, o.Encode)
	set(&m.Unnormalised, o.Unnormalised)
	if m.Encode && len(graphs) > 0 {
		m.NodeBlocks, m.EdgeBlocks = graphs[0].Node.Blocks(), graphs[0].Edge.Blocks()
	}
	// 0 stands for the default in model.Config, but is nothing that a user can mean.
	if o.Members != nil && *o.Members < 1 {
		return fmt.Errorf("task: members is %d, expected at least 1", *o.Members)
	}
	if o.InitGain != nil && !(*o.InitGain > 0) {
		return fmt.Errorf("task: init_gain is %v, expected a number above 0", *o.InitGain)
	}
	if err := s.checkRatio(); err != nil {
		return err
	}
	if err := m.size(spec, statsOf(s, graphs)); err != nil {
		return err
	}
	set(&m.Clusters, o.Clusters)
	set(&t.Epochs, o.Epochs)
	set(&t.BatchSize, o.BatchSize)
	set(&t.Patience, o.Patience)
	set(&t.LR, o.LR)
	set(&t.CarryGradients, o.CarryGradients)
	set(&t.Optimizer.WeightDecay, o.WeightDecay)
	if o.Constant != nil {
		switch {
		case *o.Constant:
			t.Schedule = train.Schedule{Name: "constant"}
		case t.Schedule.Name != "cosine":
			t.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: t.Patience}
		}
	}
	return nil
}

// statsOf counts over all graphs of a set: what shapes a model may look at the
// sizes of test graphs, as the published code does.
func statsOf(s *Settings, graphs []*graph.Graph) model.Stats {
	var st model.Stats
	edges := 0
	for _, g := range graphs {
		st.Nodes = append(st.Nodes, g.NumNodes)
		edges += g.NumEdges()
	}
	slices.Sort(st.Nodes)
	st.MeanEdges = float64(edges) / float64(len(graphs))
	if s.Data.Directed {
		st.MeanEdges /= 2
	}
	return st
}

// part returns the graphs of a part of the session's data.
func (s *Session) part(name string) (subset, error) {
	sub, ok := s.subsets[name]
	if !ok && name == PartAll && s.Parts.Whole == nil {
		return subset{}, misuse("task: the data come in parts; name one of train, valid and test")
	}
	if !ok {
		var have []string
		for k := range s.subsets {
			have = append(have, k)
		}
		slices.Sort(have)
		return subset{}, misuse("task: no part %q of these data, expected one of %q", name, have)
	}
	return sub, nil
}

// Evaluation is the result of Evaluate.
type Evaluation struct {
	Run    string       `json:"run,omitempty"`
	Data   string       `json:"data"`
	Part   string       `json:"part"`
	Graphs int          `json:"graphs"`
	Nodes  int          `json:"nodes,omitempty"` // of node-classification
	Scores train.Scores `json:"scores"`
}

// Evaluate scores the model on a part of the data.
func (s *Session) Evaluate(ctx context.Context, part string) (*Evaluation, error) {
	sub, err := s.part(part)
	if err != nil {
		return nil, err
	}
	scores, err := train.Evaluate(ctx, s.problem(), sub.graphs, s.config())
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Data: s.Parts.name(), Part: part, Graphs: len(sub.graphs), Scores: scores}
	if s.task.Nodes {
		if e.Nodes = len(sub.nodes); sub.nodes == nil {
			e.Nodes = sub.graphs[0].NumNodes
		}
	}
	return e, nil
}

// each runs the model over a part, batch by batch.
func (s *Session) each(ctx context.Context, part string, f func(out *model.Output, b *graph.Batch, of Items) error) error {
	sub, err := s.part(part)
	if err != nil {
		return err
	}
	return train.ForEachBatch(ctx, sub.graphs, s.config(), func(p *nn.Pass, first int, b *graph.Batch) error {
		return f(s.Model.Forward(p, b), b, Items{Graphs: sub.ids[first : first+b.N], Nodes: sub.nodes})
	})
}

// Predict returns the predictions for a part of the data: a row per graph, per
// node or per edge, as the task has it.
func (s *Session) Predict(ctx context.Context, part string) (*report.Table, error) {
	rows := s.task.Predict(s.Settings)
	err := s.each(ctx, part, func(out *model.Output, b *graph.Batch, of Items) error {
		rows.Add(out, b, of)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows.Table(), nil
}

// Embed returns the learned vectors of a part of the data at a level: edge, node
// or graph. Edge rows carry graph, source and target. An edge that a pool
// dropped has the last vector it was given. Where the items are nodes, node rows are
// those of the part, and edges are all of the graph in the form that the model wants.
func (s *Session) Embed(ctx context.Context, part, level string) (*report.Table, error) {
	e := &embedding{level: level, model: s.Settings.ModelName}
	if err := s.each(ctx, part, e.add); err != nil {
		return nil, err
	}
	return e.table(), nil
}

type embedding struct {
	level, model string
	width        int
	rows         []float32
	graph, node  []int
	source, sink []int
}

func (e *embedding) add(out *model.Output, b *graph.Batch, of Items) error {
	switch {
	case e.level == "graph" && out.GraphVec != nil:
		e.graph = append(e.graph, of.Graphs...)
		e.take(out.GraphVec.Data(), out.GraphVec.Dim(1))
	case e.level == "node" && out.NodeVec != nil:
		rows, d := out.NodeVec.Data(), out.NodeVec.Dim(1)
		eachNode(b, of, func(v, graph, node int) {
			e.graph, e.node = append(e.graph, graph), append(e.node, node)
			e.take(rows[v*d:(v+1)*d], d)
		})
	case e.level == "edge" && out.EdgeVecs != nil:
		e.graph, e.source, e.sink = appendEdges(b, of.Graphs, e.graph, e.source, e.sink)
		e.take(lastVectors(out.EdgeVecs, b.H.NumEdges()))
	default:
		return misuse("task: model %s learns no vectors of %ss", e.model, e.level)
	}
	return nil
}

func (e *embedding) take(rows []float32, width int) {
	e.rows = append(e.rows, rows...)
	e.width = width
}

// lastVectors is the last vector each edge was given.
func lastVectors(vs []model.EdgeVec, edges int) (rows []float32, width int) {
	width = vs[0].Rows.Dim(1)
	rows = make([]float32, edges*width)
	for _, v := range vs {
		if v.IDs == nil {
			copy(rows, v.Rows.Data())
			continue
		}
		for i, id := range v.IDs {
			copy(rows[int(id)*width:][:width], v.Rows.Data()[i*width:(i+1)*width])
		}
	}
	return rows, width
}

func (e *embedding) table() *report.Table {
	var cols []report.Column
	switch e.level {
	case "edge":
		cols = edgeColumns(e.graph, e.source, e.sink)
	case "node":
		cols = []report.Column{report.Ints("graph", e.graph), report.Ints("node", e.node)}
	default:
		cols = []report.Column{report.Ints("graph", e.graph)}
	}
	return &report.Table{Columns: append(cols, report.Vectors("vector", e.rows, max(e.width, 1)))}
}
