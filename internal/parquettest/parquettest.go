// Package parquettest writes and reads Parquet files for tests.
package parquettest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/ehgnn/ehgnn/data"
	_ "github.com/ehgnn/ehgnn/data/parquet" // read by Rows
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Fields are columns of types, whose values may be missing.
func Fields(kind arrow.DataType, names ...string) *arrow.Schema {
	var fields []arrow.Field
	for _, n := range names {
		fields = append(fields, arrow.Field{Name: n, Type: kind, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// FromJSON is a table whose rows are an array of objects.
func FromJSON(t testing.TB, s *arrow.Schema, rows string) arrow.RecordBatch {
	t.Helper()
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Write is a table as a Parquet file.
func Write(t testing.TB, r arrow.RecordBatch, options ...parquet.WriterProperty) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(r.Schema(), &b, parquet.NewWriterProperties(options...), pqarrow.DefaultWriterProps())
	if err == nil {
		err = errors.Join(w.Write(r), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Rows are the names of the columns of a Parquet file and its values as text, lists as [1.5,2].
func Rows(t testing.TB, b []byte) (columns []string, rows [][]string) {
	t.Helper()
	r, err := tablefile.Open(fstest.MapFS{"t": {Data: b}}, "t", data.NewBudget(0), tablefile.Options{ListsAsText: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Columns(), rows
		}
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, c := range row {
			texts = append(texts, c.String())
		}
		rows = append(rows, texts)
	}
}
