package parquet

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/ehgnn/ehgnn/internal/report"
)

func init() { report.RegisterFormat(".parquet", newWriter) }

// Write writes t to a stream, like report.WriteTable for a .parquet file.
func Write(w io.Writer, t *report.Table) error { return report.WriteBatches(w, t, newWriter) }

// writer writes a row group for each batch.
type writer struct{ *pqarrow.FileWriter }

// Write implements report.Batches.
func (w writer) Write(rows arrow.RecordBatch) error { return w.WriteBuffered(rows) }

// newWriter writes pages compressed by Snappy, which every reader supports.
func newWriter(w io.Writer, columns *arrow.Schema) (report.Batches, error) {
	to, err := pqarrow.NewFileWriter(columns, struct{ io.Writer }{w}, // the stream is not closed
		parquet.NewWriterProperties(
			parquet.WithCompression(compress.Codecs.Snappy),
			parquet.WithDictionaryDefault(false),
			parquet.WithMaxRowGroupLength(report.BatchRows),
			// The default contains the version of the library, which varies.
			parquet.WithCreatedBy("ehgnn")),
		pqarrow.DefaultWriterProps())
	return writer{to}, err
}
