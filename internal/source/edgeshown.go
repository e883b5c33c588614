package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// shown are the labels of some edges, known, that models may read; split is how the edges were
// divided, nil for new data.
func (c *ColumnData) shown(s *settings.Settings, split *data.Split, known []bool) *tables.ObservedLabels {
	if mode := s.Data.Tables.LabelContext; mode == settings.ContextOff || mode == "" {
		return nil
	}
	out := &tables.ObservedLabels{Edges: known}
	switch {
	case split == nil && c.Context == 0: // no label is shown
	case s.Split.Kind == settings.SplitTime && c.Set.Time != nil:
		out.Time, out.Unit = true, c.Set.Moments()
	case split == nil:
		out.Unit = s.Split.ReadingGroups(c.featured(s.Data.Tables.Encoder))
	case s.Split.Kind != settings.SplitColumn:
		out.Unit = c.Set.Units(s.Split.OfEdges())
	case c.keepsPairs(split):
		out.Unit = c.Set.Units(tables.SplitOptions{Pairs: true})
	}
	return out
}

// keepsPairs reports whether a split that comes with the data has all edges between two nodes in one part.
func (c *ColumnData) keepsPairs(split *data.Split) bool {
	unit := c.Set.Units(tables.SplitOptions{Pairs: true})
	part := make(map[int32]int, len(unit))
	for k, edges := range [][]int{split.Train, split.Valid, split.Test} {
		for _, e := range edges {
			if p, ok := part[unit[e]]; ok && p != k {
				return false
			}
			part[unit[e]] = k
		}
	}
	return true
}

// featured is the set with those columns of edges alone that an encoder reads: new tables may have
// others, or those that the training ignored.
func (c *ColumnData) featured(e *tables.Encoder) *tables.Set {
	set := *c.Set
	set.EdgeColumns = slices.DeleteFunc(slices.Clone(set.EdgeColumns), func(column *tables.Column) bool {
		return !slices.ContainsFunc(e.Edges, func(f tables.Field) bool { return strings.EqualFold(f.Name, column.Name) })
	})
	return &set
}

// Known says of each edge whether it is of training: of the training part of a split, nil for
// new data, or of what LoadOptions.Context adds to these.
func (c *ColumnData) Known(split *data.Split) []bool {
	out := make([]bool, c.Set.NumEdges())
	for e := range c.Context {
		out[e] = true
	}
	if split != nil {
		for _, e := range split.Train {
			out[e] = true
		}
	}
	return out
}

// HiddenShare is the share of the labels that a step of training hides and learns from.
const HiddenShare = 0.2

// leastContext is the share of the edges to validate on that must touch an edge whose label
// is shown, for labels to be read where that is left open. The tables
// must have few feature columns, too: where features tell more, labels of neighbours are the
// easier thing to learn by, and the model learns less of the rest.
const leastContext = 0.1

// ContextDefaults resolves whether the model reads labels of other edges.
func ContextDefaults(s *settings.Settings, parts map[string]*Part, classes int) {
	c := s.Data.Tables
	if c == nil {
		return
	}
	if s.Model.Auto() != nil { // it reads them where validation says so
		if c.LabelContext == settings.ContextAuto {
			c.LabelContext = settings.ContextOn
		}
		return
	}
	if c.LabelContext == settings.ContextAuto {
		c.LabelContext = settings.ContextOff
		few := len(c.Encoder.Nodes)+len(c.Encoder.Edges) < settings.FewColumns
		if few && mayReadLabels(parts) {
			c.LabelContext = settings.ContextOn
		}
	}
	if c.LabelContext == settings.ContextOn {
		of := labelContext(classes, s.Data.Directed())
		s.Model.Context = &of
	}
}

// labelContext is how a model reads labels: classes as columns of each, and where they are many as
// vectors.
func labelContext(classes int, directed bool) model.LabelContextConfig {
	c := model.LabelContextConfig{Classes: classes, Directed: directed, Hide: HiddenShare}
	if classes > manyClasses {
		c.Vectors = LabelVectors
	}
	return c
}

// manyClasses is the number of classes up to which each has columns, ten in a directed graph;
// LabelVectors is the width of the vectors that stand for more.
const (
	manyClasses  = 64
	LabelVectors = 64
)

// mayReadLabels reports whether there are labels to read where that is left open.
func mayReadLabels(parts map[string]*Part) bool {
	return len(parts[PartTrain].Items) >= settings.EnoughShown && touchesShown(parts) >= leastContext
}

// touchesShown is the share of the edges of the validation part, or of the test part where
// there is none, that share a node with an edge whose label is shown.
func touchesShown(parts map[string]*Part) float64 {
	p := cmp.Or(parts[PartValid], parts[PartTest])
	if p == nil || p.Graphs[0].Observed == nil {
		return 0
	}
	g := p.Graphs[0]
	at := make([]bool, g.NumNodes)
	for e, x := range g.Observed.Label {
		if x == x {
			at[g.Ends[2*e]], at[g.Ends[2*e+1]] = true, true
		}
	}
	touched := 0
	for _, e := range p.Items {
		if at[g.Ends[2*e]] || at[g.Ends[2*e+1]] {
			touched++
		}
	}
	return float64(touched) / float64(max(len(p.Items), 1))
}
