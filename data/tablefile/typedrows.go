package tablefile

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// Batches reads the rows of a typed file, some at a time.
type Batches interface {
	// Next returns the next rows, which are valid until the next call; io.EOF after the last.
	Next() (arrow.RecordBatch, error)
	// Close ends the reading.
	Close()
}

// Rows of a block, the unit of conversion.
const (
	blockRows  = 1024
	blockCells = 1 << 16 // fewer rows for tables with many columns
)

// BatchRows is how many rows of a table with some columns are decoded at a time.
func BatchRows(columns int) int { return max(1, min(blockRows, blockCells/columns)) }

// typedColumnBytes is the memory of a column: its name, its reader and its buffers.
const typedColumnBytes = 2048

// typedRows is the Reader of a typed file.
type typedRows struct {
	*TypedFile
	batches Batches
	columns []typedColumn
	names   []string
	indices []string // names of whole-number columns that are a pandas index
	left    []Left
	notes   []string
	rows    int64 // of the whole file; -1 if it does not give the number

	batch arrow.RecordBatch // nil before the first
	from  int               // rows of the batch already converted
	fills []fill            // of the batch, by column
	block []schema.Cell     // row by row
	have  int               // rows of the block
	given int               // rows of the block that Next has returned
	row   int64             // rows that Next has returned
	read  int64             // decoded rows
	err   error             // sticky
}

// typedColumn is a column of the file, which becomes width columns of the table.
type typedColumn struct {
	name  string
	at    int // index in the file
	kind  arrow.DataType
	first int // index in the table
	width int
	list  bool // a column for each position
}

// TypedTable is the content of a typed file.
type TypedTable struct {
	Batches
	Schema *arrow.Schema
	Rows   int64 // -1 where the file does not say
	// Again starts to read one column once more; at is its index in these batches.
	Again func(column int) (b Batches, at int, err error)
}

// openTyped opens a typed file; begin starts to read its table.
func openTyped(f *file, format string, begin func(*TypedFile) (TypedTable, error)) (Reader, error) {
	t, err := newTypedFile(f, format)
	if err != nil {
		return nil, err
	}
	var r *typedRows
	err = t.open(func() error {
		table, err := begin(t)
		if err == nil {
			r, err = newTypedRows(t, table)
		}
		return err
	})
	if err != nil {
		t.memory.close()
		return nil, err
	}
	return r, nil
}

// newTypedRows makes the columns of a table from the fields of a typed file and its first rows.
func newTypedRows(t *TypedFile, table TypedTable) (*typedRows, error) {
	r := &typedRows{TypedFile: t, batches: table.Batches, rows: table.Rows}
	fields := table.Schema.Fields()
	if err := t.budget.Charge(int64(len(fields))*typedColumnBytes, "columns"); err != nil {
		return nil, t.failed("cannot be read", err)
	}
	if err := checkFields(t.file, fields); err != nil {
		return nil, err
	}
	indices := pandasIndices(table.Schema)
	skip, left, err := leaveOut(table, indices)
	if err != nil {
		return nil, err
	}
	r.left = left
	if err := r.nextBatch(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for i, f := range fields {
		if !skip[i] {
			if err := r.lay(i, f); err != nil {
				return nil, err
			}
		}
	}
	if len(r.names) == 0 && (r.batch != nil || len(fields) == 0) {
		return nil, t.failed("has no columns", nil)
	}
	for _, i := range indices {
		r.indices = append(r.indices, fields[i].Name)
	}
	r.notes = append(r.notes, tellApart(r.names)...)
	if r.batch != nil {
		return r, r.bind()
	}
	return r, nil
}

// lay makes the columns of a field.
func (r *typedRows) lay(at int, f arrow.Field) error {
	c := typedColumn{name: f.Name, at: at, kind: f.Type, first: len(r.names), width: 1}
	if c.name == "" {
		c.name = fmt.Sprintf("Unnamed: %d", at) // the name that pandas gives it
		r.notes = append(r.notes, fmt.Sprintf("column %d has no name and is called %q here", at+1, c.name))
	}
	width, vector, err := r.vector(at, f)
	if err != nil {
		return err
	}
	if vector {
		c.list, c.width = true, width
		for k := range width {
			r.names = append(r.names, fmt.Sprintf("%s_%d", c.name, k))
		}
	} else {
		r.names = append(r.names, c.name)
	}
	r.columns = append(r.columns, c)
	return nil
}

// vector is the length of the lists of a field that becomes a column for each position; ok is false for other fields. See Options.
func (r *typedRows) vector(at int, f arrow.Field) (width int, ok bool, err error) {
	if !isList(f.Type) || r.options.ListsAsText || hasTexts(itemType(f.Type)) {
		return 0, false, nil
	}
	whole := arrow.IsInteger(itemType(f.Type).ID())
	if whole && slices.ContainsFunc(r.options.Sets, func(name string) bool { return schema.FoldName(name) == schema.FoldName(f.Name) }) {
		return 0, false, nil
	}
	if r.batch == nil {
		return 0, true, nil
	}
	err = r.try(func() error {
		var differ bool
		if width, differ, err = lengths(r.batch.Column(at)); err != nil {
			return err
		}
		if ok = !whole || !differ; !ok {
			return nil
		}
		return r.budget.Charge(int64(width)*typedColumnBytes, "columns")
	})
	return width, ok, err
}

// Columns implements Reader.
func (r *typedRows) Columns() []string { return r.names }

// Next implements Reader.
func (r *typedRows) Next() (schema.Row, error) {
	if r.given == r.have {
		if err := r.fillBlock(); err != nil {
			return nil, err
		}
	}
	w := len(r.names)
	row := r.block[r.given*w : (r.given+1)*w : (r.given+1)*w]
	r.given++
	r.row++
	return row, nil
}

// fillBlock converts the next rows.
func (r *typedRows) fillBlock() error {
	if r.err != nil {
		return r.err
	}
	r.have, r.given = 0, 0
	if r.batch == nil || int64(r.from) == r.batch.NumRows() {
		if r.err = r.nextBatch(); r.err == nil {
			r.err = r.bind()
		}
		if r.err != nil {
			return r.err
		}
	}
	w := len(r.names)
	n := min(int(r.batch.NumRows())-r.from, BatchRows(w))
	if len(r.block) < n*w {
		const cellBytes = 48
		if r.err = r.budget.Charge(int64((n*w-len(r.block))*cellBytes), "columns"); r.err != nil {
			r.err = r.failed("cannot be read", r.err)
			return r.err
		}
		r.block = make([]schema.Cell, n*w)
	}
	r.err = r.try(func() error {
		for i, fill := range r.fills {
			c := r.columns[i]
			if at, err := fill(r.from, n, r.block[c.first:], w); err != nil {
				return &data.ParseError{File: r.name, Line: int(r.row) + at + 1, Msg: fmt.Sprintf("column %q: %v", c.name, err)}
			}
		}
		return nil
	})
	if r.err != nil {
		return r.err
	}
	r.from += n
	r.have = n
	return nil
}

// nextBatch decodes the next rows.
func (r *typedRows) nextBatch() error {
	err := r.try(func() (err error) {
		r.batch, err = nil, nil
		r.fills = nil
		for {
			b, err := r.batches.Next()
			if err != nil {
				return err
			}
			if b.NumRows() > 0 {
				r.batch, r.from = b, 0
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	r.read += r.batch.NumRows()
	cells := r.read * max(r.batch.NumCols(), 1)
	if err := r.budget.Inflated(cells, r.size); err != nil {
		return r.failed(fmt.Sprintf("has more than %d values in %d bytes", cells, r.size), err)
	}
	return nil
}

// bind prepares the conversion of the batch.
func (r *typedRows) bind() error {
	return r.try(func() error {
		for _, c := range r.columns {
			a := asDuration(r.batch.Column(c.at), c.kind)
			if int64(a.Len()) != r.batch.NumRows() {
				return fmt.Errorf("column %q has %d rows of %d", c.name, a.Len(), r.batch.NumRows())
			}
			var f fill
			var err error
			switch {
			case c.list:
				f, err = listFill(a, c.width)
			case isList(a.DataType()):
				f, err = listTextFill(a)
			default:
				f, err = fillOf(a)
			}
			if err != nil {
				return fmt.Errorf("column %q: %w", c.name, err)
			}
			r.fills = append(r.fills, f)
		}
		return nil
	})
}

// Line implements Reader.
func (r *typedRows) Line(int) int { return int(r.row) }

// Total implements Reader.
func (r *typedRows) Total() (int64, bool) { return max(r.rows, 0), r.rows >= 0 }

// Share implements Reader.
func (r *typedRows) Share() float64 {
	if r.rows > 0 {
		return float64(r.row) / float64(r.rows)
	}
	if s, ok := r.batches.(interface{ share() float64 }); ok {
		return s.share()
	}
	return 0
}

// Notes implements Reader.
func (r *typedRows) Notes() []string { return r.notes }

// Close implements Reader.
func (r *typedRows) Close() (sum string, err error) {
	if errors.Is(r.err, io.EOF) {
		sum, err = r.sum()
	}
	r.batches.Close()
	r.memory.close()
	if e := r.file.Close(); err == nil && e != nil {
		err = r.failed("cannot be read", e)
	}
	if err != nil {
		return "", err
	}
	return sum, nil
}
