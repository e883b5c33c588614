package tables

import (
	"errors"
	"fmt"
	"io"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// tableReader reads one table: begin gets its columns after their roles are assigned, and each gets every row.
type tableReader struct {
	*openTable
	roles func(*header) error
	begin func(*header) error
	each  func(r tablefile.Reader, h *header, row schema.Row) error
}

func (l *loader) table(t tableReader) (*header, error) {
	h, err := l.readRows(t)
	r := t.reader
	sum, closing := r.Close()
	if err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	l.readerNotes(t.file, r)
	l.folder.took(sum, t.file)
	return h, nil
}

func (l *loader) readRows(t tableReader) (*header, error) {
	r, h, err := l.set.Options.withRoles(t.reader, t.file, t.of, l.folder.budget, t.roles)
	if t.reader = r; err != nil {
		return nil, err
	}
	if h.at[momentDate] >= 0 && l.set.Options.known == nil {
		l.note("the dates of column %q and the times of day of column %q are read as one time", h.name(momentDate), h.name(moment))
	}
	if err := t.begin(h); err != nil {
		return nil, err
	}
	own := newOwnColumns(h, l.set.Options.KeepColumns, l.folder.budget)
	record := newRecord(h, &l.set.Options)
	record.first, record.end = len(l.set.NodeIDs), t.end
	l.records = append(l.records, record)
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			if record.rows == 0 {
				return nil, l.noRows(t.file, t.of)
			}
			record.left = tablefile.LeftOut(r)
			if own != nil && t.of == OfNodes {
				l.set.NodeOwn = own.appendTo(l.set.NodeOwn, record.first)
			} else if own != nil {
				l.set.EdgeOwn = own.columns
			}
			return h, nil
		}
		if err != nil {
			return nil, err
		}
		record.row(row)
		if err := l.folder.budget.Charge(l.rowBytes, "rows"); err != nil {
			return nil, &data.ParseError{File: t.file, Line: r.Line(0), Msg: "cannot be read", Err: err}
		}
		if err := t.each(r, h, row); err != nil {
			return nil, err
		}
		if own == nil {
			continue
		}
		if err := own.add(row); err != nil {
			return nil, &data.ParseError{File: t.file, Line: r.Line(0), Msg: "cannot be read", Err: err}
		}
	}
}

// withNote adds the first note of the reader, about the lines before or other sheets, to an error of the names of columns.
func withNote(err error, notes []string) error {
	var place *data.ParseError
	if errors.As(err, &place) && len(notes) > 0 {
		place.Msg += "; " + notes[0]
	}
	return err
}

// addCells gives a row to the builders.
func addCells(r tablefile.Reader, h *header, row schema.Row, b []*schema.Builder) error {
	for c, x := range b {
		if x != nil {
			if err := x.Add(row[c], r); err != nil {
				return wrongCell(r, h, x, c, err)
			}
		}
	}
	return nil
}

// wrongCell is at for a cell that a builder rejects, which may be in an earlier row.
func wrongCell(r tablefile.Reader, h *header, b *schema.Builder, column int, err error) error {
	if line := b.WrongLine(); line > 0 {
		return h.wrong(line, column, err)
	}
	return errorAt(r, h, column, err)
}

// errorAt adds file, line and column of a value to an error.
func errorAt(r tablefile.Reader, h *header, column int, err error) error {
	if err == nil {
		return nil
	}
	return h.wrong(r.Line(column), column, err)
}

// wrong is an error of a value in a line.
func (h *header) wrong(line, column int, err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return &data.ParseError{File: h.file, Line: line, Msg: "cannot be read", Err: err}
	}
	return &data.ParseError{File: h.file, Line: line, Msg: fmt.Sprintf("column %q %v", h.names[column], err)}
}
