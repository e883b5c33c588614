package report

import (
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Batches writes a file of record batches, as Arrow has them.
type Batches interface {
	Write(rows arrow.RecordBatch) error
	Close() error
}

// BatchFormat begins a file of record batches.
type BatchFormat func(w io.Writer, columns *arrow.Schema) (Batches, error)

// RegisterFormat adds a file format by its extension, as package data/parquet does: its encoder
// makes a program much larger.
func RegisterFormat(ext string, begin BatchFormat) {
	formats[ext] = func(w io.Writer) pieces { return &batchPieces{w: w, begin: begin} }
}

// WriteBatches writes t to a stream.
func WriteBatches(w io.Writer, t *Table, begin BatchFormat) error {
	return writeTo(w, t, func(w io.Writer) pieces { return &batchPieces{w: w, begin: begin} })
}

// newArrow writes an Arrow IPC file without compression, so that a reader can map the numbers.
func newArrow(w io.Writer) pieces {
	return &batchPieces{w: w, begin: func(w io.Writer, columns *arrow.Schema) (Batches, error) {
		return ipc.NewFileWriter(w, ipc.WithSchema(columns))
	}}
}

// batchPieces writes record batches with the columns of arrowSchema.
type batchPieces struct {
	w      io.Writer
	begin  BatchFormat
	to     Batches // nil before the first rows
	schema *arrow.Schema
	held   []Column // rows that are not written yet
}

// BatchRows is the number of rows in each record batch except the last. Batches do not depend on
// the pieces in which a table is written, so that equal tables make equal files.
const BatchRows = 1 << 16

func (p *batchPieces) piece(t *Table, rows int) (err error) {
	if p.to == nil {
		p.schema = arrowSchema(t)
		if p.to, err = p.begin(p.w, p.schema); err != nil {
			return err
		}
		for _, c := range t.Columns {
			p.held = append(p.held, Column{Name: c.Name, kind: c.kind, width: c.width, optional: c.optional})
		}
	}
	for i := range p.held {
		p.held[i].extend(&t.Columns[i])
	}
	for p.held[0].rows() >= BatchRows {
		if err := p.batch(BatchRows); err != nil {
			return err
		}
	}
	return nil
}

// batch writes the first held rows and drops them.
func (p *batchPieces) batch(rows int) error {
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

func (p *batchPieces) end() error {
	if p.to == nil {
		return nil // there was no piece, so there are no columns
	}
	if n := p.held[0].rows(); n > 0 {
		if err := p.batch(n); err != nil {
			return err
		}
	}
	return p.to.Close()
}

// array returns some values of the column as an Arrow array. Numbers are not copied.
func (c *Column) array(kind arrow.DataType, from, to int) arrow.Array {
	n := to - from
	of := func(kind arrow.DataType, n int, bytes []byte) *array.Data {
		return array.NewData(kind, n, []*memory.Buffer{nil, memory.NewBufferBytes(bytes)}, nil, 0, 0)
	}
	switch c.kind {
	case kindStrings:
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(c.strings[from:to], c.valid(from, to))
		return b.NewArray()
	case kindCells:
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues(c.numbers[from:to], c.valid(from, to))
		return b.NewArray()
	case kindInts:
		return array.MakeFromData(of(kind, n, arrow.Int64Traits.CastToBytes(c.ints[from:to])))
	case kindFloats:
		return array.MakeFromData(of(kind, n, arrow.Float32Traits.CastToBytes(c.floats[from:to])))
	}
	ends := make([]int64, n+1)
	for i := range ends {
		ends[i] = int64(i * c.width)
	}
	list := of(kind, n, arrow.Int64Traits.CastToBytes(ends))
	items := of(arrow.PrimitiveTypes.Float32, n*c.width, arrow.Float32Traits.CastToBytes(c.floats[from*c.width:to*c.width]))
	return array.MakeFromData(array.NewData(kind, n, list.Buffers(), []arrow.ArrayData{items}, 0, 0))
}

// valid says which texts are not missing; nil for all.
func (c *Column) valid(from, to int) []bool {
	if !c.optional {
		return nil
	}
	return lists.Map(c.strings[from:to], func(text string) bool { return text != "" })
}

// extend adds the values of another column of the same kind.
func (c *Column) extend(more *Column) {
	if c.rows() == 0 { // values of a table in one piece are not copied
		c.strings, c.ints, c.numbers, c.floats = more.strings, more.ints, more.numbers, more.floats
		c.clip()
		return
	}
	c.strings = append(c.strings, more.strings...)
	c.ints = append(c.ints, more.ints...)
	c.numbers = append(c.numbers, more.numbers...)
	c.floats = append(c.floats, more.floats...)
}

// clip limits the capacity, so that values added later do not overwrite shared memory.
func (c *Column) clip() {
	c.strings, c.ints, c.numbers, c.floats = slices.Clip(c.strings), slices.Clip(c.ints), slices.Clip(c.numbers), slices.Clip(c.floats)
}

// drop removes the first rows.
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

// arrowSchema has a column of type STRING, INT64, DOUBLE, FLOAT, or LARGE_LIST of FLOAT (vectors) for
// each column of a table.
func arrowSchema(t *Table) *arrow.Schema {
	types := map[kind]arrow.DataType{
		kindStrings: arrow.BinaryTypes.String,
		kindInts:    arrow.PrimitiveTypes.Int64,
		kindCells:   arrow.PrimitiveTypes.Float64,
		kindFloats:  arrow.PrimitiveTypes.Float32,
		kindVectors: arrow.LargeListOfNonNullable(arrow.PrimitiveTypes.Float32),
	}
	return arrow.NewSchema(lists.Map(t.Columns, func(c Column) arrow.Field {
		return arrow.Field{Name: c.Name, Type: types[c.kind], Nullable: c.optional}
	}), nil)
}
