package tensor

// SparseRows is the constant [Rows,Cols] with the entries of a, repeated ones
// added up, which remembers that it is sparse: MatMul, TMatMul and Affine then
// cost by entries and not by columns. One-hot features of many codes are the use:
// their product with a weight matrix picks rows of it. Results and gradients are
// those of the dense matrix but for the order of sums.
func SparseRows(a *Sparse) *Tensor {
	x := New(a.Rows, a.Cols)
	for i := range a.Rows {
		lo, hi := a.row(i)
		for k := lo; k < hi; k++ {
			v := float32(1)
			if a.Coef != nil {
				v = a.Coef[k]
			}
			x.data[i*a.Cols+int(a.column(k))] += v
		}
	}
	x.sparse = a
	return x
}

// sparseForm is the sparse form of a constant, or nil.
func (x *Tensor) sparseForm() *Sparse {
	if x.node != 0 {
		return nil
	}
	return x.sparse
}

// sparseProduct is op(x)·op(y) where a sparse form serves, else nil.
func sparseProduct(x, y *Tensor, tx, ty bool) *Tensor {
	if a := x.sparseForm(); a != nil {
		if tx {
			a = a.T()
		}
		if ty {
			y = y.Transpose()
		}
		return SpMM(a, y, SpMMConfig{})
	}
	if a := y.sparseForm(); a != nil && tx && !ty { // the gradient of a weight stored [out,in]
		return SpMM(a.T(), x, SpMMConfig{}).Transpose()
	}
	return nil
}
