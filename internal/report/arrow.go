package report

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrowPieces writes an IPC file of Arrow with the columns of arrowSchema. Each piece is a
// record batch, without compression, so that a reader can use the numbers where they lie.
type arrowPieces struct {
	w      io.Writer
	to     *ipc.FileWriter // nil before the first rows
	schema *arrow.Schema
	held   []Column // the columns of the rows that are not written yet
}

// arrowBatch is how many rows make a record batch. Batches do not depend on how the table
// comes in pieces, so that equal tables make equal files.
const arrowBatch = 1 << 16

func newArrow(w io.Writer) pieces { return &arrowPieces{w: w} }

func (p *arrowPieces) piece(t *Table, rows int) (err error) {
	if p.to == nil {
		p.schema = arrowSchema(t)
		if p.to, err = ipc.NewFileWriter(p.w, ipc.WithSchema(p.schema)); err != nil {
			return err
		}
		for _, c := range t.Columns {
			p.held = append(p.held, Column{Name: c.Name, kind: c.kind, width: c.width})
		}
	}
	for i := range p.held {
		p.held[i].extend(&t.Columns[i])
	}
	for p.held[0].rows() >= arrowBatch {
		if err := p.batch(arrowBatch); err != nil {
			return err
		}
	}
	return nil
}

// batch writes the first rows that are held, and drops them.
func (p *arrowPieces) batch(rows int) error {
	columns := make([]arrow.Array, len(p.held))
	for i := range p.held {
		columns[i] = p.held[i].array(p.schema.Field(i).Type, 0, rows)
	}
	err := p.to.Write(array.NewRecordBatch(p.schema, columns, int64(rows)))
	for i := range p.held {
		p.held[i].drop(rows)
	}
	return err
}

func (p *arrowPieces) end() error {
	if p.to == nil {
		return nil // no piece, no columns
	}
	if n := p.held[0].rows(); n > 0 {
		if err := p.batch(n); err != nil {
			return err
		}
	}
	return p.to.Close()
}

// extend adds the values of another column of the same kind.
func (c *Column) extend(more *Column) {
	if c.rows() == 0 { // of a table in one piece no value is copied
		c.strings, c.ints, c.numbers, c.floats = more.strings, more.ints, more.numbers, more.floats
		return
	}
	c.strings = append(c.strings[:len(c.strings):len(c.strings)], more.strings...)
	c.ints = append(c.ints[:len(c.ints):len(c.ints)], more.ints...)
	c.numbers = append(c.numbers[:len(c.numbers):len(c.numbers)], more.numbers...)
	c.floats = append(c.floats[:len(c.floats):len(c.floats)], more.floats...)
}

// drop leaves out the first rows.
func (c *Column) drop(rows int) {
	switch c.kind {
	case kindStrings:
		c.strings = c.strings[rows:]
	case kindCells:
		c.strings, c.numbers = c.strings[rows:], c.numbers[rows:]
	case kindInts:
		c.ints = c.ints[rows:]
	default:
		c.floats = c.floats[rows*max(c.width, 1):]
	}
}

// arrowSchema has a column STRING, INT64, DOUBLE or FLOAT, or LARGE_LIST of FLOAT for vectors, for each
// column of a table.
func arrowSchema(t *Table) *arrow.Schema {
	types := map[kind]arrow.DataType{
		kindStrings: arrow.BinaryTypes.String,
		kindInts:    arrow.PrimitiveTypes.Int64,
		kindCells:   arrow.PrimitiveTypes.Float64,
		kindFloats:  arrow.PrimitiveTypes.Float32,
		kindVectors: arrow.LargeListOfNonNullable(arrow.PrimitiveTypes.Float32),
	}
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: types[c.kind], Nullable: c.optional}
	}
	return arrow.NewSchema(fields, nil)
}
