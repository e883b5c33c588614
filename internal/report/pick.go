package report

// Pick returns a table with some rows, in the given order.
func (t *Table) Pick(rows []int) *Table {
	out := &Table{Columns: make([]Column, len(t.Columns))}
	for k, c := range t.Columns {
		n := c
		n.strings, n.ints, n.numbers, n.floats = picked(c.strings, rows, 1), picked(c.ints, rows, 1), picked(c.numbers, rows, 1), picked(c.floats, rows, max(c.width, 1))
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

// picked are some rows of a width; nil of nil.
func picked[T any](values []T, rows []int, width int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, 0, len(rows)*width)
	for _, r := range rows {
		out = append(out, values[r*width:][:width]...)
	}
	return out
}
