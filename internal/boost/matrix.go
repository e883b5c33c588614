package boost

import (
	"errors"
	"fmt"
)

// maxColumns is what a float32 of a stored model can number.
const maxColumns = 1<<24 - 1

// maxRows is what the counts of a histogram can hold.
const maxRows = 1<<countBits - 1

// Matrix is a table of rows. Rows lie one after another in blocks, so that several copies
// of a table stack without being copied. NaN is a missing value.
type Matrix struct {
	Columns     int
	Blocks      [][]float32 // each holds whole rows
	Categorical []bool      // columns whose values are numbers of categories; nil for none
}

// Rows is the number of rows in all blocks.
func (m *Matrix) Rows() int {
	n := 0
	for _, b := range m.Blocks {
		n += len(b) / m.Columns
	}
	return n
}

// check says what is wrong with the shape of a matrix.
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

// each calls f on the rows [lo,hi), in pieces that lie in one block: rows holds the values
// of a piece, and first is the number of its first row.
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
