package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ehgnn/ehgnn/data/tablefile"
)

func init() { tablefile.RegisterParquet(begin) }

// begin starts to read the table of a Parquet file.
func begin(t *tablefile.TypedFile) (table tablefile.TypedTable, err error) {
	g, err := newGroups(t)
	if err != nil {
		return table, err
	}
	schema, err := g.arrow.Schema()
	if err != nil {
		return table, err
	}
	table.Batches, table.Schema, table.Rows = g, withIntervals(schema, g.file.MetaData().Schema), g.file.NumRows()
	table.Again = func(column int) (tablefile.Batches, int, error) {
		leaf := g.arrow.Manifest.Fields[column].ColIndex
		return &groups{file: g.file, arrow: g.arrow, walk: g.walk, columns: []int{leaf}}, 0, nil
	}
	return table, nil
}

// groups reads the row groups of a Parquet file one after another.
type groups struct {
	file  *pq.Reader
	arrow *pqarrow.FileReader
	walk  pageWalk

	columns []int // leaves to read; nil for all
	group   int   // the next group
	open    pqarrow.RecordReader
	left    int64 // remaining rows of the open group
}

func newGroups(t *tablefile.TypedFile) (*groups, error) {
	if err := checkFooter(t); err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(t.Memory())
	props.BufferedStreamEnabled = true // otherwise a whole column of a group would be in memory
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = t.Most(), t.Most()
	file, err := pq.NewParquetReader(t.Section(), pq.WithReadProps(props))
	if err != nil {
		return nil, err
	}
	meta := file.MetaData()
	rows := int64(0)
	for _, g := range meta.RowGroups {
		if g.NumRows < 0 {
			return nil, errFooter
		}
		rows += g.NumRows
	}
	if rows != file.NumRows() {
		return nil, errFooter
	}
	if meta.Schema.NumColumns() == 0 {
		return nil, errors.New("it has no columns")
	}
	if text := meta.KeyValueMetadata().FindValue("ARROW:schema"); text != nil {
		if err := tablefile.CheckArrowSchema(*text); err != nil {
			return nil, err
		}
	}
	batch := tablefile.BatchRows(meta.Schema.NumColumns())
	reader, err := pqarrow.NewFileReader(file, pqarrow.ArrowReadProperties{BatchSize: int64(batch)}, t.Memory())
	if err != nil {
		return nil, err
	}
	for _, field := range reader.Manifest.Fields {
		if field.Field.Type.ID() == arrow.DURATION {
			// The decoder has this type and does not read it from here.
			field.Field.Type = arrow.PrimitiveTypes.Int64
		}
	}
	return &groups{file: file, arrow: reader, walk: newPageWalk(t)}, nil
}

// Next implements tablefile.Batches.
func (g *groups) Next() (arrow.RecordBatch, error) {
	for {
		if g.open == nil {
			if err := g.openGroup(); err != nil {
				return nil, err
			}
		}
		b, err := g.open.Read()
		switch {
		case err == nil:
			if g.left -= b.NumRows(); g.left < 0 || b.NumRows() == 0 {
				return nil, errGroup
			}
			return b, nil
		case !errors.Is(err, io.EOF):
			return nil, err
		case g.left != 0:
			return nil, errGroup
		}
		g.Close()
	}
}

var errGroup = errors.New("a group has another number of rows than the footer says")

// openGroup opens the next row group with rows.
func (g *groups) openGroup() error {
	for ; g.group < g.file.NumRowGroups(); g.group++ {
		meta := g.file.MetaData().RowGroup(g.group)
		if meta.NumRows() == 0 {
			continue
		}
		err := g.walk.group(meta, g.columns)
		if err == nil {
			g.open, err = g.arrow.GetRecordReader(context.Background(), g.columns, []int{g.group})
		}
		if err != nil {
			return fmt.Errorf("group %d of rows: %w", g.group+1, err)
		}
		g.left = meta.NumRows()
		g.group++
		return nil
	}
	return io.EOF
}

// Close implements tablefile.Batches.
func (g *groups) Close() {
	if g.open != nil {
		g.open.Release()
		g.open = nil
	}
}

// withIntervals returns a schema in which interval columns, which the decoder reads as bytes, have their own type.
func withIntervals(schema *arrow.Schema, s *pqschema.Schema) *arrow.Schema {
	fields, meta := schema.Fields(), schema.Metadata()
	for i := range s.NumColumns() {
		if _, ok := s.Column(i).LogicalType().(pqschema.IntervalLogicalType); ok {
			for _, k := range schema.FieldIndices(s.Column(i).ColumnPath()[0]) {
				fields[k].Type = arrow.FixedWidthTypes.MonthDayNanoInterval
			}
		}
	}
	return arrow.NewSchema(fields, &meta)
}
