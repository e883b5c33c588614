package tablefile

import "github.com/ehgnn/ehgnn/data/schema"

// Reader reads a table row by row.
type Reader interface {
	// Columns returns the names of the columns: none is empty, and no two differ only in case.
	Columns() []string
	// Next returns the next row, which is valid until the next call; io.EOF after the last.
	Next() (schema.Row, error)
	// Line is the line of the file with a cell of the last row. In a format without lines it is the
	// number of the row, from 1.
	Line(column int) int
	// Total is the number of rows, if the file gives it.
	Total() (rows int64, ok bool)
	// Share is the approximate share of the file that has been read, 0 if it is unknown.
	Share() float64
	// Notes are remarks about unexpected actions of the reader: skipped lines, changed names. They are
	// complete after Next has returned io.EOF. See also LeftOut.
	Notes() []string
	// Close ends the reading. After the last row it returns the checksum of the text, before that an
	// empty one.
	Close() (checksum string, err error)
}
