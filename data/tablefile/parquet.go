package tablefile

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
)

// openParquet reads a Parquet file.
func openParquet(f *file) (Reader, error) {
	return openTyped(f, "Parquet", func(t *typedFile) (table typedTable, err error) {
		g, err := newParquetGroups(t)
		if err != nil {
			return table, err
		}
		if table.schema, err = g.arrow.Schema(); err != nil {
			return table, err
		}
		table.batches, table.rows = g, g.file.NumRows()
		table.again = func(column int) (batches, int, error) {
			leaf := g.arrow.Manifest.Fields[column].ColIndex
			return &parquetGroups{t: t, file: g.file, arrow: g.arrow, walk: g.walk, columns: []int{leaf}}, 0, nil
		}
		return table, checkIntervals(f, g.file.MetaData().Schema)
	})
}

// parquetGroups reads the groups of rows of a Parquet file one after the other.
type parquetGroups struct {
	t     *typedFile
	file  *pq.Reader
	arrow *pqarrow.FileReader
	walk  pageWalk

	columns []int // leaves that are read; nil for all
	group   int   // the next one
	open    pqarrow.RecordReader
	left    int64 // rows of the open group
}

func newParquetGroups(t *typedFile) (*parquetGroups, error) {
	if err := checkFooter(t); err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(t.memory)
	props.BufferedStreamEnabled = true // or a whole column of a group would be in memory
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = t.memory.most, t.memory.most
	file, err := pq.NewParquetReader(t.section(), pq.WithReadProps(props))
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
	if err := checkArrowSchema(meta.KeyValueMetadata()); err != nil {
		return nil, err
	}
	batch := max(1, min(blockRows, blockCells/meta.Schema.NumColumns()))
	reader, err := pqarrow.NewFileReader(file, pqarrow.ArrowReadProperties{BatchSize: int64(batch)}, t.memory)
	if err != nil {
		return nil, err
	}
	for _, field := range reader.Manifest.Fields {
		if field.Field.Type.ID() == arrow.DURATION {
			// The decoder knows the type, and does not read it.
			field.Field.Type = arrow.PrimitiveTypes.Int64
		}
	}
	return &parquetGroups{t: t, file: file, arrow: reader, walk: pageWalk{t: t}}, nil
}

// next is of batches.
func (g *parquetGroups) next() (arrow.RecordBatch, error) {
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
		g.close()
	}
}

var errGroup = errors.New("a group has another number of rows than the footer says")

// openGroup begins the next group of rows that has any.
func (g *parquetGroups) openGroup() error {
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

// close is of batches.
func (g *parquetGroups) close() {
	if g.open != nil {
		g.open.Release()
		g.open = nil
	}
}

// checkIntervals refuses columns of intervals, which the decoder takes for bytes.
func checkIntervals(f *file, s *pqschema.Schema) error {
	for i := range s.NumColumns() {
		if _, ok := s.Column(i).LogicalType().(pqschema.IntervalLogicalType); ok {
			name := s.Column(i).ColumnPath()[0]
			return checkFields(f, []arrow.Field{{Name: name, Type: arrow.FixedWidthTypes.MonthDayNanoInterval}})
		}
	}
	return nil
}
