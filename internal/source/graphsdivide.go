package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// ResolveSplit completes the split. The default is the split of the data, if there is one.
func (p *GraphData) ResolveSplit(s *settings.Split, t *settings.Kind) error {
	switch {
	case p.oneOfNodes(t) && (s.Kind == settings.SplitFold || s.Kind == settings.SplitFolds):
		return fmt.Errorf("split %q of the nodes of %s, expected %s or %s", s.Kind, p.Name(), settings.SplitGiven, settings.SplitRandom)
	case (s.Kind == "" || s.Kind == settings.SplitGiven) && p.hasSplit(t):
		s.Kind = settings.SplitGiven
	case p.Whole == nil:
		return fmt.Errorf("the data come as train, valid and test; split %q, expected %s or none", s.Kind, settings.SplitGiven)
	case s.Kind == "" && p.Whole.Info.HasFolds:
		s.Kind = settings.SplitFold
	case s.Kind == "":
		s.Kind = settings.SplitRandom
	}
	switch s.Kind {
	case settings.SplitGiven:
		if !p.hasSplit(t) {
			return fmt.Errorf("split %q of data that come without one, expected %s or %s", s.Kind, settings.SplitFolds, settings.SplitRandom)
		}
	case settings.SplitFold:
		if !p.Whole.Info.HasFolds {
			return fmt.Errorf("%s has no fixed folds, expected split %s, which makes folds, or %s", p.Name(), settings.SplitFolds, settings.SplitRandom)
		}
		s.Fold = cmp.Or(s.Fold, 1)
	case settings.SplitFolds:
		s.Folds, s.Fold = cmp.Or(s.Folds, 10), cmp.Or(s.Fold, 1)
	case settings.SplitRandom:
		if s.Fractions == nil {
			s.Fractions = []float64{0.8, 0.1, 0.1}
		}
	default:
		return fmt.Errorf("split %q of %s, expected %s, %s, %s or %s", s.Kind, p.Name(), settings.SplitFold, settings.SplitFolds, settings.SplitRandom, settings.SplitGiven)
	}
	return nil
}

// hasSplit reports whether the data have a split for a task: one set for each part, or lists of ids.
func (p *GraphData) hasSplit(t *settings.Kind) bool {
	switch {
	case p.Whole == nil:
		return true
	case p.oneOfNodes(t):
		return p.Whole.NodeSplit != nil
	}
	return p.Whole.Split != nil
}

// Split makes the parts.
func (p *GraphData) Split(_ context.Context, s *settings.Settings, t *settings.Kind, form Form) (map[string]*Part, error) {
	switch {
	case p.oneOfNodes(t):
		return p.divideNodes(s, form)
	case t.Level == settings.Edges && !t.Reconstructs && !p.many:
		return nil, fmt.Errorf("%s needs a label for each edge, as tables of nodes and edges have; %s is of another kind", t.Name, p.Name())
	}
	out := map[string]*Part{}
	if p.Whole == nil {
		for part, d := range map[string]*data.Dataset{PartTrain: p.Train, PartValid: p.Valid, PartTest: p.Test} {
			out[part] = AllOf(d)
		}
		return out, p.standardise(s.Data.Graphs, out)
	}
	ids, err := p.split(s.Split)
	if err != nil {
		return nil, err
	}
	for k, part := range Parts() {
		out[part] = pick(p.Whole, ids[k])
	}
	out[PartAll] = AllOf(p.Whole)
	return out, p.standardise(s.Data.Graphs, out)
}

// split lists the graphs of each part of one set.
func (p *GraphData) split(s settings.Split) (ids [3][]int, err error) {
	switch given := p.Whole.Split; {
	case s.Kind == settings.SplitGiven && given != nil:
		ids = [3][]int{given.Train, given.Valid, given.Test}
	case s.Kind == settings.SplitFold:
		ids[0], ids[1], ids[2], err = p.Whole.Fold(s.Fold)
	case s.Kind == settings.SplitFolds:
		return settings.FoldsOf(p.Whole.Labels(), s)
	case s.Kind == settings.SplitRandom:
		ids[0], ids[1], ids[2], err = data.StratifiedSplit(p.Whole.Labels(), s.Shares(), s.Seed)
	default:
		err = fmt.Errorf("split %q of %s", s.Kind, p.Name())
	}
	return ids, err
}

// All returns all graphs as one part.
func (p *GraphData) All(s *settings.Settings, t *settings.Kind, form Form) (*Part, error) {
	switch {
	case p.Whole == nil:
		return nil, errors.New("the data come as train, valid and test; --split names one of them")
	case p.oneOfNodes(t):
		g, err := p.oneGraph(form)
		if err != nil {
			return nil, err
		}
		return p.nodePart(g, nil), nil
	}
	out := map[string]*Part{PartAll: AllOf(p.Whole)}
	return out[PartAll], p.standardise(s.Data.Graphs, out)
}

// divideNodes divides the nodes of one graph. Each part is the whole graph, in which only the nodes
// of the part have classes.
func (p *GraphData) divideNodes(s *settings.Settings, form Form) (map[string]*Part, error) {
	g, err := p.oneGraph(form)
	if err != nil {
		return nil, err
	}
	var ids [3][]int
	switch {
	case s.Split.Kind == settings.SplitGiven && p.Whole.NodeSplit != nil:
		n := p.Whole.NodeSplit
		ids = [3][]int{n.Train, n.Valid, n.Test}
	case s.Split.Kind == settings.SplitRandom:
		ids[0], ids[1], ids[2], err = data.StratifiedSplit(g.NodeLabel, s.Split.Shares(), s.Split.Seed)
	default:
		err = fmt.Errorf("split %q of the nodes of %s, expected %s or %s", s.Split.Kind, p.Name(), settings.SplitGiven, settings.SplitRandom)
	}
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: p.nodePart(g, nil)}
	for k, part := range Parts() {
		out[part] = p.nodePart(g, ids[k])
	}
	return out, nil
}

// oneGraph returns the graph of data that consist of one graph with node classes.
func (p *GraphData) oneGraph(form Form) (*graph.Graph, error) {
	if p.Whole == nil || p.Whole.Info.NumNodeClasses == 0 || len(p.Whole.Graphs) != 1 {
		return nil, fmt.Errorf("node-classification needs one graph with classes of nodes, as the sets of Planetoid are; %s is of another kind", p.Name())
	}
	g := p.Whole.Graphs[0]
	if form == nil {
		return g, nil
	}
	g, err := form(g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name(), err)
	}
	return g, nil
}

// nodePart is a graph in which only some nodes have classes; nil hides no class.
func (p *GraphData) nodePart(g *graph.Graph, nodes []int) *Part {
	out := GraphPart([]*graph.Graph{g}, []int{0})
	out.ID = func(at Place) int { return at.Item }
	if nodes != nil {
		out.hideNodes(nodes)
	}
	return out
}
