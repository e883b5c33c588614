package report

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// parquetPieces writes required columns STRING, INT64, DOUBLE and FLOAT, and LIST of FLOAT for vectors,
// compressed by Snappy, which every reader has.
type parquetPieces struct {
	w      io.Writer
	to     *pqarrow.FileWriter // nil before the first piece
	schema *arrow.Schema
}

// parquetGroup is how many rows make a group, which is kept until it is complete.
const parquetGroup = 1 << 16

func newParquet(w io.Writer) pieces { return &parquetPieces{w: w} }

// begin takes the columns from the first piece.
func (p *parquetPieces) begin(t *Table) (err error) {
	p.schema = arrowSchema(t)
	p.to, err = pqarrow.NewFileWriter(p.schema, struct{ io.Writer }{p.w}, // which is not closed
		parquet.NewWriterProperties(
			parquet.WithCompression(compress.Codecs.Snappy),
			parquet.WithDictionaryDefault(false),
			parquet.WithMaxRowGroupLength(parquetGroup),
			// The default names the version of the library, which varies.
			parquet.WithCreatedBy("ehgnn")),
		pqarrow.DefaultWriterProps())
	return err
}

func (p *parquetPieces) piece(t *Table, rows int) error {
	if p.to == nil {
		if err := p.begin(t); err != nil {
			return err
		}
	}
	for from := 0; from < rows; from += parquetGroup {
		if err := p.batch(t, from, min(from+parquetGroup, rows)); err != nil {
			return err
		}
	}
	return nil
}

// batch writes some rows.
func (p *parquetPieces) batch(t *Table, from, to int) error {
	columns := make([]arrow.Array, len(t.Columns))
	for i := range t.Columns {
		columns[i] = t.Columns[i].array(p.schema.Field(i).Type, from, to)
	}
	return p.to.WriteBuffered(array.NewRecordBatch(p.schema, columns, int64(to-from)))
}

// array is some values of the column in the form of Arrow. Numbers are not copied.
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

// valid tells which texts are there; nil for all.
func (c *Column) valid(from, to int) []bool {
	if !c.optional {
		return nil
	}
	out := make([]bool, to-from)
	for i := range out {
		out[i] = c.strings[from+i] != ""
	}
	return out
}

func (p *parquetPieces) end() error {
	if p.to == nil {
		return nil // no piece, no columns
	}
	return p.to.Close()
}
