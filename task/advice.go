package task

import (
	"fmt"
	"math"
)

// Alone reports whether the edges that are scored have no other edges around them than each
// other: edges of tables that are not those of the training, without LoadOptions.Context.
func (s *Session) Alone() bool {
	c, ok := s.Data.(*columnData)
	return ok && s.task.Items == Edges && !s.own && c.context == 0
}

// Own reports whether the data of a session are those of the training, by their checksum.
func (s *Session) Own() bool { return s.own }

// ReadsLabels reports whether the model reads the labels of other edges.
func (s *Session) ReadsLabels() bool {
	t := s.Settings.Data.Tables
	return t != nil && t.LabelContext == contextOn
}

// Timeless counts the edges without a time where labels are read by time: those of the context count as
// of before, and others as of after all labels.
func (s *Session) Timeless() int {
	c, ok := s.Data.(*columnData)
	if !ok || s.task.Items != Edges || !s.ReadsLabels() || s.Settings.Split.Kind != SplitTime || c.context == 0 {
		return 0
	}
	if c.set.Time == nil {
		return c.set.NumEdges()
	}
	n := 0
	for _, t := range c.set.Time {
		if math.IsNaN(t) {
			n++
		}
	}
	return n
}

// Groupless counts the edges without a group where the labels of other groups alone are read: they
// read those of all edges of the context.
func (s *Session) Groupless() int {
	c, ok := s.Data.(*columnData)
	if !ok || s.task.Items != Edges || !s.ReadsLabels() || s.Settings.Split.Kind != SplitGroup || c.context == 0 {
		return 0
	}
	if c.set.Group == nil {
		return c.set.NumEdges() - c.context
	}
	n := 0
	for _, g := range c.set.Group[c.context:] {
		if g < 0 {
			n++
		}
	}
	return n
}

// Advice is a remark, for the end of a training, on how it may be done better; empty for
// none.
func (s *Session) Advice() string {
	c, ok := s.Data.(*columnData)
	if !ok || c.set.Time == nil || s.Settings.Split.Kind != SplitRandom {
		return ""
	}
	return fmt.Sprintf("edges were split at random; where later ones are to be predicted, --split time tests the latest by column %s", c.set.Options.Time)
}
