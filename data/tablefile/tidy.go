package tablefile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// source reads the records of a file after the header.
type source interface {
	// next returns the next record, which is valid until the next call; its texts are valid longer.
	next() (schema.Row, error)
	// quoted reports whether the first value of the record is quoted.
	quoted() bool
	// line is the line of a value of the last record.
	line(field int) int
	// widthHelp is a hint about a record with the wrong number of values.
	widthHelp(row schema.Row, line, want int) string
	total() (int64, bool)
	share() float64
	notes() []string
	close() (string, error)
}

// header has the names of the columns in the file.
type header struct {
	names  []string
	line   int
	quoted bool // the first name is quoted
	comma  byte // separator of a text
}

// tidy is the table of a source without columns that have no name and rows that have no values,
// which spreadsheets and data frames leave.
type tidy struct {
	source
	file    *file
	head    header
	layout  layout
	columns []string
	told    []string // notes

	ahead  lookahead
	row    schema.Row
	rows   int64 // returned
	counts int64 // next value of the index
	blanks int64 // rows without values
	first  int   // line of the first of them
	done   bool
}

// columnBytes is the memory of a column without its rows.
const columnBytes = 768

func newTidy(f *file, s source, h header) (*tidy, error) {
	t := &tidy{source: s, file: f, head: h}
	if err := f.budget.Charge(int64(len(h.names))*columnBytes, "columns"); err != nil {
		return nil, f.failed("cannot be read", err)
	}
	t.lookAhead()
	var err error
	if t.layout, err = t.plan(); err != nil {
		return nil, err
	}
	t.columns = make([]string, 0, len(t.layout.kept))
	for _, c := range t.layout.kept {
		t.columns = append(t.columns, t.layout.names[c])
	}
	if len(t.columns) == 0 {
		return nil, t.errorf(h.line, "no column has a name, expected a line of column names")
	}
	t.told = append(t.layout.notes, tellApart(t.columns)...)
	t.row = make(schema.Row, len(t.columns))
	return t, nil
}

// lookAhead reads records until the layout can be decided: one, or more if a column has no name or
// if the first record has a different width than the header. An error is returned when its row is
// reached.
func (t *tidy) lookAhead() {
	for first, open := true, slices.Contains(t.head.names, ""); first || open && !t.ahead.full(); first = false {
		row, err := t.nextRecord()
		if err != nil {
			t.ahead.failed = err
			return
		}
		open = open || len(row) != len(t.head.names)
		t.ahead.add(row, t.line, t.quoted())
	}
}

// nextRecord returns the next record with a value.
func (t *tidy) nextRecord() (schema.Row, error) {
	for {
		row, err := t.next()
		if err != nil {
			return nil, err
		}
		for i := range row {
			if row[i].Kind != schema.Missing {
				return row, t.noRow(row, i)
			}
		}
		if t.blanks++; t.blanks == 1 {
			t.first = t.line(0)
		}
	}
}

// noRow returns an error for a record of a text that repeats the header, or is a line drawn below it; first is its first value.
func (t *tidy) noRow(row schema.Row, first int) error {
	text, names := row[first].Text, t.head.names
	if t.head.comma == 0 || text == "" || text[0] != '-' && text[0] != '+' && text[0] != ':' && (first >= len(names) || text != names[first]) {
		return nil
	}
	repeats, drawn := len(row) == len(names) && len(row) > 1, len(text) > 2
	for i, c := range row {
		repeats = repeats && c.Text == names[i]
		drawn = drawn && strings.Trim(c.Text, "-+:=| ") == ""
	}
	switch {
	case repeats:
		return t.errorf(t.line(0), "repeats the names of the header on line %d, as in joined files: leave this line out", t.head.line)
	case drawn:
		return t.errorf(t.line(0), "is a drawn line: "+byDatabase)
	}
	return nil
}

func (t *tidy) Columns() []string { return t.columns }

func (t *tidy) Next() (schema.Row, error) {
	row, err := t.ahead.take(t.nextRecord)
	if err != nil {
		t.done = errors.Is(err, io.EOF)
		return nil, err
	}
	t.rows++
	if t.layout.whole && len(row) == t.layout.width {
		return row, nil
	}
	if err := t.check(row); err != nil {
		return nil, err
	}
	for i, c := range t.layout.kept {
		t.row[i] = row[c]
	}
	return t.row, nil
}

func (t *tidy) Line(column int) int { return t.fieldLine(t.layout.kept[column]) }

// fieldLine is the line of a value of the last record.
func (t *tidy) fieldLine(field int) int { return t.ahead.line(field, t.line) }

func (t *tidy) Total() (int64, bool) { return t.total() }

func (t *tidy) Share() float64 { return t.share() }

func (t *tidy) Notes() []string {
	notes := append(t.notes(), t.told...)
	switch {
	case t.blanks == 1:
		notes = append(notes, fmt.Sprintf("the row on line %d has no value and was left out", t.first))
	case t.blanks > 1:
		notes = append(notes, fmt.Sprintf("%d rows, the first on line %d, have no value and were left out", t.blanks, t.first))
	}
	return notes
}

func (t *tidy) Close() (string, error) {
	sum, err := t.close()
	if err != nil {
		return "", t.file.failed("cannot be closed", err)
	}
	if !t.done {
		sum = ""
	}
	return sum, nil
}

func (t *tidy) errorf(line int, format string, args ...any) error {
	return &data.ParseError{File: t.file.name, Line: line, Msg: fmt.Sprintf(format, args...)}
}
