package tabular

import "fmt"

// Block is a row-major matrix of columns. Row i of the block is row IDs[i] of X, or row i if IDs is
// nil. A block without columns counts as absent.
type Block struct {
	X    []float32
	Cols int
	IDs  []int32
}

// Len is the number of rows of a block with columns.
func (b Block) Len() int {
	if b.IDs != nil {
		return len(b.IDs)
	}
	if b.Cols == 0 {
		return 0
	}
	return len(b.X) / b.Cols
}

// row is row i, nil for an absent block.
func (b Block) row(i int) []float32 {
	if b.Cols == 0 {
		return nil
	}
	if b.IDs != nil {
		i = int(b.IDs[i])
	}
	return b.X[i*b.Cols:][:b.Cols]
}

// check returns an error for a matrix of the wrong size or an id outside the matrix.
func (b Block) check(name string) error {
	switch {
	case b.Cols < 0:
		return fmt.Errorf("tabular: %s: %d columns, expected 0 or more", name, b.Cols)
	case b.Cols == 0:
		return nil
	case len(b.X)%b.Cols != 0:
		return fmt.Errorf("tabular: %s: %d values, expected a multiple of the %d columns", name, len(b.X), b.Cols)
	}
	rows := len(b.X) / b.Cols
	for i, id := range b.IDs {
		if id < 0 || int(id) >= rows {
			return fmt.Errorf("tabular: %s: id %d of row %d, expected 0 to %d", name, id, i, rows-1)
		}
	}
	return nil
}

// Rows has rows whose columns are a static block and label columns side by side. At least one of
// the blocks has columns; if both have, they have the same number of rows.
type Rows struct {
	Static, Labels Block
	Around         *Neighbours // nil for a network without message passing
}

// Len is the number of rows.
func (r Rows) Len() int {
	if r.Static.Cols > 0 {
		return r.Static.Len()
	}
	return r.Labels.Len()
}

// cols is the number of columns.
func (r Rows) cols() int { return r.Static.Cols + r.Labels.Cols }

// value is column j of row i.
func (r Rows) value(i, j int) float32 {
	if j < r.Static.Cols {
		return r.Static.row(i)[j]
	}
	return r.Labels.row(i)[j-r.Static.Cols]
}

// check returns an error for damaged blocks and for blocks with different numbers of rows.
func (r Rows) check(name string) error {
	if err := r.Static.check(name + ": static columns"); err != nil {
		return err
	}
	if err := r.Labels.check(name + ": label columns"); err != nil {
		return err
	}
	switch {
	case r.cols() == 0:
		return fmt.Errorf("tabular: %s: no columns", name)
	case r.Static.Cols > 0 && r.Labels.Cols > 0 && r.Static.Len() != r.Labels.Len():
		return fmt.Errorf("tabular: %s: %d rows of static columns and %d of label columns",
			name, r.Static.Len(), r.Labels.Len())
	}
	return nil
}
