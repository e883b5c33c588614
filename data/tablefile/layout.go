package tablefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// layout says which values of a record are the columns of the table.
type layout struct {
	names  []string // of the values, "" for values that are left out
	kept   []int    // the values that are columns
	width  int      // number of values in a record
	least  int      // smallest number of values, if those after them are left out
	whole  bool     // all values are columns
	index  int      // index of the value that counts the rows, -1 for none
	rnames bool     // the first value is a row name, which the header does not name
	empty  []int    // indices of values that must be empty
	left   []Left
	notes  []string
}

// plan decides the layout from the header and the records read ahead.
func (t *tidy) plan() (layout, error) {
	l := layout{names: slices.Clone(t.head.names), index: -1}
	extra := 0
	if len(t.ahead.records) > 0 {
		extra = len(t.ahead.records[0].row) - len(l.names)
	}
	switch {
	case extra <= 0:
	case t.vacant(len(l.names), len(l.names)+extra):
		l.names = append(l.names, make([]string, extra)...)
	case extra == 1 && t.head.comma != 0 && t.rowNames():
		l.names, l.rnames = slices.Insert(l.names, 0, ""), true
	default:
		return l, t.widthError(t.ahead.records[0].row, t.ahead.records[0].lines[0], len(l.names))
	}
	l.width = len(l.names)
	var called []string
	for i, n := range l.names {
		switch {
		case n != "":
		case l.rnames && i == 0:
			l.nameRows(t)
			continue
		case t.vacant(i, i+1):
			l.empty = append(l.empty, i)
			l.left = append(l.left, Left{At: i, Why: isVacant})
			continue
		case i == 0 && t.counting() >= 0:
			l.index = 0
			l.left = append(l.left, Left{Why: isCounting})
			continue
		default:
			l.names[i] = fmt.Sprintf("Unnamed: %d", i)
			called = append(called, fmt.Sprintf("column %d has no name; it is called %q here", i+1, l.names[i]))
		}
		l.kept = append(l.kept, i)
		l.least = i + 1
	}
	l.whole = len(l.kept) == l.width
	l.notes = shortened(called, "columns have no name")
	return l, nil
}

// nameRows leaves out row names, which the header does not name.
func (l *layout) nameRows(t *tidy) {
	if t.counting() >= 0 {
		l.index = 0
	}
	l.left = append(l.left, Left{Why: isRowName})
}

// vacant reports whether values at some indices are missing in all records read ahead.
func (t *tidy) vacant(from, to int) bool {
	for _, r := range t.ahead.records {
		for i := from; i < min(to, len(r.row)); i++ {
			if r.row[i].Kind != schema.Missing {
				return false
			}
		}
	}
	return true
}

// alike returns the records read ahead up to the first one of another width.
func (t *tidy) alike() []record {
	for i, r := range t.ahead.records {
		if len(r.row) != len(t.ahead.records[0].row) {
			return t.ahead.records[:i]
		}
	}
	return t.ahead.records
}

// counting is the first value of the first record, if the first values count up from it; otherwise -1.
func (t *tidy) counting() int64 {
	first := int64(-1)
	for i, r := range t.alike() {
		n, ok := wholeNumber(r.row[0])
		if i == 0 {
			first = n
		}
		if !ok || n != first+int64(i) {
			return -1
		}
	}
	return first
}

// wholeNumber is a cell as a whole number that is not negative.
func wholeNumber(c schema.Cell) (int64, bool) {
	switch {
	case c.Kind == schema.Integer && c.Text == "":
		return c.Integer, c.Integer >= 0
	case c.Kind == schema.Text && c.Text != "" && strings.Trim(c.Text, "0123456789") == "":
		n, err := strconv.ParseInt(c.Text, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// rowNames reports whether the first values are row names written by R, and not halves of numbers
// with a decimal comma, or other extra values.
func (t *tidy) rowNames() bool {
	first := t.counting()
	rows, quoted, seen := t.alike(), true, map[string]bool{}
	for _, r := range rows {
		quoted = quoted && r.quoted
		seen[r.row[0].Text] = true
	}
	switch {
	case quoted && first == 1:
		return true
	case t.head.comma == ',' && t.halves():
		return false
	case first == 0 || first == 1:
		return true
	}
	return quoted && t.head.quoted && len(seen) == len(rows)
}

// halves reports whether two neighbouring values could be one number with a decimal comma in all
// records read ahead.
func (t *tidy) halves() bool {
	for i := range len(t.ahead.records[0].row) - 1 {
		pair, width, zero := true, -1, false
		for _, r := range t.alike() {
			if !pair {
				break
			}
			whole, part := strings.TrimPrefix(r.row[i].Text, "-"), r.row[i+1].Text
			pair = digits(whole) && digits(part) && (whole == "0" || whole[0] != '0')
			if width == -1 {
				width = len(part)
			} else if width != len(part) {
				width = -2
			}
			zero = zero || len(part) > 1 && strings.HasSuffix(part, "0")
		}
		// Decimals have a fixed number of places, or no zeros at the end.
		if pair && (width >= 0 || !zero) {
			return true
		}
	}
	return false
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// check checks the assumptions of the layout for a record: its width, that left-out values are
// empty, and that the index continues.
func (t *tidy) check(row schema.Row) error {
	l := &t.layout
	if len(row) > l.width || len(row) < l.least {
		return t.widthError(row, t.fieldLine(0), l.width)
	}
	for _, i := range l.empty {
		if i < len(row) && row[i].Kind != schema.Missing {
			return t.errorf(t.fieldLine(i), "column %d has no name and had no value in the rows before, but %s here; give it a name in the header on line %d", i+1, schema.Shown(row[i].String()), t.head.line)
		}
	}
	if l.index < 0 {
		return nil
	}
	n, ok := wholeNumber(row[l.index])
	if t.rows == 1 {
		t.counts = n
	}
	if !ok || n != t.counts {
		return t.errorf(t.fieldLine(l.index), "the first column has no name and counted the rows, but has %s here, expected %d; give it a name in the header on line %d", schema.Shown(row[l.index].String()), t.counts, t.head.line)
	}
	t.counts++
	return nil
}

// widthError is the error of a record with the wrong number of values.
func (t *tidy) widthError(row schema.Row, line, want int) error {
	help := t.widthHelp(row, line, want)
	if t.layout.rnames {
		return t.errorf(line, "number of values is %d, expected %d: a row name and the %d of the header on line %d%s", len(row), want, want-1, t.head.line, help)
	}
	if len(row) == want+1 && t.layout.width == 0 && t.head.comma != 0 {
		help += "; if each row begins with a row name, give that column a name in the header"
	}
	return t.errorf(line, "number of values is %d, expected %d as in the header on line %d%s", len(row), want, t.head.line, help)
}
