package task

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
)

// shown are the labels of some edges, known, that models may read; split is how the edges were
// divided, nil for new data.
func (c *columnData) shown(s *Settings, split *data.Split, known []bool) *tables.Shown {
	if mode := s.Data.Tables.LabelContext; mode == contextOff || mode == "" {
		return nil
	}
	out := &tables.Shown{Edges: known}
	switch {
	case split == nil && c.context == 0: // no label is shown
	case s.Split.Kind == SplitTime && c.set.Time != nil:
		out.Time = true
	case split == nil:
		out.Unit = s.Split.Twins(c.featured(s.Data.Tables.Encoder))
	case s.Split.Kind != SplitColumn: // which edges that keeps together is not known
		out.Unit = c.set.Units(s.Split.ofEdges())
	}
	return out
}

// featured is the set with those columns of edges alone that an encoder reads: new tables may have
// others, or those that the training ignored.
func (c *columnData) featured(e *tables.Encoder) *tables.Set {
	set := *c.set
	set.EdgeColumns = slices.DeleteFunc(slices.Clone(set.EdgeColumns), func(column *tables.Column) bool {
		return !slices.ContainsFunc(e.Edges, func(f tables.Field) bool { return strings.EqualFold(f.Name, column.Name) })
	})
	return &set
}

// known says of each edge whether it is of training: of the training part of a split, nil for
// new data, or of what LoadOptions.Context adds to these.
func (c *columnData) known(split *data.Split) []bool {
	out := make([]bool, c.set.NumEdges())
	for e := range c.context {
		out[e] = true
	}
	if split != nil {
		for _, e := range split.Train {
			out[e] = true
		}
	}
	return out
}

// hiddenShare is the share of the labels that a step of training hides and learns from.
const hiddenShare = 0.2

// leastContext is the share of the edges to validate on that must touch an edge whose label
// is shown, for labels to be read where that is left open. Unless trials say otherwise, the tables
// must have few feature columns, too: where features tell more, labels of neighbours are the
// easier thing to learn by, and the model learns less of the rest.
const leastContext = 0.1

// contextDefaults resolves whether the model reads labels of other edges.
func (s *Settings) contextDefaults(parts map[string]*Part, classes int) {
	c := s.Data.Tables
	if c == nil {
		return
	}
	if c.LabelContext == contextAuto {
		c.LabelContext = contextOff
		few := len(c.Encoder.Nodes)+len(c.Encoder.Edges) < fewColumns
		if few && mayReadLabels(parts) {
			c.LabelContext = contextOn
		}
	}
	if c.LabelContext == contextOn {
		of := labelContext(classes, s.Data.Directed())
		s.Model.Context = &of
	}
}

// labelContext is how a model reads labels: classes as columns of each, and where they are many as
// vectors.
func labelContext(classes int, directed bool) model.LabelContextConfig {
	c := model.LabelContextConfig{Classes: classes, Directed: directed, Hide: hiddenShare}
	if classes > manyClasses {
		c.Vectors = labelVectors
	}
	return c
}

// manyClasses is the number of classes up to which each has columns, ten in a directed graph;
// labelVectors is the width of the vectors that stand for more.
const (
	manyClasses  = 64
	labelVectors = 64
)

// mayReadLabels reports whether there are labels to read where that is left open.
func mayReadLabels(parts map[string]*Part) bool {
	return len(parts[PartTrain].Items) >= enoughShown && touchesShown(parts) >= leastContext
}

// touchesShown is the share of the edges of the validation part, or of the test part where
// there is none, that share a node with an edge whose label is shown.
func touchesShown(parts map[string]*Part) float64 {
	p := parts[PartValid]
	if p == nil {
		p = parts[PartTest]
	}
	if p == nil || p.Graphs[0].Shown == nil {
		return 0
	}
	g := p.Graphs[0]
	at := make([]bool, g.NumNodes)
	for e, x := range g.Shown.Label {
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
