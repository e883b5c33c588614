package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// ResolveSplit takes the split that is named, or the one that the data come with.
func (p *graphData) ResolveSplit(s *Split, t *Kind) error {
	switch {
	case p.oneOfNodes(t) && (s.Kind == SplitFold || s.Kind == SplitFolds):
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

// given reports whether the data come with a split for a task: as a set per part, or as
// lists of ids.
func (p *graphData) given(t *Kind) bool {
	switch {
	case p.whole == nil:
		return true
	case p.oneOfNodes(t):
		return p.whole.NodeSplit != nil
	}
	return p.whole.Split != nil
}

// Divide makes the parts.
func (p *graphData) Divide(_ context.Context, s *Settings, t *Kind, form Form) (map[string]*Part, error) {
	switch {
	case p.oneOfNodes(t):
		return p.divideNodes(s, form)
	case t.Items == Edges && !t.Reconstructs && !p.many:
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
func (p *graphData) Whole(s *Settings, t *Kind, form Form) (*Part, error) {
	switch {
	case p.whole == nil:
		return nil, errors.New("task: the data come as train, valid and test; --split names one of them")
	case p.oneOfNodes(t):
		g, err := p.oneGraph(form)
		if err != nil {
			return nil, err
		}
		return p.nodePart(g, nil), nil
	}
	out := map[string]*Part{PartAll: allOf(p.whole)}
	return out[PartAll], p.standardise(s.Data.Graphs, out)
}

// divideNodes divides the nodes of one graph. Each part is the whole graph, with the
// classes of the other parts' nodes hidden.
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

// oneGraph is the graph of data that consist of one graph with classes of nodes.
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

// nodePart is a graph with the classes of all but some nodes hidden; nil hides none.
func (p *graphData) nodePart(g *graph.Graph, nodes []int) *Part {
	out := graphPart([]*graph.Graph{g}, []int{0})
	out.ID = func(at Place) int { return at.Item }
	if nodes != nil {
		out.hideNodes(nodes)
	}
	return out
}
