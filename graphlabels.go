package ehgnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// show adds known labels of edges to a graph, as a run with label context reads them, and lists
// the edges that structure columns count.
func (m *Model) show(labels Values, to *graph.Graph) (known []int32, err error) {
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
	// An edge is predicted with the labels of all edges between its two nodes hidden.
	units := (&tables.Set{Ends: to.Ends}).Units(tables.SplitOptions{Pairs: true})
	to.Shown = &graph.Shown{Label: make([]float32, edges), Unit: units}
	is := make([]bool, edges)
	for e := range is {
		x := label(int32(e))
		to.Shown.Label[e], is[e] = x, x == x
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
