package boost

import (
	"errors"
	"fmt"
)

// maxColumns is the largest column number that float32 represents exactly.
const maxColumns = 1<<24 - 1

// maxRows is the largest row count of a histogram bin.
const maxRows = 1<<countBits - 1

// Matrix is a table of rows. It consists of blocks of rows, so that several versions of a table can
// be stacked without a copy. NaN is a missing value.
type Matrix struct {
	Columns     int
	Blocks      [][]float32 // each block has whole rows
	Categorical []bool      // which columns have category numbers; nil for none
}

// Rows is the number of rows in all blocks.
func (m *Matrix) Rows() int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b) / m.Columns
	}
	return n
}

// check returns an error if the shape of the matrix is wrong.
func (m *Matrix) check() error {
	if m == nil {
		return errors.New("no matrix")
	}
	if m.Columns < 1 || m.Columns > maxColumns {
		return fmt.Errorf("%d columns, expected 1 to %d", m.Columns, maxColumns)
	}
	for i, b := range m.Blocks {
		if len(b)%m.Columns != 0 {
			return fmt.Errorf("block %d has %d values, expected a multiple of %d columns", i, len(b), m.Columns)
		}
	}
	if m.Categorical != nil && len(m.Categorical) != m.Columns {
		return fmt.Errorf("%d marks of categorical columns, expected %d", len(m.Categorical), m.Columns)
	}
	if n := m.Rows(); n > maxRows {
		return fmt.Errorf("%d rows, expected at most %d", n, maxRows)
	}
	return nil
}

func (m *Matrix) categorical(column int) bool {
	return m.Categorical != nil && m.Categorical[column]
}

// each calls f on the rows [lo,hi), in pieces that are in one block. rows holds the values of a
// piece, and first is the number of its first row.
func (m *Matrix) each(lo, hi int, f func(first int, rows []float32)) {
	start := 0
	for _, b := range m.Blocks {
		n := len(b) / m.Columns
		from, to := max(lo-start, 0), min(hi-start, n)
		if from < to {
			f(start+from, b[from*m.Columns:to*m.Columns])
		}
		start += n
	}
}
