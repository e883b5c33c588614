package graphfile

import (
	"io"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// The memory of the parts of a table.
const (
	cellBytes   = 40
	rowBytes    = 40 // besides cells: the slice and the line
	columnBytes = 256
)

// column is a column of a table in memory.
type column struct {
	name     string
	absent   schema.Cell // the value of a row without a value of its own
	optional bool        // the column is left out if no row has a value
	used     bool        // a row has a value
}

// table is a table in memory. All rows are added first and then read.
type table struct {
	budget  *data.Budget
	kept    int64 // bytes charged for rows
	columns []column
	rows    [][]schema.Cell // a row may have fewer cells than there are columns
	lines   []int
	shown   []int    // the columns that are not left out
	names   []string // of shown
	at      int      // the next row
	row     schema.Row
	sum     string // checksum of the text
}

// addColumn adds a column. It returns its number.
func (t *table) addColumn(c column) (int, error) {
	if err := t.budget.Charge(columnBytes+int64(len(c.name)), "columns"); err != nil {
		return 0, err
	}
	t.columns = append(t.columns, c)
	return len(t.columns) - 1, nil
}

// newRow returns a row for add, with one missing cell per column.
func (t *table) newRow() ([]schema.Cell, error) {
	n := rowBytes + int64(len(t.columns))*cellBytes
	if err := t.budget.Charge(n, "rows"); err != nil {
		return nil, err
	}
	t.kept += n
	return make([]schema.Cell, len(t.columns)), nil
}

// add adds a row. line is its line in the file.
func (t *table) add(row []schema.Cell, line int) {
	for i, c := range row {
		if c.Kind != schema.Missing {
			t.columns[i].used = true
		}
	}
	t.rows, t.lines = append(t.rows, row), append(t.lines, line)
}

// finish ends the adding of rows.
func (t *table) finish(sum string) {
	t.sum = sum
	var names []string
	for i, c := range t.columns {
		if c.used || !c.optional {
			t.shown, names = append(t.shown, i), append(names, c.name)
		}
	}
	t.names, t.row = unique(names), make(schema.Row, len(names))
}

// Columns returns the names of the columns.
func (t *table) Columns() []string { return t.names }

// Next returns the next row, and io.EOF after the last.
func (t *table) Next() (schema.Row, error) {
	if t.at == len(t.rows) {
		return nil, io.EOF
	}
	cells := t.rows[t.at]
	t.at++
	for k, i := range t.shown {
		t.row[k] = t.columns[i].absent
		if i < len(cells) && cells[i].Kind != schema.Missing {
			t.row[k] = cells[i]
		}
	}
	return t.row, nil
}

// Line returns the line on which the node or edge of the last row begins.
func (t *table) Line(int) int {
	if t.at == 0 {
		return 0
	}
	return t.lines[t.at-1]
}

// Total returns the number of rows.
func (t *table) Total() (int64, bool) { return int64(len(t.rows)), true }

// Share is the share of the rows that Next has returned.
func (t *table) Share() float64 {
	if len(t.rows) == 0 {
		return 1
	}
	return float64(t.at) / float64(len(t.rows))
}

// Notes returns nil: the notes of the file are in Graph.Notes.
func (t *table) Notes() []string { return nil }

// Close releases the memory of the rows. The checksum is empty before the last row.
func (t *table) Close() (string, error) {
	all := t.at == len(t.rows)
	t.budget.Release(t.kept)
	t.kept, t.rows, t.at = 0, nil, 0
	if !all {
		return "", nil
	}
	return t.sum, nil
}
