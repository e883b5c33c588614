package tables

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
)

// Join is the set of all edges of before and after, those of before first, and how many
// these are. Nodes with the same id are one, with the attributes of after where it has the
// node; columns that one set lacks have no value there, nor have labels, times and groups. Groups of
// the same name are one. There are no parts.
func Join(before, after *Set) (joined *Set, edges int, err error) {
	if before.Directed != after.Directed {
		return nil, 0, fmt.Errorf("tables: %s has directed %v, %s has %v, expected the same", before.Name, before.Directed, after.Name, after.Directed)
	}
	if before.Level != OfEdges || after.Level != OfEdges {
		return nil, 0, fmt.Errorf("tables: %s and %s are joined by their edges, expected labels of edges", before.Name, after.Name)
	}
	edges = before.NumEdges()
	out := *after
	out.Notes = slices.Clone(after.Notes)
	for _, n := range before.Notes {
		if n = "context: " + n; !slices.Contains(out.Notes, n) {
			out.Notes = append(out.Notes, n)
		}
	}
	out.NodeIDs, out.GraphIDs, out.GraphOf = slices.Clone(after.NodeIDs), nil, nil
	of := make(map[string]int32, len(after.NodeIDs))
	for v, id := range after.NodeIDs {
		of[id] = int32(v)
	}
	place := make([]int32, len(before.NodeIDs)) // of the nodes of before
	var added []int32                           // nodes of before that after lacks
	for v, id := range before.NodeIDs {
		at, ok := of[id]
		if !ok {
			at = int32(len(out.NodeIDs))
			out.NodeIDs = append(out.NodeIDs, id)
			added = append(added, int32(v))
		}
		place[v] = at
	}
	out.Ends = make([]int32, 0, len(before.Ends)+len(after.Ends))
	for _, v := range before.Ends {
		out.Ends = append(out.Ends, place[v])
	}
	out.Ends = append(out.Ends, after.Ends...)
	all := upTo(edges)
	if out.EdgeColumns, err = joinColumns(before.EdgeColumns, all, edges, after.EdgeColumns, after.NumEdges(), true); err != nil {
		return nil, 0, err
	}
	if out.NodeColumns, err = joinColumns(before.NodeColumns, added, len(added), after.NodeColumns, len(after.NodeIDs), false); err != nil {
		return nil, 0, err
	}
	if out.EdgeKeys, err = joinColumns(before.EdgeKeys, all, edges, after.EdgeKeys, after.NumEdges(), true); err != nil {
		return nil, 0, err
	}
	if out.NodeKeys, err = joinColumns(before.NodeKeys, added, len(added), after.NodeKeys, len(after.NodeIDs), false); err != nil {
		return nil, 0, err
	}
	out.EdgeOwn, out.NodeOwn = padOwn(after.EdgeOwn, edges, 0), padOwn(after.NodeOwn, 0, len(added))
	out.Part = nil
	if out.Group, out.GroupNames = joinGroups(before, after); after.Group == nil {
		out.Options.Group = before.Options.Group
	}
	if out.Time = nil; before.Time != nil || after.Time != nil {
		out.Time = slices.Concat(timesOf(before), timesOf(after))
	}
	if out.Label, err = joinLabels(before.Label, edges, after.Label, after.NumEdges()); err != nil {
		return nil, 0, err
	}
	return &out, edges, nil
}

// joinLabels puts k labels before n others; nil where neither set has any.
func joinLabels(a *Column, k int, b *Column, n int) (*Column, error) {
	switch {
	case a == nil && b == nil:
		return nil, nil
	case a == nil:
		a = emptyColumn(b.Name, b.Numeric(), k)
	case b == nil:
		b = emptyColumn(a.Name, a.Numeric(), n)
	}
	return joinColumn(a, upTo(k), b, true)
}

// joinGroups are the groups of the edges of two sets, by the names of both; nil where neither set
// has any.
func joinGroups(before, after *Set) (group []int32, names []string) {
	if before.Group == nil && after.Group == nil {
		return nil, nil
	}
	column := func(s *Set) *Column {
		if s.Group == nil {
			return emptyColumn("", false, s.NumEdges())
		}
		return &Column{Text: s.GroupNames, Code: s.Group}
	}
	joined, _ := joinColumn(column(before), upTo(before.NumEdges()), column(after), true) // text to text
	return joined.Code, joined.Text
}

// timesOf are the times of edges, NaN where there is no column of times.
func timesOf(s *Set) []float64 {
	if s.Time != nil {
		return s.Time
	}
	return emptyColumn("", true, s.NumEdges()).Value
}

// joinColumns joins the columns of two sets by name: rows of the first before (or, not
// first, behind) the n rows of the second.
func joinColumns(a []*Column, rows []int32, k int, b []*Column, n int, first bool) ([]*Column, error) {
	var out []*Column
	inA, inB := columnsByName(a), columnsByName(b)
	for _, c := range b {
		from := inA[schema.FoldName(c.Name)]
		if from == nil {
			from = emptyColumn(c.Name, c.Numeric(), k)
			joined, err := joinColumn(from, upTo(k), c, first)
			if err != nil {
				return nil, err
			}
			out = append(out, joined)
			continue
		}
		joined, err := joinColumn(from, rows, c, first)
		if err != nil {
			return nil, err
		}
		out = append(out, joined)
	}
	for _, c := range a {
		if inB[schema.FoldName(c.Name)] != nil {
			continue
		}
		joined, err := joinColumn(c, rows, emptyColumn(c.Name, c.Numeric(), n), first)
		if err != nil {
			return nil, err
		}
		out = append(out, joined)
	}
	return out, nil
}

// columnsByName are columns by their names, of equal ones the first.
func columnsByName(list []*Column) map[string]*Column {
	out := make(map[string]*Column, len(list))
	for _, c := range slices.Backward(list) {
		out[schema.FoldName(c.Name)] = c
	}
	return out
}

// joinColumn puts some rows of a before b, or behind it.
func joinColumn(a *Column, rows []int32, b *Column, first bool) (*Column, error) {
	if a.Numeric() != b.Numeric() {
		return nil, fmt.Errorf("tables: column %q holds numbers in one set and text in the other", b.Name)
	}
	out := &Column{Name: b.Name}
	if b.Numeric() {
		picked := make([]float64, len(rows))
		for i, r := range rows {
			picked[i] = math.NaN()
			if int(r) < len(a.Value) {
				picked[i] = a.Value[r]
			}
		}
		out.Value = inOrder(picked, b.Value, first)
		return out, nil
	}
	out.Text = slices.Clone(b.Text)
	of := make(map[string]int32, len(b.Text))
	for k, text := range b.Text {
		of[text] = int32(k)
	}
	picked := make([]int32, len(rows))
	for i, r := range rows {
		if picked[i] = a.Code[r]; picked[i] < 0 {
			continue
		}
		text := a.Text[picked[i]]
		k, ok := of[text]
		if !ok {
			k = int32(len(out.Text))
			of[text], out.Text = k, append(out.Text, text)
		}
		picked[i] = k
	}
	out.Code = inOrder(picked, b.Code, first)
	return out, nil
}

func inOrder[T any](a, b []T, first bool) []T {
	if first {
		return slices.Concat(a, b)
	}
	return slices.Concat(b, a)
}
