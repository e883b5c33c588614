package tablefile

import "github.com/ehgnn/ehgnn/data/schema"

// Reader reads a table row by row.
type Reader interface {
	// Columns are the names of the columns: none is empty, and no two are equal without regard
	// to case.
	Columns() []string
	// Next returns the next row, which is valid until the row after it; io.EOF after the last.
	Next() (schema.Row, error)
	// Line is the line of the file on which a cell of the last row stands. In a format without
	// lines it is the number of the row, from 1.
	Line(column int) int
	// Total is the number of rows, where the file says it.
	Total() (rows int64, ok bool)
	// Share is about which share of the file has been read, 0 where that is not known.
	Share() float64
	// Notes say what the reader did that a user might not expect: lines that it left out, names
	// that it changed. They are complete once Next has returned io.EOF. See also LeftOut.
	Notes() []string
	// Close ends the reading. After the last row it returns the checksum of the text, before that
	// an empty one.
	Close() (checksum string, err error)
}
