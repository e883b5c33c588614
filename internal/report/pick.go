package report

import "github.com/ehgnn/ehgnn/internal/lists"

// Pick returns a table with some rows, in the given order.
func (t *Table) Pick(rows []int) *Table {
	out := &Table{Columns: make([]Column, len(t.Columns))}
	for k, c := range t.Columns {
		n := c
		n.strings, n.ints, n.numbers, n.floats = lists.TakeRows(c.strings, 1, rows), lists.TakeRows(c.ints, 1, rows), lists.TakeRows(c.numbers, 1, rows), lists.TakeRows(c.floats, max(c.width, 1), rows)
		out.Columns[k] = n
	}
	return out
}

// Append adds the rows of a table with the same columns.
func (t *Table) Append(more *Table) {
	for k := range t.Columns {
		t.Columns[k].clip()
		t.Columns[k].extend(&more.Columns[k])
	}
}
