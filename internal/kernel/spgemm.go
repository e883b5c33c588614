package kernel

// SparseRows is a sparse matrix in row form, as in SpMM: Ptr nil means Width
// entries per row, Col nil that entry k is in column k, Val nil ones.
type SparseRows struct {
	Ptr, Col []int32
	Width    int
	Val      []float32
}

// SpGEMM is the product of two sparse matrices at the entries of a third:
//
//	Dst[q] = Σ_k A[i,k]·B[k,j]  for entry q = (i,j) of C
//
// Terms are added in the order of the entries of A's row, each with B's row in
// order. Only the places of C's entries matter, not its values. Cols is the
// number of columns of B and C.
type SpGEMM struct {
	Dst     []float32
	A, B, C SparseRows
	Cols    int
}

// Rows computes the entries of rows [lo,hi) of C. The bits of an element do not
// depend on lo and hi. The algorithm is Gustavson's (1978): a row of the product is
// summed in a dense row, of which only C's columns are read.
func (s *SpGEMM) Rows(lo, hi int) {
	row := make([]float32, s.Cols)
	for i := lo; i < hi; i++ {
		c0, c1 := entries(s.C.Ptr, s.C.Width, i)
		if c0 == c1 {
			continue
		}
		a0, a1 := entries(s.A.Ptr, s.A.Width, i)
		for a := a0; a < a1; a++ {
			s.add(row, s.A.column(a), s.A.value(a))
		}
		for q := c0; q < c1; q++ {
			s.Dst[q] = row[s.C.column(q)]
		}
		for a := a0; a < a1; a++ {
			s.clear(row, s.A.column(a))
		}
	}
}

// add adds f times row k of B.
func (s *SpGEMM) add(row []float32, k int, f float32) {
	b0, b1 := entries(s.B.Ptr, s.B.Width, k)
	switch {
	case s.B.Col == nil || s.B.Val == nil:
		for b := b0; b < b1; b++ {
			row[s.B.column(b)] += f * s.B.value(b)
		}
	default:
		val := s.B.Val[b0:b1]
		for b, j := range s.B.Col[b0:b1] {
			row[j] += f * val[b]
		}
	}
}

// clear sets the elements that add has written to 0 again, which are few for a
// sparse row.
func (s *SpGEMM) clear(row []float32, k int) {
	b0, b1 := entries(s.B.Ptr, s.B.Width, k)
	for b := b0; b < b1; b++ {
		row[s.B.column(b)] = 0
	}
}

func (s SparseRows) column(k int) int {
	if s.Col == nil {
		return k
	}
	return int(s.Col[k])
}

func (s SparseRows) value(k int) float32 {
	if s.Val == nil {
		return 1
	}
	return s.Val[k]
}
