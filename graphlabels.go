package ehgnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// show adds the known labels of edges to a graph for a run with label context. known lists the
// edges that structure columns count. raw are the attributes of edges. The remark is on edges
// without a group.
func (m *Model) show(g *Graph, to *graph.Graph, raw []*tables.Column) (known []int32, remark string, err error) {
	labels := g.Labels
	if m.settings.Model.Context == nil {
		return nil, "", errors.New("labels of edges are given, and the run was trained without label context")
	}
	edges := len(to.Ends) / 2
	if labels.rows() != edges {
		return nil, "", fmt.Errorf("%d labels for %d edges", labels.rows(), edges)
	}
	column, err := m.labelColumn(labels)
	if err != nil {
		return nil, "", err
	}
	label := m.settings.Data.Tables.Encoder.ObservedLabels(column)
	to.Observed = &graph.ObservedLabels{Label: make([]float32, edges)}
	is := make([]bool, edges)
	for e := range is {
		x := label(int32(e))
		to.Observed.Label[e], is[e] = x, x == x
	}
	if timed := slices.ContainsFunc(g.Time, func(t float64) bool { return !math.IsNaN(t) }); timed && m.labelsInTime() {
		to.Observed.Time = tables.LabelTimes(g.Time, is)
	} else {
		set := &tables.Set{Ends: to.Ends, Directed: to.Directed, EdgeColumns: raw, Group: groupCodes(g.Groups, m.columns.GroupReader)}
		if timed {
			set.Time = g.Time
		}
		to.Observed.Group = m.settings.Split.ReadingGroups(set)
	}
	// An edge whose label is known is also scored: its label is hidden in turn.
	if column.Numeric() {
		to.EdgeTargets = slices.Clone(to.Observed.Label)
	} else {
		to.EdgeLabel = make([]int32, edges)
		for e, x := range to.Observed.Label {
			if to.EdgeLabel[e] = graph.NoLabel; is[e] {
				to.EdgeLabel[e] = int32(x)
			}
		}
	}
	return m.settings.Data.Tables.Encoder.KnownEdges(to.NumNodes, to.Ends, is), m.groupless(g, is), nil
}

// labelsInTime reports whether an edge may read only the labels of earlier edges.
func (m *Model) labelsInTime() bool {
	return m.settings.Model.Context != nil && m.settings.Split.Kind == settings.SplitTime
}

// readsGroups reports whether an edge may read only the labels of other groups.
func (m *Model) readsGroups() bool {
	return m.settings.Model.Context != nil && m.settings.Split.Kind == settings.SplitGroup
}

// groupless returns the remark on edges to predict that have no group. It is empty if there are
// none.
func (m *Model) groupless(g *Graph, known []bool) string {
	n := 0
	for e, is := range known {
		if !is && (g.Groups == nil || g.Groups[e] == "") {
			n++
		}
	}
	if n == 0 || !m.readsGroups() {
		return ""
	}
	return fmt.Sprintf("%d edges have no group: they read the labels of all edges, though the run was tested on groups whose labels it did not read", n)
}

// checkGroups refuses groups that the run does not read.
func (m *Model) checkGroups(g *Graph) error {
	switch edges := len(g.Ends) / 2; {
	case g.Groups == nil:
	case !m.readsGroups():
		return errors.New("groups of edges are given, and the run reads none")
	case len(g.Groups) != edges:
		return fmt.Errorf("%d groups for %d edges, expected one each, empty where missing", len(g.Groups), edges)
	}
	return nil
}

// groupCodes numbers the groups, -1 where a group is missing. It is nil if there are no groups.
func groupCodes(groups Strings, by *schema.FieldReader) []int32 {
	if groups == nil {
		return nil
	}
	of := map[string]int32{}
	out := make([]int32, len(groups))
	for e, name := range groups {
		key := by.Key(schema.TextCell(name))
		if out[e] = -1; key == "" {
			continue
		}
		if _, ok := of[key]; !ok {
			of[key] = int32(len(of))
		}
		out[e] = of[key]
	}
	return out
}

// labelColumn returns the known labels as a table column of the same kind as in training.
func (m *Model) labelColumn(labels Values) (*tables.Column, error) {
	number, isNumber := labels.(Numbers)
	text, isText := labels.(Strings)
	wrong := func(e int, err error) error { return fmt.Errorf("label of edge %d %w", e, err) }
	if m.task.Number && (isNumber || isText) {
		c := &tables.Column{Value: make([]float64, labels.rows())}
		for e := range c.Value {
			cell := schema.Cell{}
			if isText {
				cell = schema.TextCell(text[e])
			} else {
				cell = schema.NumberCell(number[e])
			}
			var err error
			if c.Value[e], err = m.columns.LabelReader.Number(cell); err != nil {
				return nil, wrong(e, err)
			}
		}
		return c, nil
	}
	if !isText {
		want := "Strings, the names of classes"
		if m.task.Number {
			want = "Numbers"
		}
		return nil, fmt.Errorf("labels of edges are %T, expected %s", labels, want)
	}
	classes := m.settings.Target.Classes
	c := &tables.Column{Text: classes, Code: make([]int32, len(text))}
	for e, name := range text {
		k, err := m.columns.LabelReader.Code(schema.TextCell(name))
		if k == schema.Unseen && err == nil {
			err = fmt.Errorf("is %q, expected one of %q", name, classes)
		}
		if err != nil {
			return nil, wrong(e, err)
		}
		c.Code[e] = k
	}
	return c, nil
}
