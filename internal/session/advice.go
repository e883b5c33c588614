package session

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Alone reports whether the scored edges have no other edges around them: edges of tables other
// than the training data, without LoadOptions.Context.
func (s *Session) Alone() bool {
	c, ok := s.Data.(*source.ColumnData)
	return ok && s.Task.Level == settings.Edges && !s.own && !c.InContext()
}

// Own reports whether the data of a session are the training data, by their checksum.
func (s *Session) Own() bool { return s.own }

// ReadsLabels reports whether the model reads the labels of other edges.
func (s *Session) ReadsLabels() bool {
	t := s.Settings.Data.Tables
	return t != nil && t.LabelContext == settings.ContextOn
}

// Timeless counts the edges without a time, if labels are read by time: such edges of the context count
// as earlier than all labels, and others as later.
func (s *Session) Timeless() int {
	c, ok := s.Data.(*source.ColumnData)
	if !ok || s.Task.Level != settings.Edges || !s.ReadsLabels() || s.Settings.Split.Kind != settings.SplitTime || !c.InContext() {
		return 0
	}
	return c.Timeless()
}

// Groupless counts the edges without a group, if edges read only labels of other groups: they read
// the labels of all edges of the context.
func (s *Session) Groupless() int {
	c, ok := s.Data.(*source.ColumnData)
	if !ok || s.Task.Level != settings.Edges || !s.ReadsLabels() || s.Settings.Split.Kind != settings.SplitGroup || !c.InContext() {
		return 0
	}
	if c.Set.Group == nil {
		return c.Set.NumEdges() - c.Context
	}
	return lists.Count(c.Set.Group[c.Context:], func(g int32) bool { return g < 0 })
}

// SuggestSplit is a remark, after training, about a better split; empty for none.
func (s *Session) SuggestSplit() string {
	c, ok := s.Data.(*source.ColumnData)
	if !ok || s.Task.Level != settings.Edges || c.Set.Format == nodelink.Format { // which has no splits by time
		return ""
	}
	column, flag := c.Set.Options.Time, ""
	if c.Set.Time == nil {
		if column = c.Set.TimeLike(); column == "" {
			return ""
		}
		flag = schema.Flag("time", column) + " "
	}
	switch {
	case s.Settings.Split.Kind == settings.SplitRandom:
		return fmt.Sprintf("edges were split at random; if later edges are to be predicted, %s--split time tests the latest by column %s", flag, column)
	case flag != "" && s.Settings.Split.Kind == settings.SplitColumn:
		return fmt.Sprintf("column %s may be the time of edges; %sreads it as the time, and each edge then has columns about earlier edges", column, flag)
	}
	return ""
}

// perNearCopy is the largest number of test edges per near copy of a training edge for which NearCopies has a remark.
const perNearCopy = 10

// NearCopies is a remark on test edges that are near copies of training edges, after a random split; empty for none.
func (s *Session) NearCopies() string {
	c, ok := s.Data.(*source.ColumnData)
	if x := s.Settings.Split; !ok || c.Divided == nil || x.Kind != settings.SplitRandom || x.Pairs {
		return ""
	}
	n := c.Set.NearCopies(c.Divided)
	if n == 0 || perNearCopy*n < len(c.Divided.Test) {
		return ""
	}
	return fmt.Sprintf("%d of %d test edges join the same nodes as a training edge and differ from it in at most one column; if such edges are copies of each other, --pairs keeps them in one part", n, len(c.Divided.Test))
}

// oneClass returns remarks on the validation and test parts in which all labelled items have the same class.
func (s *Session) oneClass() (out []string) {
	if !s.Settings.Classifies() {
		return nil
	}
	for _, of := range []struct{ part, title, chosen string }{{source.PartValid, "validation", ", and what is chosen on it, as a threshold,"}, {source.PartTest, "test", ""}} {
		p := s.Parts[of.part]
		if p == nil {
			continue
		}
		if class, n, ok := s.onlyClass(p); ok {
			out = append(out, fmt.Sprintf("the %s part has %s, only of class %q: its scores%s say nothing of other classes",
				of.title, report.Counted(n, string(s.Task.Level)), class, of.chosen))
		}
	}
	return out
}

// onlyClass returns the class of the n labelled items of a part. ok is false if they have several classes, or none.
func (s *Session) onlyClass(p *source.Part) (class string, n int, ok bool) {
	only := int32(-1)
	for _, g := range p.Graphs {
		for _, c := range task.ClassesOfGraph(s.Task.Level, g) {
			if c < 0 {
				continue
			}
			if n++; n > 1 && c != only {
				return "", 0, false
			}
			only = c
		}
	}
	return settings.ClassName(s.Settings.Target.Classes, only), n, n > 0
}
