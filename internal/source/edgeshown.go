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

// shown returns the labels of the edges known that models may read; split is how the edges were
// divided, nil for new data.
func (c *ColumnData) shown(s *settings.Settings, split *data.Split, known []bool) *tables.ObservedLabels {
	if mode := s.Data.Tables.LabelContext; mode == settings.ContextOff || mode == "" {
		return nil
	}
	out := &tables.ObservedLabels{Edges: known}
	switch {
	case split == nil && c.Context == 0: // no label may be read
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

// keepsPairs reports whether a given split has all edges between two nodes in one part.
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

// featured returns the set with only the edge columns that an encoder reads: new tables may have
// other columns, or columns that the training ignored.
func (c *ColumnData) featured(e *tables.Encoder) *tables.Set {
	set := *c.Set
	set.EdgeColumns = slices.DeleteFunc(slices.Clone(set.EdgeColumns), func(column *tables.Column) bool {
		return !slices.ContainsFunc(e.Edges, func(f tables.Field) bool { return strings.EqualFold(f.Name, column.Name) })
	})
	return &set
}

// Known reports for each edge whether its label is known: edges of the training part of a split,
// or, for new data (a nil split), edges of LoadOptions.Context.
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

// HiddenShare is the share of the labels that a training step hides and learns from.
const HiddenShare = 0.2

// leastContext is the share of the validation edges that must share a node with an edge of known
// label, before LabelContext auto reads labels. The tables must also have few feature columns:
// labels of neighbours are easy to learn from, and a model that reads them learns less from more
// informative features.
const leastContext = 0.1

// ContextDefaults decides whether the model reads labels of other edges.
func ContextDefaults(s *settings.Settings, parts map[string]*Part, classes int) {
	c := s.Data.Tables
	if c == nil {
		return
	}
	if s.Model.Auto() != nil { // it reads labels if this lowers the validation loss
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

// labelContext says how a model reads labels: classes as one column each, or many classes as
// embeddings.
func labelContext(classes int, directed bool) model.LabelContextConfig {
	c := model.LabelContextConfig{Classes: classes, Directed: directed, Hide: HiddenShare}
	if classes > manyClasses {
		c.Vectors = LabelVectors
	}
	return c
}

// manyClasses is the number of classes up to which each class has columns (ten of them in a
// directed graph). LabelVectors is the width of the embeddings of more classes.
const (
	manyClasses  = 64
	LabelVectors = 64
)

// mayReadLabels reports whether there are labels to read, if the setting is auto.
func mayReadLabels(parts map[string]*Part) bool {
	return len(parts[PartTrain].Items) >= settings.EnoughShown && touchesShown(parts) >= leastContext
}

// touchesShown is the share of the validation edges, or of the test edges if there are none, that
// share a node with an edge of known label.
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
