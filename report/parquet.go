package report

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// parquetBatch is how many rows are turned into parquet values at a time.
const parquetBatch = 1024

// orderedGroup is a parquet group that keeps its fields in the order given;
// parquet.Group sorts them by name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

func (g *orderedGroup) add(name string, node parquet.Node) {
	g.Group[name] = node
	g.fields = append(g.fields, parquet.Group{name: node}.Fields()...)
}

// parquetPieces writes required columns STRING, INT64 and FLOAT, and LIST of
// FLOAT for vectors, compressed by Snappy, which every reader has.
type parquetPieces struct {
	w     io.Writer
	to    rowWriter // nil before the first piece
	batch []parquet.Row
	group int // rows of the group that is being written, which is kept until it is complete
}

// rowWriter writes rows in groups.
type rowWriter interface {
	WriteRows([]parquet.Row) (int, error)
	Flush() error // ends a group
	Close() error
}

// parquetGroup is how many rows of a table that comes in pieces make a group at least.
const parquetGroup = 1 << 16

func newParquet(w io.Writer) pieces {
	return &parquetPieces{w: w, batch: make([]parquet.Row, 0, parquetBatch)}
}

// begin takes the columns from the first piece.
func (p *parquetPieces) begin(t *Table) {
	root := orderedGroup{Group: parquet.Group{}}
	for _, c := range t.Columns {
		switch c.kind {
		case kindStrings:
			root.add(c.Name, parquet.String())
		case kindInts:
			root.add(c.Name, parquet.Int(64))
		case kindFloats:
			root.add(c.Name, parquet.Leaf(parquet.FloatType))
		case kindVectors:
			root.add(c.Name, parquet.List(parquet.Leaf(parquet.FloatType)))
		}
	}
	p.to = parquet.NewWriter(p.w, parquet.NewSchema("table", root),
		parquet.Compression(&parquet.Snappy),
		// The default names the build of the library, which varies.
		parquet.CreatedBy("ehgnn", "1", "parquet-go"))
}

func (p *parquetPieces) piece(t *Table, rows int) error {
	if p.to == nil {
		p.begin(t)
	}
	if p.group >= parquetGroup {
		if err := p.to.Flush(); err != nil {
			return err
		}
		p.group = 0
	}
	p.group += rows
	batch := p.batch
	for i := range rows {
		batch = batch[:len(batch)+1]
		last := &batch[len(batch)-1]
		*last = appendParquetRow((*last)[:0], t, i)
		if len(batch) == parquetBatch || i == rows-1 {
			if _, err := p.to.WriteRows(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return nil
}

func (p *parquetPieces) end() error {
	if p.to == nil {
		return nil // no piece, no columns
	}
	return p.to.Close()
}

// appendParquetRow appends the values of row i with their levels. In a vector
// every number is defined (level 1, for the list's repeated group), and all
// but the first repeat.
func appendParquetRow(row parquet.Row, t *Table, i int) parquet.Row {
	for j := range t.Columns {
		c := &t.Columns[j]
		switch c.kind {
		case kindStrings:
			row = append(row, parquet.ByteArrayValue([]byte(c.strings[i])).Level(0, 0, j))
		case kindInts:
			row = append(row, parquet.Int64Value(c.ints[i]).Level(0, 0, j))
		case kindFloats:
			row = append(row, parquet.FloatValue(c.floats[i]).Level(0, 0, j))
		case kindVectors:
			for k, v := range c.vector(i) {
				row = append(row, parquet.FloatValue(v).Level(min(k, 1), 1, j))
			}
		}
	}
	return row
}
