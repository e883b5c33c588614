package graphfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/ehgnn/ehgnn/data/schema"
)

// lineTable is a table with a row per line of a text. Empty lines and comments are skipped.
type lineTable struct {
	*lines
	columns []string
	row     schema.Row
	// parse puts the values of a line into row. It returns false for a line that is not a row.
	parse func(line string, row schema.Row) (bool, error)
	// isComment reports whether a line is a comment.
	isComment func(line string) bool
	// end is called after the last line. It may be nil.
	end func() error
	// total is the number of rows that the file states. rows counts the rows that were read.
	total, rows int64
	known       bool // total is known
	notes       []string
	late        int // comments after the first row
	lateLine    int // the line of the first of them
}

// Columns returns the names of the columns.
func (t *lineTable) Columns() []string { return t.columns }

// Next returns the next row, and io.EOF after the last.
func (t *lineTable) Next() (schema.Row, error) {
	if t.ended {
		return nil, io.EOF
	}
	for {
		line, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil, t.finish()
		}
		if err != nil {
			return nil, err
		}
		if line == "" {
			continue
		}
		if t.isComment(line) {
			t.comment()
			continue
		}
		ok, err := t.parse(line, t.row)
		if err != nil {
			return nil, t.errorf(t.line, nil, "%s", err)
		}
		if ok {
			t.rows++
			return t.row, nil
		}
	}
}

// comment counts a comment after the first row.
func (t *lineTable) comment() {
	if t.rows > 0 {
		if t.late++; t.late == 1 {
			t.lateLine = t.line
		}
	}
}

// finish ends the table. It returns io.EOF, or an error of the table as a whole.
func (t *lineTable) finish() error {
	if t.late > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%s: comments among the rows are left out: %d, the first on line %d", t.name, t.late, t.lateLine))
	}
	if t.end != nil {
		if err := t.end(); err != nil {
			return t.errorf(t.line-1, nil, "%s", err)
		}
	}
	return io.EOF
}

// Line returns the line of the last row.
func (t *lineTable) Line(int) int { return t.line }

// Total returns the number of rows, if the file states it.
func (t *lineTable) Total() (int64, bool) { return t.total, t.known }

// Notes say what the reader left out.
func (t *lineTable) Notes() []string { return t.notes }
