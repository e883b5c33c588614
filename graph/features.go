package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Features are the feature rows of the nodes or the edges of one graph. Row i is
// Dense[i*Dim:(i+1)*Dim] followed by one block for each categorical column: with k = len(Codes),
// column c of row i has the value Code[i*k+c], written one-hot in Codes[c] columns. Categories stay
// codes until a batch is built. This saves memory for data sets like COLLAB (492 degrees) or
// molecules with nine properties per atom. The constant feature 1, which the paper gives to edges
// without features, is a categorical column with one value. The zero value has no columns.
type Features struct {
	Dense []float32 // rows×Dim, row-major; nil when Dim is 0
	Dim   int
	Code  []int32 // rows×len(Codes), row-major: in [0, Codes[c]), or -1 for an all-zero block
	// Codes is the number of values of each categorical column, nil if there are none. Graphs of
	// one data set may share it, so it must not be changed.
	Codes []int
}

// Width is the number of columns of a feature row.
func (f Features) Width() int { return f.Dim + f.NumCodes() }

// NumCodes is the number of one-hot columns of a feature row, over all categorical columns.
func (f Features) NumCodes() int {
	return lists.Sum(f.Codes)
}

// Blocks returns the widths of the blocks of a feature row, left to right: the dense part, if it is
// not empty, and each categorical column.
func (f Features) Blocks() []int {
	var out []int
	if f.Dim > 0 {
		out = append(out, f.Dim)
	}
	return append(out, f.Codes...)
}

// Row writes feature row i into dst, which has Width elements.
func (f Features) Row(i int, dst []float32) {
	clear(dst)
	f.rows(i, i+1, dst)
}

// rows writes rows lo to hi into dst, which has as many rows of Width zeros.
func (f Features) rows(lo, hi int, dst []float32) {
	w, k := f.Width(), len(f.Codes)
	if f.Dim > 0 {
		for i := lo; i < hi; i++ {
			copy(dst[(i-lo)*w:], f.Dense[i*f.Dim:(i+1)*f.Dim])
		}
	}
	at := f.Dim // first column of the block
	for c, width := range f.Codes {
		to := at
		for i := lo; i < hi; i++ {
			if code := f.Code[i*k+c]; code >= 0 {
				dst[to+int(code)] = 1
			}
			to += w
		}
		at += width
	}
}

// Ones is the constant feature 1, which the paper gives to edges without features.
func Ones(rows int) Features { return Features{Code: make([]int32, rows), Codes: []int{1}} }

// Take returns the listed rows of f.
func (f Features) Take(rows []int32) Features {
	return Features{Dim: f.Dim, Codes: f.Codes, Dense: lists.TakeRows(f.Dense, f.Dim, rows), Code: lists.TakeRows(f.Code, len(f.Codes), rows)}
}

// sameRow reports whether rows i and j are equal.
func (f Features) sameRow(i, j int) bool {
	d, k := f.Dim, len(f.Codes)
	return slices.Equal(f.Dense[i*d:(i+1)*d], f.Dense[j*d:(j+1)*d]) && slices.Equal(f.Code[i*k:(i+1)*k], f.Code[j*k:(j+1)*k])
}

func (f Features) validate(what string, rows int) error {
	if f.Dim < 0 {
		return fmt.Errorf("graph: %s features: negative width %d", what, f.Dim)
	}
	for c, n := range f.Codes {
		if n < 1 {
			return fmt.Errorf("graph: %s features: categorical column %d has %d codes, expected at least 1", what, c, n)
		}
	}
	if len(f.Dense) != rows*f.Dim {
		return fmt.Errorf("graph: %s features: %d values, expected %d rows of %d", what, len(f.Dense), rows, f.Dim)
	}
	k := len(f.Codes)
	if len(f.Code) != rows*k {
		return fmt.Errorf("graph: %s features: %d codes, expected %d rows of %d", what, len(f.Code), rows, k)
	}
	for i, v := range f.Dense {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("graph: %s features: row %d, column %d is %v, expected a finite number", what, i/f.Dim, i%f.Dim, v)
		}
	}
	for i, c := range f.Code {
		if n := f.Codes[i%k]; c < -1 || int(c) >= n {
			return fmt.Errorf("graph: %s features: row %d has code %d in categorical column %d, expected -1 to %d", what, i/k, c, i%k, n-1)
		}
	}
	return nil
}
