package task

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/tables"
)

// ResolveSplit takes the split that is named. Where none is, it is that of the column of
// parts, if one is named, else a random one.
func (c *columnData) ResolveSplit(s *Split, t *Kind) error {
	if err := c.holds(t); err != nil {
		return err
	}
	kinds := []string{SplitRandom}
	switch {
	case t.Items == Edges:
		kinds = append(kinds, SplitTime, SplitGroup, SplitColumn, SplitFolds)
	case t.Items == Graphs:
		kinds = append(kinds, SplitFolds)
	case c.set.Part != nil:
		kinds = append(kinds, SplitColumn)
	case s.Kind == SplitColumn && c.set.Format != nodelink.Format:
		return Misuse("task: %s has no column of parts of nodes, which --split %s needs; --part names one", c.Name(), s.Kind)
	}
	if s.Kind == "" {
		if s.Kind = SplitRandom; c.set.Part != nil {
			s.Kind = SplitColumn
		}
	}
	if !slices.Contains(kinds, s.Kind) {
		return Misuse("task: --split is %q, expected one of %q for %s", s.Kind, kinds, c.Name())
	}
	switch {
	case s.Kind == SplitFolds:
		s.Folds, s.Fold = cmp.Or(s.Folds, 10), cmp.Or(s.Fold, 1)
	case s.Fractions == nil && s.Kind != SplitColumn:
		s.Fractions = []float64{0.6, 0.2, 0.2}
	}
	return nil
}

// Divide makes the parts. It fits the encoder on the training part unless the settings have
// one.
func (c *columnData) Divide(_ context.Context, s *Settings, t *Kind, form Form) (map[string]*Part, error) {
	switch t.Items {
	case Graphs:
		return c.divideGraphs(s)
	case Nodes:
		return c.divideNodes(s, form)
	}
	return c.divideEdges(s)
}

// divideEdges divides the edges of one graph. Each part is a graph of the edges that a
// model may see for it, in which only the part's own edges have labels.
func (c *columnData) divideEdges(s *Settings) (map[string]*Part, error) {
	if s.Split.Fold > s.Split.Folds {
		return nil, Misuse("task: --fold is %d, expected 1 to %d", s.Split.Fold, s.Split.Folds)
	}
	split, err := c.set.Split(s.Split.ofEdges())
	if err != nil {
		return nil, err
	}
	shared := &tables.Structures{}
	e, err := c.fitted(s, func() (*tables.Encoder, error) {
		e, err := c.set.Fit(split.Train)
		if err != nil {
			return nil, err
		}
		if err := c.fitStructure(s, e, split, shared); err != nil {
			return nil, err
		}
		return e, c.fitTimes(s, e, split)
	})
	if err != nil {
		return nil, err
	}
	c.rare = rareClasses(c.set.Label, [3][]int{split.Train, split.Valid, split.Test}, Edges, s.Split)
	o := c.inputOptions(s, split)
	o.Structures = shared
	out := map[string]*Part{}
	for k, edges := range [][]int{split.Train, split.Valid, split.Test} {
		if len(edges) == 0 {
			continue
		}
		part := parts[k]
		in, err := c.set.Input(e, split, part, o)
		if err != nil {
			return nil, err
		}
		out[part] = c.edgesPart(e, in, s.Split)
	}
	if s.Data.Tables.NodeEmbedding > 0 {
		names := c.namedNodes(split)
		s.Data.Tables.NodeNames = digest(mustJSON(names))
		return out, c.numberNodes(names, out)
	}
	return out, nil
}

// divideNodes divides the nodes of all data, taken as one graph.
func (c *columnData) divideNodes(s *Settings, form Form) (map[string]*Part, error) {
	ids, err := c.splitNodes(s.Split)
	if err != nil {
		return nil, err
	}
	c.rare = rareClasses(c.set.Label, ids, Nodes, s.Split)
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.set.FitNodes(ids[0]) })
	if err != nil {
		return nil, err
	}
	in, err := c.set.WholeNodes(e)
	if err != nil {
		return nil, err
	}
	whole, err := c.nodesPart(e, in, form)
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: whole}
	for k, part := range parts {
		if len(ids[k]) == 0 {
			continue
		}
		one := *whole
		one.Graphs = slices.Clone(whole.Graphs)
		one.hideNodes(ids[k])
		out[part] = &one
	}
	return out, nil
}

// splitNodes divides the nodes as the split says. Nodes that the column of parts gives none are in no
// part.
func (c *columnData) splitNodes(s Split) (ids [3][]int, err error) {
	if s.Kind != SplitColumn {
		return splitClasses(c.set.Label.Code, s)
	}
	trained := false
	for v, p := range c.set.Part {
		if p >= 0 {
			ids[p] = append(ids[p], v)
			trained = trained || p == 0 && c.set.Label.Code[v] >= 0
		}
	}
	if !trained {
		return ids, Misuse("task: %s: no node with a label has part %s in column %q", c.Name(), PartTrain, c.set.Options.Part)
	}
	return ids, nil
}

// divideGraphs divides a collection of graphs.
func (c *columnData) divideGraphs(s *Settings) (map[string]*Part, error) {
	codes := make([]int32, c.set.NumGraphs())
	if t := c.set.Targets[0]; !t.Numeric() {
		copy(codes, t.Code)
	}
	ids, err := splitClasses(codes, s.Split)
	if err != nil {
		return nil, err
	}
	c.rare = rareClasses(c.set.Targets[0], ids, Graphs, s.Split)
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.set.FitGraphs(ids[0]) })
	if err != nil {
		return nil, err
	}
	whole, err := c.wholeGraphs(e)
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: whole}
	for k, part := range parts {
		out[part] = c.graphsPart(whole.Graphs, ids[k])
	}
	return out, nil
}

// Whole is all of the data as one part; the edges of the context do not belong to it.
func (c *columnData) Whole(s *Settings, t *Kind, form Form) (*Part, error) {
	e := s.Data.Tables.Encoder
	if _, err := c.fitted(s, func() (*tables.Encoder, error) { return nil, errors.New("task: the run has no encoder") }); err != nil {
		return nil, err
	}
	switch t.Items {
	case Graphs:
		return c.wholeGraphs(e)
	case Nodes:
		in, err := c.set.WholeNodes(e)
		if err != nil {
			return nil, err
		}
		return c.nodesPart(e, in, form)
	}
	var split *data.Split
	if c.context == 0 && c.set.Checksum == s.Data.Checksum { // the data of the training
		var err error
		if split, err = c.set.Split(s.Split.ofEdges()); err != nil {
			return nil, err
		}
	}
	in, err := c.set.Whole(e, c.inputOptions(s, split))
	if err != nil {
		return nil, err
	}
	p := c.edgesPart(e, in, s.Split)
	if s.Data.Tables.NodeEmbedding > 0 {
		names := c.nodeNames
		if split != nil {
			names = c.namedNodes(split)
		}
		return p, c.numberNodes(names, map[string]*Part{PartAll: p})
	}
	return p, nil
}
