package tablefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// folderRows is the Reader of a folder of parts, one after another.
type folderRows struct {
	fsys    fs.FS
	dir     string
	budget  *data.Budget
	options Options

	parts   []part
	at      int // current part
	reader  Reader
	order   []int // for each table column that is in the files: the column of the part
	columns []string
	model   int // part that the columns come from
	inFiles int // columns in the files; those from folder names follow them
	row     schema.Row
	sums    []string
	left    []Left
	notes   []string
	err     error // sticky; io.EOF after the last row
}

// openFolder opens a folder of parts as one table.
func openFolder(fsys fs.FS, dir string, b *data.Budget, o Options) (Reader, error) {
	parts, err := listParts(fsys, dir, b)
	if err != nil {
		return nil, err
	}
	r := &folderRows{fsys: fsys, dir: dir, budget: b, options: o, parts: parts}
	if err := r.first(); err != nil {
		return nil, err
	}
	r.left = LeftOut(r.reader)
	for i, c := range r.reader.Columns() {
		if r.isIndex(c) {
			r.left = append(r.left, Left{At: i, Name: c, Why: isPartIndex})
		} else {
			r.columns, r.order = append(r.columns, c), append(r.order, i)
		}
	}
	r.inFiles, r.model = len(r.columns), r.at
	for _, v := range parts[0].values {
		if slices.ContainsFunc(r.columns, func(c string) bool { return strings.EqualFold(c, v.column) }) {
			r.reader.Close()
			return nil, r.failed(parts[r.at], fmt.Sprintf("has a column %q, which the name of its folder or file also gives: rename one of them", v.column))
		}
		r.columns = append(r.columns, v.column)
	}
	return r, nil
}

// first opens the first part with rows, or the last part: parts without rows may not know the
// lengths of their lists.
func (r *folderRows) first() error {
	for {
		if err := r.open(); err != nil {
			return err
		}
		if !r.empty() || r.at == len(r.parts)-1 {
			return nil
		}
		if _, err := r.reader.Next(); !errors.Is(err, io.EOF) {
			r.reader.Close()
			return err
		}
		if err := r.finish(); err != nil {
			return err
		}
	}
}

// empty reports whether the open part has no rows.
func (r *folderRows) empty() bool {
	n, ok := r.reader.Total()
	return ok && n == 0
}

// isIndex reports whether a column of the open part is a pandas index that continues over several
// parts, so that it seems to count only the rows of the first part.
func (r *folderRows) isIndex(column string) bool {
	t, ok := r.reader.(*typedRows)
	return ok && len(r.parts) > 1 && slices.Contains(t.indices, column)
}

// open opens the current part.
func (r *folderRows) open() (err error) {
	r.reader, err = Open(r.fsys, path.Join(r.dir, r.parts[r.at].name), r.budget, r.options)
	return err
}

// Columns implements Reader.
func (r *folderRows) Columns() []string { return r.columns }

// Next implements Reader.
func (r *folderRows) Next() (schema.Row, error) {
	for r.err == nil {
		row, err := r.reader.Next()
		if err == nil {
			return r.complete(row), nil
		}
		if r.err = err; errors.Is(err, io.EOF) {
			r.err = r.nextPart()
		}
	}
	return nil, r.err
}

// nextPart moves to the next part; io.EOF after the last.
func (r *folderRows) nextPart() error {
	if err := r.finish(); err != nil {
		return err
	}
	if r.at == len(r.parts) {
		return io.EOF
	}
	if err := r.open(); err != nil || r.empty() {
		return err
	}
	return r.match()
}

// complete puts the cells of a row of a part into the order of the table, followed by the values of
// its folder names.
func (r *folderRows) complete(row schema.Row) schema.Row {
	r.row = r.row[:0]
	for _, k := range r.order {
		r.row = append(r.row, row[k])
	}
	for _, v := range r.parts[r.at].values {
		r.row = append(r.row, v.cell)
	}
	return r.row
}

// finish closes a part that was read to its end.
func (r *folderRows) finish() error {
	p := r.parts[r.at]
	r.at++
	for _, n := range r.reader.Notes() {
		if n = fmt.Sprintf("%s: %s", p.name, n); len(r.notes) < maxPartNotes {
			r.notes = append(r.notes, n)
		}
	}
	reader := r.reader
	r.reader = nil
	sum, err := reader.Close()
	r.sums = append(r.sums, sum+"  "+p.name)
	return err
}

// maxPartNotes is the largest number of notes of all parts.
const maxPartNotes = 20

// match finds the table's columns in a part, which may have another order.
func (r *folderRows) match() error {
	p, first := r.parts[r.at], r.parts[r.model]
	columns := r.reader.Columns()
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		if !r.isIndex(c) {
			at[c] = i
		}
	}
	for i, c := range r.columns[:r.inFiles] {
		k, ok := at[c]
		if !ok {
			return r.failed(p, fmt.Sprintf("has no column %q, which %s has: parts of a table have the same columns", c, first.name))
		}
		r.order[i] = k
		delete(at, c)
	}
	for _, c := range columns {
		if _, ok := at[c]; ok {
			return r.failed(p, fmt.Sprintf("has a column %q, which %s does not have: parts of a table have the same columns", c, first.name))
		}
	}
	return nil
}

func (r *folderRows) failed(p part, msg string) error {
	return &data.ParseError{File: path.Join(r.dir, p.name), Msg: msg}
}

// Line implements Reader: it is the line in the part of the row.
func (r *folderRows) Line(column int) int {
	if r.reader == nil || column >= r.inFiles {
		return 0
	}
	return r.reader.Line(r.order[column])
}

// Total implements Reader. It counts parts that have been opened.
func (r *folderRows) Total() (int64, bool) {
	if len(r.parts) == 1 && r.reader != nil {
		return r.reader.Total()
	}
	return 0, false
}

// Share implements Reader, by the sizes of the parts.
func (r *folderRows) Share() float64 {
	var behind, all float64
	for i, p := range r.parts {
		all += float64(p.size)
		if i < r.at {
			behind += float64(p.size)
		}
	}
	if r.at < len(r.parts) && r.reader != nil {
		behind += r.reader.Share() * float64(r.parts[r.at].size)
	}
	return behind / max(all, 1)
}

// Notes implements Reader.
func (r *folderRows) Notes() []string {
	if r.reader == nil {
		return r.notes
	}
	return slices.Concat(r.notes, r.reader.Notes())
}

// Close implements Reader.
func (r *folderRows) Close() (string, error) {
	if r.reader != nil {
		_, err := r.reader.Close()
		return "", err
	}
	if !errors.Is(r.err, io.EOF) {
		return "", nil
	}
	return data.Checksum(r.sums), nil
}
