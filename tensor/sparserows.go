package tensor

import (
	"encoding/binary"
	"math"

	"github.com/ehgnn/ehgnn/internal/dedup"
)

// SparseRows is the constant [Rows,Cols] with the entries of a; repeated entries are added. It
// keeps a: the time of MatMul, TMatMul and Affine then depends on its entries and not on its
// columns. It is meant for one-hot features with many columns, whose product with a weight matrix
// selects rows of that matrix. Results and gradients are those of the dense matrix, except for the
// order of sums.
func SparseRows(a *Sparse) *Tensor {
	x := New(a.Rows, a.Cols)
	a.addTo(x.data, nil)
	x.sparse = a
	return x
}

// addTo adds the entries to dense rows, multiplied by w if w is not nil.
func (a *Sparse) addTo(dense, w []float32) {
	for i := range a.Rows {
		row := dense[i*a.Cols : (i+1)*a.Cols]
		lo, hi := a.Row(i)
		for k := lo; k < hi; k++ {
			v := float32(1)
			if w != nil {
				v = w[k]
			}
			if a.Coef != nil {
				v *= a.Coef[k]
			}
			row[a.column(k)] += v
		}
	}
}

// Dense returns x without its sparse form: products with it read all elements, in the order of its
// columns.
func (x *Tensor) Dense() *Tensor {
	if a, _ := x.sparseForm(); a == nil {
		return x
	}
	dense := *x
	dense.sparse, dense.weights = nil, nil
	return &dense
}

// SparseEntries is the number of entries of a constant made by SparseRows or Reweigh. It is -1 for
// any other tensor.
func (x *Tensor) SparseEntries() int {
	if a, _ := x.sparseForm(); a != nil {
		return a.Entries()
	}
	return -1
}

// Distinct returns the different rows of a constant made by SparseRows, in order of first
// occurrence, and for each row the number of the row that it equals. It returns nil for any other
// tensor, and if there are fewer than four times as many rows as different rows.
func (x *Tensor) Distinct() (rows *Tensor, of *Index) {
	a, w := x.sparseForm()
	if a == nil || w != nil {
		return nil, nil
	}
	a.onceD.Do(func() { a.rows, a.of = a.distinct() })
	return a.rows, a.of
}

func (a *Sparse) distinct() (*Tensor, *Index) {
	first, of := dedup.Rows(a.Rows, func(key []byte, i int) []byte {
		lo, hi := a.Row(i)
		for k := lo; k < hi; k++ {
			key = binary.LittleEndian.AppendUint32(key, uint32(a.column(k)))
			if a.Coef != nil {
				key = binary.LittleEndian.AppendUint32(key, math.Float32bits(a.Coef[k]))
			}
		}
		return key
	})
	if of == nil {
		return nil, nil
	}
	c := SparseConfig{Rows: len(first), Cols: a.Cols, Ptr: []int32{0}, Col: []int32{}}
	for _, i := range first {
		lo, hi := a.Row(int(i))
		for k := lo; k < hi; k++ {
			c.Col = append(c.Col, a.column(k))
		}
		if a.Coef != nil {
			c.Coef = append(c.Coef, a.Coef[lo:hi]...)
		}
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	return SparseRows(NewSparse(c)), MustIndex(of, c.Rows)
}

// Reweigh is x, a constant made by SparseRows, with its entries multiplied by the constant w
// [entries]. Dropout uses it to draw and multiply only the elements that are not 0.
func (x *Tensor) Reweigh(w *Tensor) *Tensor {
	a, before := x.sparseForm()
	if a == nil || a.Weight != nil || w.node != 0 || len(w.data) != a.Entries() {
		mismatch("Reweigh", "a constant in sparse form and a constant weight per entry", x, w)
	}
	if before != nil {
		w = w.Mul(before)
	}
	out := tapeOf(x, w).alloc(x.shape)
	clear(out.data)
	a.addTo(out.data, w.data)
	out.sparse, out.weights = a, w
	return out
}

// sparseForm returns the sparse form of a constant and the weights of its entries; nil weights mean
// ones. Without a sparse form it returns nil, nil.
func (x *Tensor) sparseForm() (*Sparse, *Tensor) {
	if x.node != 0 {
		return nil, nil
	}
	return x.sparse, x.weights
}

// sparseProduct is op(x)·op(y) computed from the sparse form of x or of y, or nil
// if that cannot be done.
func sparseProduct(x, y *Tensor, tx, ty bool) *Tensor {
	if a, w := x.sparseForm(); a != nil {
		if tx {
			a = a.T()
		}
		if ty {
			y = y.Transpose()
		}
		return SpMM(a, y, SpMMConfig{W: w})
	}
	if a, w := y.sparseForm(); a != nil && tx && !ty { // the gradient of a weight stored [out,in]
		return SpMM(a.T(), x, SpMMConfig{W: w}).Transpose()
	}
	return nil
}
