package tables

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Join returns the set of all nodes and edges of before and after, and the number of edges of before,
// which come first: their numbers do not depend on after. Nodes with the same id are joined, with the
// attributes of after if its node table has the node. In columns that one set lacks its rows are missing;
// the same holds for labels, times and groups. Groups with the same name are joined. There are no parts.
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
	of := lists.Places[int32](before.NodeIDs)
	out.GraphIDs, out.GraphOf = nil, nil
	var place []int32 // for the nodes of after
	out.NodeIDs, place = joinNodes(before.NodeIDs, of, after.NodeIDs)
	out.Ends = slices.Grow(slices.Clone(before.Ends), len(after.Ends))
	for _, v := range after.Ends {
		out.Ends = append(out.Ends, place[v])
	}
	out.noteForms()
	if out.EdgeColumns, err = joinColumns(before.EdgeColumns, edges, after.EdgeColumns, after.NumEdges()); err != nil {
		return nil, 0, err
	}
	if out.EdgeKeys, err = joinColumns(before.EdgeKeys, edges, after.EdgeKeys, after.NumEdges()); err != nil {
		return nil, 0, err
	}
	out.EdgeOwn = padOwn(after.EdgeOwn, edges)
	if err := out.joinNodeColumns(before, after, place); err != nil {
		return nil, 0, err
	}
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

// joinNodes returns the ids of the nodes of two sets, and the indices of those of the second. Nodes of the first set,
// whose indices are given, come first. The others are sorted by id, so that the order of rows does not matter.
func joinNodes(first []string, of map[string]int32, second []string) (ids []string, place []int32) {
	ids = slices.Clip(first)
	for _, id := range second {
		if _, ok := of[id]; !ok {
			ids = append(ids, id)
		}
	}
	others := ids[len(first):]
	slices.Sort(others)
	place = make([]int32, len(second))
	for v, id := range second {
		at, ok := of[id]
		if !ok {
			k, _ := slices.BinarySearch(others, id)
			at = int32(len(first) + k)
		}
		place[v] = at
	}
	return ids, place
}

// joinNodeColumns sets the columns of the nodes: if after has a table of nodes, its values, at the given indices,
// replace those of before.
func (s *Set) joinNodeColumns(before, after *Set, place []int32) (err error) {
	if len(after.NodeColumns)+len(after.NodeKeys) == 0 {
		place = nil
	}
	last := make([]int32, len(s.NodeIDs)) // row of each node: of before, or of after behind them
	for v := range last {
		if last[v] = int32(v); v >= len(before.NodeIDs) {
			last[v] = -1
		}
	}
	for v, at := range place {
		last[at] = int32(len(before.NodeIDs) + v)
	}
	n := len(before.NodeIDs)
	join := func(a, b []*Column) ([]*Column, error) {
		columns, err := joinColumns(a, n, b, len(after.NodeIDs))
		for _, c := range columns {
			pick(c, last)
		}
		return columns, err
	}
	if s.NodeColumns, err = join(before.NodeColumns, after.NodeColumns); err != nil {
		return err
	}
	if s.NodeKeys, err = join(before.NodeKeys, after.NodeKeys); err != nil {
		return err
	}
	s.NodeOwn = padOwn(after.NodeOwn, n)
	for k, c := range s.NodeOwn {
		texts := make([]string, len(last))
		for v, row := range last {
			if row >= 0 {
				texts[v] = c.Texts[row]
			}
		}
		s.NodeOwn[k].Texts = texts
	}
	return nil
}

// pick returns the listed rows of a column; -1 means missing.
func pick(c *Column, rows []int32) {
	from := *c
	*c = *emptyColumn(from.Name, from.Numeric(), len(rows))
	c.Text, c.Notation, c.Key = from.Text, from.Notation, from.Key
	for i, r := range rows {
		switch {
		case r < 0:
		case from.Numeric():
			c.Value[i] = from.Value[r]
		default:
			c.Code[i] = from.Code[r]
		}
	}
}

// joinLabels puts k labels before n others; nil if neither set has any.
func joinLabels(a *Column, k int, b *Column, n int) (*Column, error) {
	switch {
	case a == nil && b == nil:
		return nil, nil
	case a == nil:
		a = emptyColumn(b.Name, b.Numeric(), k)
	case b == nil:
		b = emptyColumn(a.Name, a.Numeric(), n)
	}
	return joinColumn(a, b)
}

// joinGroups returns the groups of the edges of two sets, by the names of both; nil if neither set
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
	joined, _ := joinColumn(column(before), column(after)) // joining texts cannot fail
	return joined.Code, joined.Text
}

// timesOf returns the times of edges, NaN without a time column.
func timesOf(s *Set) []float64 {
	if s.Time != nil {
		return s.Time
	}
	return emptyColumn("", true, s.NumEdges()).Value
}

// joinColumns joins the columns of two sets by name: the k rows of the first before the n rows of the second.
func joinColumns(a []*Column, k int, b []*Column, n int) ([]*Column, error) {
	var out []*Column
	add := func(a, b *Column) error {
		joined, err := joinColumn(a, b)
		out = append(out, joined)
		return err
	}
	inA, inB := columnsByName(a), columnsByName(b)
	for _, c := range b {
		from := inA[schema.FoldName(c.Name)]
		if from == nil {
			from = emptyColumn(c.Name, c.Numeric(), k)
		}
		if err := add(from, c); err != nil {
			return nil, err
		}
	}
	for _, c := range a {
		if inB[schema.FoldName(c.Name)] != nil {
			continue
		}
		if err := add(c, emptyColumn(c.Name, c.Numeric(), n)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// columnsByName returns columns by name; of equal names the first.
func columnsByName(list []*Column) map[string]*Column {
	out := make(map[string]*Column, len(list))
	for _, c := range slices.Backward(list) {
		out[schema.FoldName(c.Name)] = c
	}
	return out
}

// joinColumn puts the rows of a before those of b, whose notation the result has.
func joinColumn(a, b *Column) (*Column, error) {
	if a.Numeric() != b.Numeric() {
		return nil, fmt.Errorf("tables: column %q holds numbers in one set and text in the other", b.Name)
	}
	out := &Column{Name: b.Name, Single: b.Single, Notation: b.Notation, Key: b.Key}
	if b.Numeric() {
		out.Value = append(slices.Clone(a.Value), b.Value...)
		return out, nil
	}
	out.Text = slices.Clone(b.Text)
	of := lists.Places[int32](b.Text)
	code := lists.Repeat[int32](-1, len(a.Text)) // of the texts of a, when they are first used
	for _, k := range a.Code {
		if k >= 0 && code[k] < 0 {
			at, ok := of[a.Text[k]]
			if !ok {
				at = int32(len(out.Text))
				of[a.Text[k]], out.Text = at, append(out.Text, a.Text[k])
			}
			code[k] = at
		}
		if k >= 0 {
			k = code[k]
		}
		out.Code = append(out.Code, k)
	}
	out.Code = append(out.Code, b.Code...)
	return out, nil
}
