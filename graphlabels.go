package ehgnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/task"
)

// show adds known labels of edges to a graph, as a run with label context reads them, and lists
// the edges that structure columns count.
func (m *Model) show(g *Graph, to *graph.Graph) (known []int32, err error) {
	labels := g.Labels
	if m.settings.Model.Context == nil {
		return nil, errors.New("labels of edges are given, and the run was trained without label context")
	}
	edges := len(to.Ends) / 2
	if labels.rows() != edges {
		return nil, fmt.Errorf("%d labels for %d edges", labels.rows(), edges)
	}
	column, err := m.labelColumn(labels)
	if err != nil {
		return nil, err
	}
	label := m.settings.Data.Tables.Encoder.ShownLabels(column)
	to.Shown = &graph.Shown{Label: make([]float32, edges)}
	is := make([]bool, edges)
	for e := range is {
		x := label(int32(e))
		to.Shown.Label[e], is[e] = x, x == x
	}
	if timed := slices.ContainsFunc(g.Time, func(t float64) bool { return !math.IsNaN(t) }); timed && m.labelsInTime() {
		to.Shown.Time = tables.LabelTimes(g.Time, is)
	} else {
		set := &tables.Set{Ends: to.Ends, Directed: to.Directed, EdgeColumns: rawColumns(to.Edge, edges)}
		if timed {
			set.Time = g.Time
		}
		to.Shown.Unit = m.settings.Split.Twins(set)
	}
	// What has a label to be scored by is hidden in turn.
	if column.Numeric() {
		to.EdgeTargets = slices.Clone(to.Shown.Label)
	} else {
		to.EdgeLabel = make([]int32, edges)
		for e, x := range to.Shown.Label {
			if to.EdgeLabel[e] = graph.NoLabel; is[e] {
				to.EdgeLabel[e] = int32(x)
			}
		}
	}
	return tables.KnownEdges(to.NumNodes, to.Ends, is), nil
}

// labelsInTime reports whether an edge may read labels of earlier edges alone.
func (m *Model) labelsInTime() bool {
	return m.settings.Model.Context != nil && m.settings.Split.Kind == task.SplitTime
}

// rawColumns are the features of n edges as columns of a table.
func rawColumns(f graph.Features, n int) []*tables.Column {
	var out []*tables.Column
	for k := range f.Dim {
		c := &tables.Column{Value: make([]float64, n)}
		for e := range n {
			c.Value[e] = float64(f.Dense[e*f.Dim+k])
		}
		out = append(out, c)
	}
	for k := range f.Codes {
		c := &tables.Column{Code: make([]int32, n)}
		for e := range n {
			c.Code[e] = f.Code[e*len(f.Codes)+k]
		}
		out = append(out, c)
	}
	return out
}

// labelColumn are known labels as a column of a table, of the kind of the run's own.
func (m *Model) labelColumn(labels Values) (*tables.Column, error) {
	number, isNumber := labels.(Numbers)
	switch {
	case m.task.Number && isNumber:
		for e, v := range number {
			if math.IsInf(v, 0) || math.Abs(v) > math.MaxFloat32 {
				return nil, fmt.Errorf("label of edge %d is %v, expected a finite number", e, v)
			}
		}
		return &tables.Column{Value: number}, nil
	case m.task.Number || isNumber:
		want := "Strings, the names of classes"
		if m.task.Number {
			want = "Numbers"
		}
		return nil, fmt.Errorf("labels of edges are %T, expected %s", labels, want)
	}
	classes := m.settings.Target.Classes
	c := &tables.Column{Text: classes}
	for e, text := range labels.(Strings) {
		k := slices.Index(classes, text)
		if k < 0 && text != "" {
			return nil, fmt.Errorf("label of edge %d is %q, expected one of %q", e, text, classes)
		}
		c.Code = append(c.Code, int32(k))
	}
	return c, nil
}
