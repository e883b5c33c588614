package source

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// ResolveSplit completes the split. The default is a split by the part column, if there is one,
// else a random split.
func (c *ColumnData) ResolveSplit(s *settings.Split, t *settings.Kind) error {
	if err := c.checkLabels(t); err != nil {
		return err
	}
	kinds := []string{settings.SplitRandom}
	switch {
	case t.Level == settings.Edges:
		kinds = append(kinds, settings.SplitTime, settings.SplitGroup, settings.SplitColumn, settings.SplitFolds)
	case t.Level == settings.Graphs:
		kinds = append(kinds, settings.SplitFolds)
	case c.Set.Part != nil:
		kinds = append(kinds, settings.SplitColumn)
	case s.Kind == settings.SplitColumn && c.Set.Format != nodelink.Format:
		return settings.Misuse("%s has no column of parts of nodes, which --split %s needs; --part names one", c.Name(), s.Kind)
	}
	if s.Kind == "" {
		if s.Kind = settings.SplitRandom; c.Set.Part != nil {
			s.Kind = settings.SplitColumn
		}
	}
	if !slices.Contains(kinds, s.Kind) {
		return settings.Misuse("--split is %q, expected one of %q for %s", s.Kind, kinds, c.Name())
	}
	switch {
	case s.Kind == settings.SplitFolds:
		s.Folds, s.Fold = cmp.Or(s.Folds, 10), cmp.Or(s.Fold, 1)
	case s.Fractions == nil && s.Kind != settings.SplitColumn:
		s.Fractions = []float64{0.6, 0.2, 0.2}
	}
	return nil
}

// Split makes the parts. It fits the encoder on the training part unless the settings have one.
func (c *ColumnData) Split(_ context.Context, s *settings.Settings, t *settings.Kind, form Form) (map[string]*Part, error) {
	switch t.Level {
	case settings.Graphs:
		return c.divideGraphs(s)
	case settings.Nodes:
		return c.divideNodes(s, form)
	}
	return c.divideEdges(s)
}

// divideEdges divides the edges of one graph. Each part is a graph of the edges that a model may
// see, in which only the edges of the part have labels.
func (c *ColumnData) divideEdges(s *settings.Settings) (map[string]*Part, error) {
	if s.Split.Fold > s.Split.Folds {
		return nil, settings.Misuse("--fold is %d, expected 1 to %d", s.Split.Fold, s.Split.Folds)
	}
	split, err := c.Set.Split(s.Split.OfEdges())
	if err != nil {
		return nil, err
	}
	c.Divided, c.Past = split, s.Split.Kind == settings.SplitTime || c.inOrder(split)
	shared := &tables.Structures{}
	e, err := c.fitted(s, func() (*tables.Encoder, error) {
		e, err := c.Set.Fit(split.Train)
		if err != nil {
			return nil, err
		}
		if err := c.FitStructure(s, e, split, shared); err != nil {
			return nil, err
		}
		return e, c.FitTimes(s, e, split)
	})
	if err != nil {
		return nil, err
	}
	c.rare = rareClasses(c.Set.Label, [3][]int{split.Train, split.Valid, split.Test}, settings.Edges, s.Split)
	o := c.InputOptions(s, split)
	o.Structures = shared
	out, units := map[string]*Part{}, c.readingGroups(s.Split)
	for k, edges := range [][]int{split.Train, split.Valid, split.Test} {
		if len(edges) == 0 {
			continue
		}
		part := Parts()[k]
		in, err := c.Set.Input(e, split, part, o)
		if err != nil {
			return nil, err
		}
		out[part] = c.edgesPart(e, in, units)
	}
	return out, nil
}

// divideNodes divides the nodes of all data, which count as one graph.
func (c *ColumnData) divideNodes(s *settings.Settings, form Form) (map[string]*Part, error) {
	ids, err := c.splitNodes(s.Split)
	if err != nil {
		return nil, err
	}
	c.rare = rareClasses(c.Set.Label, ids, settings.Nodes, s.Split)
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.Set.FitNodes(ids[0]) })
	if err != nil {
		return nil, err
	}
	in, err := c.Set.WholeNodes(e)
	if err != nil {
		return nil, err
	}
	whole, err := c.nodesPart(e, in, form)
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: whole}
	for k, part := range Parts() {
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

// splitNodes divides the nodes by a split. Nodes without a value in the part column are in no part.
func (c *ColumnData) splitNodes(s settings.Split) (ids [3][]int, err error) {
	if s.Kind != settings.SplitColumn {
		return splitClasses(c.Set.Label.Code, s)
	}
	trained := false
	for v, p := range c.Set.Part {
		if p >= 0 {
			ids[p] = append(ids[p], v)
			trained = trained || p == 0 && c.Set.Label.Code[v] >= 0
		}
	}
	if !trained {
		return ids, settings.Misuse("%s: no node with a label has part %s in column %q", c.Name(), PartTrain, c.Set.Options.Part)
	}
	return ids, nil
}

// divideGraphs divides a collection of graphs.
func (c *ColumnData) divideGraphs(s *settings.Settings) (map[string]*Part, error) {
	codes := make([]int32, c.Set.NumGraphs())
	if t := c.Set.Targets[0]; !t.Numeric() {
		copy(codes, t.Code)
	}
	ids, err := splitClasses(codes, s.Split)
	if err != nil {
		return nil, err
	}
	c.rare = rareClasses(c.Set.Targets[0], ids, settings.Graphs, s.Split)
	e, err := c.fitted(s, func() (*tables.Encoder, error) { return c.Set.FitGraphs(ids[0]) })
	if err != nil {
		return nil, err
	}
	whole, err := c.wholeGraphs(e)
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: whole}
	for k, part := range Parts() {
		out[part] = c.graphsPart(whole.Graphs, ids[k])
	}
	return out, nil
}

// All returns all data as one part, without the edges of the context.
func (c *ColumnData) All(s *settings.Settings, t *settings.Kind, form Form) (*Part, error) {
	e := s.Data.Tables.Encoder
	if _, err := c.fitted(s, func() (*tables.Encoder, error) { return nil, errors.New("the run has no encoder") }); err != nil {
		return nil, err
	}
	switch t.Level {
	case settings.Graphs:
		return c.wholeGraphs(e)
	case settings.Nodes:
		in, err := c.Set.WholeNodes(e)
		if err != nil {
			return nil, err
		}
		return c.nodesPart(e, in, form)
	}
	if c.Beside != nil {
		return c.edgesPart(e, c.Beside.input, c.readingGroups(s.Split)), nil
	}
	var split *data.Split
	if c.Context == 0 && c.Set.Checksum == s.Data.Checksum { // these are the training data
		var err error
		if split, err = c.Set.Split(s.Split.OfEdges()); err != nil {
			return nil, err
		}
	}
	in, err := c.Set.Whole(e, c.InputOptions(s, split))
	if err != nil {
		return nil, err
	}
	return c.edgesPart(e, in, c.readingGroups(s.Split)), nil
}
