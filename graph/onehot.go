package graph

import "github.com/ehgnn/ehgnn/tensor"

// oneHot is union as a sparse matrix of ones, for features without a dense part. A row has one
// entry for each categorical column, except for columns without a code.
func oneHot(gs []*Graph, rows int, of func(*Graph) (Features, int)) *tensor.Sparse {
	f, _ := of(gs[0])
	columns := len(f.Codes)
	c := tensor.SparseConfig{Rows: rows, Cols: f.Width(), Ptr: make([]int32, 1, rows+1), Col: make([]int32, 0, rows*columns)}
	for _, g := range gs {
		f, k := of(g)
		for i := range k {
			first := 0 // column of the block
			for j, width := range f.Codes {
				if code := f.Code[i*len(f.Codes)+j]; code >= 0 {
					c.Col = append(c.Col, int32(first)+code)
				}
				first += width
			}
			c.Ptr = append(c.Ptr, int32(len(c.Col)))
		}
	}
	return tensor.NewSparse(c)
}

// fewCodes reports whether rows are one-hot and so wide that a product with a weight matrix is
// faster with codes than with columns.
func fewCodes(gs []*Graph, of func(*Graph) (Features, int)) bool {
	for _, g := range gs {
		if f, _ := of(g); f.Dim > 0 || len(f.Codes) == 0 || f.Width() < 8*len(f.Codes) {
			return false
		}
	}
	return true
}
