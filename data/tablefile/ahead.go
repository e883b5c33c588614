package tablefile

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// Limits for reading a table ahead, if its first rows leave a question open.
const (
	aheadRows  = 1000
	aheadCells = 1 << 16
	aheadText  = 1 << 20
)

// record is one record that was read ahead.
type record struct {
	row    schema.Row
	lines  []int // of its values
	quoted bool  // see source.quoted
}

// lookahead has records that were read before they are requested.
type lookahead struct {
	records     []record // read and not returned yet
	now         *record  // last returned record, if it was read ahead
	failed      error    // error of reading ahead
	cells, text int      // read ahead
}

// full reports whether no more records may be read ahead.
func (a *lookahead) full() bool {
	return a.failed != nil || len(a.records) >= aheadRows || a.cells >= aheadCells || a.text >= aheadText
}

// add adds a record, whose memory the next one overwrites.
func (a *lookahead) add(row schema.Row, line func(field int) int, quoted bool) {
	r := record{row: slices.Clone(row), lines: make([]int, len(row)), quoted: quoted}
	for i, c := range row {
		r.row[i].Text, r.lines[i] = strings.Clone(c.Text), line(i)
		a.text += len(c.Text)
	}
	a.cells += len(row)
	a.records = append(a.records, r)
}

// take returns the next record; records that were read ahead come first.
func (a *lookahead) take(next func() (schema.Row, error)) (schema.Row, error) {
	if a.now = nil; len(a.records) > 0 {
		a.now, a.records = &a.records[0], a.records[1:]
		return a.now.row, nil
	}
	if a.failed != nil {
		return nil, a.failed
	}
	return next()
}

// line is the line of a value of the last record; of is used for a record that was not read ahead.
func (a *lookahead) line(field int, of func(field int) int) int {
	if a.now != nil {
		return a.now.lines[min(field, len(a.now.lines)-1)]
	}
	return of(field)
}

// peeked is a Reader whose first rows were read ahead.
type peeked struct {
	Reader
	ahead lookahead
}

// Peek reads rows ahead until more returns false, up to the limits of tidy, and returns a reader of all rows.
func Peek(r Reader, more func(row schema.Row) bool) Reader {
	p := &peeked{Reader: r}
	for !p.ahead.full() {
		row, err := r.Next()
		if err != nil {
			p.ahead.failed = err
			break
		}
		p.ahead.add(row, r.Line, false)
		if !more(row) {
			break
		}
	}
	return p
}

// Next implements Reader.
func (p *peeked) Next() (schema.Row, error) { return p.ahead.take(p.Reader.Next) }

// Line implements Reader.
func (p *peeked) Line(column int) int { return p.ahead.line(column, p.Reader.Line) }

func (p *peeked) leftOut() []Left { return LeftOut(p.Reader) }
