package tablefile

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// vectors is the Reader of a table with columns of number lists of equal length, as text. Each list column becomes a
// column for each position, as in typed files: NAME_0, NAME_1 and so on.
type vectors struct {
	Reader
	file    string
	words   *schema.FieldReader // recognises missing values
	lists   []numberLists       // by column of the file
	columns []string
	from    []int // for each column: index in the file
	told    []string
	ahead   lookahead
	row     schema.Row
}

// numberLists describes a column that may have lists of numbers.
type numberLists struct {
	may             bool
	least           int // number of positions in training; 0 without training
	length          int // of the lists; 0 before the first
	empty, fraction bool
}

// VectorOptions say how Vectors reads a table.
type VectorOptions struct {
	File    string // name in errors
	Budget  *data.Budget
	Missing []string // words for missing values
	// Widths are the list columns with their numbers of positions in training (schema.VectorWidths); nil for training
	// data, where the first rows decide.
	Widths map[string]int
	May    func(column int) bool // says which columns may be lists; nil for all
}

// Vectors returns a reader of the table of r in which each column of number lists of equal length becomes a column for
// each position. It returns r itself if no column may be a list, and if it fails.
func Vectors(r Reader, o VectorOptions) (Reader, error) {
	v := &vectors{Reader: r, file: o.File, words: schema.NewFieldReader(&schema.Field{Notation: &schema.Notation{Missing: o.Missing}})}
	named, open := map[string]bool{}, false
	for _, name := range r.Columns() {
		named[schema.FoldName(name)] = true
	}
	for c, name := range r.Columns() {
		x := numberLists{least: o.Widths[schema.FoldName(name)]}
		x.may = (o.May == nil || o.May(c)) && (o.Widths == nil || x.least > 0 && !named[schema.FoldName(name+"_0")])
		open = open || x.may
		v.lists = append(v.lists, x)
	}
	if !open {
		return r, nil
	}
	v.lookAhead()
	for c, name := range r.Columns() {
		x := &v.lists[c]
		sets := x.empty && !x.fraction && x.least == 0 // lists of whole numbers, some of which are empty
		if x.length = max(x.length, x.least); !x.may || x.length == 0 || sets {
			x.may = false
			v.columns, v.from = append(v.columns, name), append(v.from, c)
			continue
		}
		if err := o.Budget.Charge(int64(x.length)*columnBytes, "columns"); err != nil {
			return r, &data.ParseError{File: o.File, Msg: "cannot be read", Err: err}
		}
		for k := range x.length {
			v.columns, v.from = append(v.columns, name+"_"+strconv.Itoa(k)), append(v.from, c)
		}
	}
	v.told = tellApart(v.columns)
	return v, nil
}

// lookAhead reads rows until it is known which columns are lists, or up to the limits of tidy.
func (v *vectors) lookAhead() {
	for open := true; open && !v.ahead.full(); {
		row, err := v.Reader.Next()
		if err != nil {
			v.ahead.failed = err
			return
		}
		v.ahead.add(row, v.Reader.Line, false)
		open = false
		for c, cell := range row {
			if x := &v.lists[c]; x.may && !v.words.Missing(cell) {
				x.look(cell)
			}
			open = open || v.lists[c].may
		}
	}
}

// look examines a value of the first rows.
func (x *numberLists) look(c schema.Cell) {
	items, ok := schema.NumberList(c)
	x.fraction = x.fraction || slices.ContainsFunc(items, func(c schema.Cell) bool { return c.Kind == schema.Number })
	switch {
	case ok && len(items) == 0:
		x.empty = true
	case ok && x.length == 0:
		x.length = len(items)
	case x.least > 0: // the rows report the error
	case !ok, len(items) != x.length: // a text, or a set
		x.may = false
	}
}

// Columns implements Reader.
func (v *vectors) Columns() []string { return v.columns }

// Notes implements Reader.
func (v *vectors) Notes() []string { return append(v.Reader.Notes(), v.told...) }

// Line implements Reader.
func (v *vectors) Line(column int) int { return v.ahead.line(v.from[column], v.Reader.Line) }

func (v *vectors) leftOut() []Left { return LeftOut(v.Reader) }

// Next implements Reader.
func (v *vectors) Next() (schema.Row, error) {
	row, err := v.ahead.take(v.Reader.Next)
	if err != nil {
		return nil, err
	}
	v.row = v.row[:0]
	for c, cell := range row {
		x := &v.lists[c]
		if !x.may {
			v.row = append(v.row, cell)
			continue
		}
		items, ok := schema.NumberList(cell)
		if ok && len(items) == 0 {
			cell, ok = schema.Cell{}, false
		}
		if !ok { // missing, or wrong, which the columns report
			items = slices.Repeat([]schema.Cell{cell}, x.length)
		}
		if len(items) != x.length {
			return nil, &data.ParseError{File: v.file, Line: v.ahead.line(c, v.Reader.Line), Msg: fmt.Sprintf("column %q is %s, expected a list of %d numbers as in other rows", v.Reader.Columns()[c], schema.Shown(cell.String()), x.length)}
		}
		v.row = append(v.row, items...)
	}
	return v.row, nil
}
