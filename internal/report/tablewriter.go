package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// pieces writes a table of some format in pieces; all pieces have the columns of the first.
type pieces interface {
	piece(t *Table, rows int) error
	end() error
}

// whole writes a table in one piece.
func whole(p pieces, t *Table, rows int) error {
	if err := p.piece(t, rows); err != nil {
		return err
	}
	return p.end()
}

// TableWriter writes a table in pieces, so that it need not be in memory at once.
type TableWriter struct {
	to      pieces
	flush   func() error
	commit  func() error
	abort   func()
	columns []Column // of the first piece, without values
	rows    int
}

// CreateTable starts a file in the format of WriteTable. The file exists after Close. NPY is an
// error, because it begins with the number of rows.
func CreateTable(path string) (*TableWriter, error) {
	ext, err := tableExt(path)
	if err != nil {
		return nil, err
	}
	if ext == npyExt {
		return nil, fmt.Errorf("report: %s: NPY cannot be written piece by piece; .parquet, .jsonl and .csv can", path)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, inFile(path, err)
	}
	return &TableWriter{to: formats[ext](f), flush: func() error { return nil }, commit: f.Commit, abort: f.Abort}, nil
}

// NewTableWriter writes to a stream, as CSV or as one JSON array with an object for each row.
func NewTableWriter(w io.Writer, json bool) *TableWriter {
	b := bufio.NewWriter(w)
	t := &TableWriter{to: newCSV(b), flush: b.Flush, commit: b.Flush, abort: func() {}}
	if json {
		t.to = &jsonArray{w: b}
	}
	return t
}

// jsonArray writes an array with an object for each row.
type jsonArray struct {
	w    io.Writer
	rows int
}

func (a *jsonArray) piece(t *Table, rows int) error {
	if rows == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := newJSONLines(&b).piece(t, rows); err != nil {
		return err
	}
	before := ",\n"
	if a.rows == 0 {
		before = "[\n"
	}
	a.rows += rows
	_, err := fmt.Fprintf(a.w, "%s%s", before, joined(b.Bytes()))
	return err
}

func (a *jsonArray) end() error {
	text := "\n]\n"
	if a.rows == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(a.w, text)
	return err
}

// Write writes rows.
func (w *TableWriter) Write(t *Table) error {
	rows, err := t.check()
	if err == nil {
		err = w.same(t)
	}
	if err == nil {
		err = w.to.piece(t, rows)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	w.rows += rows
	return nil
}

// same returns an error for a piece with other columns than the first.
func (w *TableWriter) same(t *Table) error {
	if w.columns == nil {
		for _, c := range t.Columns {
			w.columns = append(w.columns, Column{Name: c.Name, kind: c.kind, width: c.width, optional: c.optional})
		}
	}
	if len(t.Columns) != len(w.columns) {
		return fmt.Errorf("a piece has %d columns, the first had %d", len(t.Columns), len(w.columns))
	}
	for k, c := range t.Columns {
		if f := w.columns[k]; c.Name != f.Name || c.kind != f.kind || c.width != f.width {
			return fmt.Errorf("column %q of a piece is not as column %q of the first", c.Name, f.Name)
		}
	}
	return nil
}

// Flush writes buffered rows to a stream; for a file it does nothing.
func (w *TableWriter) Flush() error {
	if err := w.flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// Rows is the number of rows written.
func (w *TableWriter) Rows() int { return w.rows }

// Close completes the table.
func (w *TableWriter) Close() error {
	err := w.to.end()
	if err == nil {
		err = w.commit()
	}
	if err != nil {
		w.abort()
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// Abort discards a table; after Close it does nothing.
func (w *TableWriter) Abort() { w.abort() }

// Spread returns a column of n rows that has the values of c in some rows, in order, and missing
// values in the others: an empty text, or NaN. A column of whole numbers cannot have missing
// values, which is an error.
func (c Column) Spread(to []int, n int) (Column, error) {
	out := Column{Name: c.Name, kind: c.kind, width: c.width}
	switch c.kind {
	case kindStrings:
		out.strings = make([]string, n)
		for i, row := range to {
			out.strings[row] = c.strings[i]
		}
	case kindFloats, kindVectors:
		width := max(c.width, 1)
		out.floats = make([]float32, n*width)
		for i := range out.floats {
			out.floats[i] = float32(math.NaN())
		}
		for i, row := range to {
			copy(out.floats[row*width:][:width], c.floats[i*width:])
		}
	default:
		return out, fmt.Errorf("report: column %q cannot lack values", c.Name)
	}
	return out, nil
}
