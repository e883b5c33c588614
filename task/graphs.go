package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/report"
)

// graphSource reads collections of graphs, whole or with a set per part, and the one
// graph whose nodes are learned.
var graphSource = &Source{
	Name:    "graphs",
	Expect:  "a data set in the form of TU, DGCNN, OGB or Planetoid (folder, zip, tar or file), or a folder with the parts NAME_train, NAME_val and NAME_test",
	Formats: []string{data.FormatTU, data.FormatDGCNN, data.FormatOGB, planetoid.Format},
	Recognise: func(path string) bool {
		return false // what no other source recognises is tried
	},
	Begin: func(d *DataSettings) { d.Graphs = &GraphSettings{Standardise: true} },
	Read: func(_ context.Context, d *DataSettings, _ *Task) (Data, error) {
		p, err := openParts(d.Path, data.Options{Format: d.Format, Name: d.Graphs.Set, Edges: d.form(), MaxMemory: d.MaxMemory})
		if err != nil {
			return nil, err
		}
		p.describe(d)
		return p, nil
	},
	Reread: func(_ context.Context, s *Settings, o LoadOptions, own bool) (Data, error) {
		options := s.dataOptions(o.Set, o.Format)
		options.MaxMemory = o.MaxMemory
		p, err := openParts(o.Data, options)
		if err != nil {
			return nil, err
		}
		return p, p.fits(s, o.Data)
	},
}

// graphData are graphs as read: one set, or a set per part.
type graphData struct {
	whole              *data.Dataset // nil when the data come in parts
	train, valid, test *data.Dataset
}

// main is the set that the model is shaped by.
func (p *graphData) main() *data.Dataset {
	if p.whole != nil {
		return p.whole
	}
	return p.train
}

// sets lists the sets, in the order train, valid, test.
func (p *graphData) sets() []*data.Dataset {
	if p.whole != nil {
		return []*data.Dataset{p.whole}
	}
	return []*data.Dataset{p.train, p.valid, p.test}
}

func (p *graphData) Checksum() string       { return p.main().Info.Checksum }
func (p *graphData) Graphs() []*graph.Graph { return p.main().Graphs }

// Notes are in the summary alone: they are the same for every call.
func (p *graphData) Notes() []string { return nil }

// describe completes settings with what was read.
func (p *graphData) describe(d *DataSettings) {
	i, g := p.main().Info, d.Graphs
	d.Name, d.Format, d.Checksum = p.Name(), i.Format, i.Checksum
	d.setForm(i.Directed)
	if i.Scaled || !i.HasNodeAttributes && !i.HasEdgeAttributes {
		g.Standardise = false // there is nothing to, or readers did it
	}
	if gs := p.main().Graphs; len(gs) > 0 {
		// Several label columns keep their own encoding.
		switch {
		case len(i.NodeLabelOffset) == 1:
			g.NodeCodes, g.NodeOffset = gs[0].Node.NumCodes(), i.NodeLabelOffset[0]
		case !i.HasNodeLabels && !i.HasNodeAttributes:
			g.NodeCodes = gs[0].Node.NumCodes() // of degrees
		}
		if len(i.EdgeLabelOffset) == 1 {
			g.EdgeCodes, g.EdgeOffset = gs[0].Edge.NumCodes(), i.EdgeLabelOffset[0]
		}
		g.NodeFields = fieldsOf(gs[0].Node, i.NodeLabelOffset, i.HasNodeLabels || i.HasNodeAttributes, KindDegree)
		if f := g.NodeFields; len(f) == 1 && f[0].Kind == KindDegree && f[0].Width == 0 {
			f[0].Mean, f[0].Scale = i.DegreeMean, i.DegreeScale
		}
		g.EdgeFields = fieldsOf(gs[0].Edge, i.EdgeLabelOffset, i.HasEdgeLabels || i.HasEdgeAttributes, KindConstant)
	}
}

// Suits is the task that the labels are for.
func (p *graphData) Suits() string {
	switch i := p.main().Info; {
	case i.NumNodeClasses > 1:
		return nodeClassification.Name
	case i.NumClasses == 0 && i.NumTargets > 0 && !p.binary():
		return graphRegression.Name
	}
	return graphClassification.Name
}

// binary reports whether all targets are 0, 1 or missing.
func (p *graphData) binary() bool {
	for _, d := range p.sets() {
		for _, g := range d.Graphs {
			for _, v := range g.Targets {
				if v == v && v != 0 && v != 1 {
					return false
				}
			}
		}
	}
	return true
}

// Labels are the classes or numbers of the graphs or nodes.
func (p *graphData) Labels(items Items) (l Labels, err error) {
	i := p.main().Info
	if items == Nodes {
		return Labels{Classes: i.NumNodeClasses, ClassNames: i.ClassNames}, nil
	}
	l = Labels{Classes: i.NumClasses, ClassNames: i.ClassNames}
	if i.NumTargets > 0 {
		l.Targets, err = p.targets()
	}
	return l, err
}

// ResolveSplit takes the named split, or the one the data come with.
func (p *graphData) ResolveSplit(s *Split, t *Task) error {
	switch {
	case t.Items == Nodes && (s.Kind == SplitFold || s.Kind == SplitFolds):
		return fmt.Errorf("task: split %q of the nodes of %s, expected %s or %s", s.Kind, p.Name(), SplitGiven, SplitRandom)
	case (s.Kind == "" || s.Kind == SplitGiven) && p.given(t):
		s.Kind = SplitGiven
	case p.whole == nil:
		return fmt.Errorf("task: the data come as train, valid and test; split %q, expected %s or none", s.Kind, SplitGiven)
	case s.Kind == "" && p.whole.Info.HasFolds:
		s.Kind = SplitFold
	case s.Kind == "":
		s.Kind = SplitRandom
	}
	switch s.Kind {
	case SplitGiven:
		if !p.given(t) {
			return fmt.Errorf("task: split %q of data that come without one, expected %s or %s", s.Kind, SplitFolds, SplitRandom)
		}
	case SplitFold:
		if !p.whole.Info.HasFolds {
			return fmt.Errorf("task: %s has no fixed folds, expected split %s, which makes folds, or %s", p.Name(), SplitFolds, SplitRandom)
		}
		s.Fold = cmp.Or(s.Fold, 1)
	case SplitFolds:
		s.Folds, s.Fold = cmp.Or(s.Folds, 10), cmp.Or(s.Fold, 1)
	case SplitRandom:
		if s.Fractions == nil {
			s.Fractions = []float64{0.8, 0.1, 0.1}
		}
	default:
		return fmt.Errorf("task: split %q of %s, expected %s, %s, %s or %s", s.Kind, p.Name(), SplitFold, SplitFolds, SplitRandom, SplitGiven)
	}
	return nil
}

// given reports whether the data come with a split for a task: as parts, or with
// the lists of one.
func (p *graphData) given(t *Task) bool {
	switch {
	case p.whole == nil:
		return true
	case t.Items == Nodes:
		return p.whole.NodeSplit != nil
	}
	return p.whole.Split != nil
}

// Divide makes the parts.
func (p *graphData) Divide(s *Settings, t *Task, form Form) (map[string]*Part, error) {
	switch {
	case t.Items == Nodes:
		return p.divideNodes(s, form)
	case t.Items == Edges && t != edgeReconstruction:
		return nil, fmt.Errorf("task: %s needs a label for each edge, as tables of nodes and edges have; %s is of another kind", t.Name, p.Name())
	}
	out := map[string]*Part{}
	if p.whole == nil {
		for part, d := range map[string]*data.Dataset{PartTrain: p.train, PartValid: p.valid, PartTest: p.test} {
			out[part] = allOf(d)
		}
		return out, p.standardise(s.Data.Graphs, out)
	}
	ids, err := p.split(s.Split)
	if err != nil {
		return nil, err
	}
	for k, part := range parts {
		out[part] = pick(p.whole, ids[k])
	}
	out[PartAll] = allOf(p.whole)
	return out, p.standardise(s.Data.Graphs, out)
}

// split lists the graphs of each part of one set.
func (p *graphData) split(s Split) (ids [3][]int, err error) {
	switch given := p.whole.Split; {
	case s.Kind == SplitGiven && given != nil:
		ids = [3][]int{given.Train, given.Valid, given.Test}
	case s.Kind == SplitFold:
		ids[0], ids[1], ids[2], err = p.whole.Fold(s.Fold)
	case s.Kind == SplitFolds:
		return foldsOf(p.whole.Labels(), s)
	case s.Kind == SplitRandom:
		ids[0], ids[1], ids[2], err = data.StratifiedSplit(p.whole.Labels(), s.fractions(), s.Seed)
	default:
		err = fmt.Errorf("task: split %q of %s", s.Kind, p.Name())
	}
	return ids, err
}

// Whole is all graphs as one part.
func (p *graphData) Whole(s *Settings, t *Task, form Form) (*Part, error) {
	switch {
	case p.whole == nil:
		return nil, errors.New("task: the data come in parts; name one of train, valid and test")
	case t.Items == Nodes:
		g, err := p.oneGraph(form)
		if err != nil {
			return nil, err
		}
		return p.nodePart(g, nil), nil
	}
	out := map[string]*Part{PartAll: allOf(p.whole)}
	return out[PartAll], p.standardise(s.Data.Graphs, out)
}

// standardise scales the numeric features of all parts as the training part has them.
func (p *graphData) standardise(g *GraphSettings, of map[string]*Part) error {
	if !g.Standardise {
		return nil
	}
	if g.NodeScale == nil && g.EdgeScale == nil {
		training := of[PartTrain].Graphs
		var err error
		if g.NodeScale, err = scaleOf(training, func(g *graph.Graph) graph.Features { return g.Node }); err != nil {
			return err
		}
		if g.EdgeScale, err = scaleOf(training, func(g *graph.Graph) graph.Features { return g.Edge }); err != nil {
			return err
		}
	}
	scaled := map[*graph.Graph]*graph.Graph{} // parts share graphs
	for _, part := range of {
		graphs := make([]*graph.Graph, len(part.Graphs))
		for i, from := range part.Graphs {
			if graphs[i] = scaled[from]; graphs[i] != nil {
				continue
			}
			to := *from
			var err error
			if g.NodeScale != nil {
				if to.Node, err = g.NodeScale.Apply(from.Node); err != nil {
					return err
				}
			}
			if g.EdgeScale != nil {
				if to.Edge, err = g.EdgeScale.Apply(from.Edge); err != nil {
					return err
				}
			}
			graphs[i] = &to
			scaled[from] = &to
		}
		part.Graphs = graphs
	}
	return nil
}

// scaleOf measures features; nil where they have no numbers.
func scaleOf(graphs []*graph.Graph, of func(*graph.Graph) graph.Features) (*data.Scale, error) {
	if len(graphs) == 0 || of(graphs[0]).Dim == 0 {
		return nil, nil
	}
	each := iter.Seq[graph.Features](func(yield func(graph.Features) bool) {
		for _, g := range graphs {
			if !yield(of(g)) {
				return
			}
		}
	})
	s, err := data.FitScale(each)
	return &s, err
}

func allOf(d *data.Dataset) *Part {
	ids := make([]int, len(d.Graphs))
	for i := range ids {
		ids[i] = i
	}
	return graphPart(d.Graphs, ids)
}

func pick(d *data.Dataset, ids []int) *Part {
	graphs := make([]*graph.Graph, len(ids))
	for i, id := range ids {
		graphs[i] = d.Graphs[id]
	}
	return graphPart(graphs, ids)
}

// graphPart is a part of some graphs, called by their ids.
func graphPart(graphs []*graph.Graph, ids []int) *Part {
	return &Part{Graphs: graphs, ID: func(at Place) int { return ids[at.Graph] }, Name: func(items Items, at []Place) []report.Column {
		of, first, second := make([]int, len(at)), make([]int, len(at)), make([]int, len(at))
		for i, p := range at {
			of[i] = ids[p.Graph]
			switch items {
			case Nodes:
				first[i] = p.Item
			case Edges:
				ends := graphs[p.Graph].Ends
				first[i], second[i] = int(ends[2*p.Item]), int(ends[2*p.Item+1])
			}
		}
		out := []report.Column{report.Ints("graph", of)}
		switch items {
		case Nodes:
			out = append(out, report.Ints("node", first))
		case Edges:
			out = append(out, report.Ints("source", first), report.Ints("target", second))
		}
		return out
	}}
}

// divideNodes divides the nodes of one graph. A part is the whole graph with the classes
// of the other parts' nodes hidden.
func (p *graphData) divideNodes(s *Settings, form Form) (map[string]*Part, error) {
	g, err := p.oneGraph(form)
	if err != nil {
		return nil, err
	}
	var ids [3][]int
	switch {
	case s.Split.Kind == SplitGiven && p.whole.NodeSplit != nil:
		n := p.whole.NodeSplit
		ids = [3][]int{n.Train, n.Valid, n.Test}
	case s.Split.Kind == SplitRandom:
		ids[0], ids[1], ids[2], err = data.StratifiedSplit(g.NodeLabel, s.Split.fractions(), s.Split.Seed)
	default:
		err = fmt.Errorf("task: split %q of the nodes of %s, expected %s or %s", s.Split.Kind, p.Name(), SplitGiven, SplitRandom)
	}
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: p.nodePart(g, nil)}
	for k, part := range parts {
		out[part] = p.nodePart(g, ids[k])
	}
	return out, nil
}

// oneGraph is the graph of data that are one, with classes of nodes.
func (p *graphData) oneGraph(form Form) (*graph.Graph, error) {
	if p.whole == nil || p.whole.Info.NumNodeClasses == 0 || len(p.whole.Graphs) != 1 {
		return nil, fmt.Errorf("task: node-classification needs one graph with classes of nodes, as the sets of Planetoid are; %s is of another kind", p.Name())
	}
	g := p.whole.Graphs[0]
	if form == nil {
		return g, nil
	}
	g, err := form(g)
	if err != nil {
		return nil, fmt.Errorf("task: %s: %w", p.Name(), err)
	}
	return g, nil
}

// nodePart is a graph with the classes of all but some nodes hidden; nil shows all.
func (p *graphData) nodePart(g *graph.Graph, nodes []int) *Part {
	out := graphPart([]*graph.Graph{g}, []int{0})
	out.ID = func(at Place) int { return at.Item }
	if nodes != nil {
		out.hideNodes(nodes)
	}
	return out
}

// hideNodes makes some nodes of the one graph those of the part and hides the classes of
// all others.
func (p *Part) hideNodes(nodes []int) {
	g := p.Graphs[0]
	masked := *g
	masked.NodeLabel = make([]int32, g.NumNodes)
	for v := range masked.NodeLabel {
		masked.NodeLabel[v] = graph.NoLabel
	}
	p.Items = make([]int32, 0, len(nodes))
	for _, v := range slices.Sorted(slices.Values(nodes)) {
		masked.NodeLabel[v] = g.NodeLabel[v]
		p.Items = append(p.Items, int32(v))
	}
	p.Graphs[0] = &masked
}

// dataOptions read data in the encoding of the training.
func (s *Settings) dataOptions(name, format string) data.Options {
	g := s.Data.Graphs
	return data.Options{Format: format, Name: name, Edges: s.Data.form(), ClassNames: s.Target.Classes,
		NodeCodes: g.NodeCodes, EdgeCodes: g.EdgeCodes, NodeOffset: g.NodeOffset, EdgeOffset: g.EdgeOffset}
}

// fits refuses data that were read in the encoding of the training and are of another
// kind all the same.
func (p *graphData) fits(s *Settings, path string) error {
	info := p.main().Info
	if info.NodeWidth != s.Model.Node || info.EdgeWidth != s.Model.Edge {
		return fmt.Errorf("task: %s has node features of width %d and edge features of width %d; the run was trained with %d and %d",
			path, info.NodeWidth, info.EdgeWidth, s.Model.Node, s.Model.Edge)
	}
	if info.Checksum != s.Data.Checksum && max(len(info.NodeLabelOffset), len(info.EdgeLabelOffset)) > 1 {
		return fmt.Errorf("task: %s has several label columns; their codes depend on the data set, so the run can be used only with the data it was trained on", path)
	}
	if err := p.checkTargets(s); err != nil {
		return fmt.Errorf("task: %s %w; the run cannot be used with it", path, err)
	}
	return nil
}

// checkTargets refuses data whose labels or numbers are others than those the model
// predicts. Data without any can be predicted.
func (p *graphData) checkTargets(s *Settings) error {
	i := p.main().Info
	names := s.Target.Names
	switch {
	case s.task().Items == Nodes && i.NumNodeClasses > s.Model.Out:
		return fmt.Errorf("has %d classes of nodes where the model knows %d", i.NumNodeClasses, s.Model.Out)
	case names == nil || i.NumTargets*i.NumGraphs == i.MissingTargets:
		return nil
	case i.NumTargets != len(names):
		return fmt.Errorf("has %d targets where the model predicts %d", i.NumTargets, len(names))
	}
	for k, name := range targetNames(i) {
		if name != names[k] {
			return fmt.Errorf("has target %q where the model predicts %q", name, names[k])
		}
	}
	return nil
}
