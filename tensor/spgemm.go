package tensor

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Product returns the structure of the product a·b: an entry wherever a row of a meets a column of
// b, columns ascending, without coefficients. SpGEMM computes the values of these entries.
func (a *Sparse) Product(b *Sparse) *Sparse {
	if a.Cols != b.Rows {
		panic(&ShapeError{Op: "Product", Shapes: [][]int{{a.Rows, a.Cols}, {b.Rows, b.Cols}}, Want: "equal inner sizes"})
	}
	c := SparseConfig{Rows: a.Rows, Cols: b.Cols, Ptr: make([]int32, a.Rows+1), Col: []int32{}}
	last := make([]int32, b.Cols) // for each column, 1 + the last row with an entry in it
	for i := range a.Rows {
		from := len(c.Col)
		a0, a1 := a.Row(i)
		for k := a0; k < a1; k++ {
			b0, b1 := b.Row(int(a.column(k)))
			for e := b0; e < b1; e++ {
				if j := b.column(e); last[j] != int32(i+1) {
					last[j] = int32(i + 1)
					c.Col = append(c.Col, j)
				}
			}
		}
		slices.Sort(c.Col[from:])
		c.Ptr[i+1] = int32(len(c.Col))
	}
	return NewSparse(c)
}

// SpGEMM is the product of two sparse matrices at the entries of a third:
//
//	out_q = Σ coef·(a·b)_ij  over the entries (i,j) of c with weight q
//
// with learned weights av [a.NumWeights] and bv [b.NumWeights]; nil means ones. The result is
// [c.NumWeights], the weights of a matrix with c's structure. With c = a.Product(b) it is the whole
// product. Its gradients have the same form, so it can be differentiated any number of times. Terms
// are not stored: the memory is of the order of the three matrices.
func SpGEMM(a, b, c *Sparse, av, bv *Tensor) *Tensor {
	if a.Cols != b.Rows || c.Rows != a.Rows || c.Cols != b.Cols {
		panic(&ShapeError{Op: "SpGEMM", Shapes: [][]int{{a.Rows, a.Cols}, {b.Rows, b.Cols}, {c.Rows, c.Cols}},
			Want: "a product and a pattern of its shape"})
	}
	tape := tapeOf(av, bv)
	m := kernel.SpGEMM{A: a.values(tape, av), B: b.values(tape, bv), Cols: c.Cols,
		C: kernel.SparseRows{Ptr: c.Ptr, Col: c.Col, Width: c.Width}}
	products := tape.alloc(shapeOf(c.Entries()))
	m.Dst = products.data
	loopOf(products).over(products, c, a.meanRow()*b.meanRow(), func(_ *loop, lo, hi int) { m.Rows(lo, hi) })
	out := c.byWeights(products)
	return opWith(out, spgemmRule{left: a, right: b, pattern: c}, av, bv)
}

// spgemmRule has the two factors of the product and the matrix at whose entries it was computed.
type spgemmRule struct{ left, right, pattern *Sparse }

func (r *spgemmRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, SpGEMM(r.pattern, r.right.T(), r.left, b.G, b.In[1]).reshapeTo(b.In[0].shape))
	}
	if b.Need(1) {
		b.Set(1, SpGEMM(r.left.T(), r.pattern, r.right, b.In[0], b.G).reshapeTo(b.In[1].shape))
	}
}

// values returns the matrix with its coefficients times the weights w.
func (a *Sparse) values(tape *Tape, w *Tensor) kernel.SparseRows {
	s := kernel.SparseRows{Ptr: a.Ptr, Col: a.Col, Width: a.Width, Val: a.Coef}
	if w != nil {
		if len(w.data) != a.NumWeights {
			mismatch("SpGEMM", fmt.Sprintf("%d weights", a.NumWeights), w)
		}
		s.Val = a.weighted(tape, w)
	}
	return s
}

// meanRow is the mean number of entries of a row plus 1.
func (a *Sparse) meanRow() int { return a.Entries()/max(a.Rows, 1) + 1 }

// byWeights sums the values of entries, times their coefficients, for each weight. One thread adds
// them in the order of the entries.
func (a *Sparse) byWeights(x *Tensor) *Tensor {
	if a.Weight == nil && a.Coef == nil {
		return x
	}
	out := x.tape.alloc(shapeOf(a.NumWeights))
	clear(out.data)
	for k, v := range x.data {
		if a.Coef != nil {
			v *= a.Coef[k]
		}
		out.data[a.weight(k)] += v
	}
	return out
}
