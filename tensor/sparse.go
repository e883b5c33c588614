package tensor

import "sync"

// SparseConfig describes a Sparse matrix in compressed rows.
type SparseConfig struct {
	Rows, Cols int
	// Ptr gives the entries of row i: Ptr[i] to Ptr[i+1]. If it is nil, Width must be set: every
	// row has Width entries.
	Ptr   []int32
	Width int
	// Col is the column of each entry. If it is nil, entry k is in column k.
	Col []int32
	// Coef is a constant factor of each entry. nil means ones.
	Coef []float32
	// Weight says for each entry which of NumWeights learned weights multiplies it. If it is nil,
	// entry k has weight k. Entries may share a weight: both directions of an undirected edge do.
	Weight     []int32
	NumWeights int
	// Symmetric says that the matrix equals its transpose, weights included.
	Symmetric bool
}

// Sparse is the structure of a constant sparse matrix. In message passing it says which row
// receives from which column. Its transpose and its entries by weight are built on first use and
// cached. It is immutable and may be shared by goroutines.
type Sparse struct {
	SparseConfig
	onceT    sync.Once
	t        *Sparse
	onceW    sync.Once
	byWeight weightEntries
	onceD    sync.Once
	rows     *Tensor // the result of Distinct, with of
	of       *Index
	makeT    func() *Sparse                 // if nil, T sorts the entries
	list     func() (ptr, row, col []int32) // if nil, the entries are sorted
}

// weightEntries lists, for each weight, the rows and columns it multiplies.
type weightEntries struct {
	ptr, row, col []int32
	coef          []float32
}

// NewSparse returns the matrix that c describes. It keeps the slices and does not copy them. It
// panics with *ShapeError if lengths do not match or an id is out of range; the kernels do not
// check this.
func NewSparse(c SparseConfig) *Sparse {
	nnz := c.Rows * c.Width
	bad := func(want string, n int) {
		panic(&ShapeError{Op: "NewSparse", Shapes: [][]int{{c.Rows, c.Cols}, {n}}, Want: want})
	}
	if c.Ptr != nil {
		if len(c.Ptr) != c.Rows+1 {
			bad("a pointer per row and one more", len(c.Ptr))
		}
		nnz = int(c.Ptr[c.Rows])
	}
	if c.Col != nil && len(c.Col) != nnz {
		bad("a column per entry", len(c.Col))
	}
	if c.Coef != nil && len(c.Coef) != nnz {
		bad("a coefficient per entry", len(c.Coef))
	}
	if c.Weight == nil {
		c.NumWeights = nnz
	} else if len(c.Weight) != nnz {
		bad("a weight id per entry", len(c.Weight))
	}
	if c.Symmetric && c.Rows != c.Cols {
		bad("as many rows as columns in a symmetric matrix", c.Cols)
	}
	for i := 1; i < len(c.Ptr); i++ {
		if c.Ptr[i] < c.Ptr[i-1] {
			bad("pointers that do not fall", int(c.Ptr[i]))
		}
	}
	if i := outside(c.Col, c.Cols); i >= 0 {
		bad("columns in range", int(c.Col[i]))
	}
	if i := outside(c.Weight, c.NumWeights); i >= 0 {
		bad("weight ids in range", int(c.Weight[i]))
	}
	if c.Col == nil && nnz > c.Cols {
		bad("a column for every entry", nnz)
	}
	return &Sparse{SparseConfig: c}
}

// WithTranspose sets the function that T calls to make the transpose, for a caller that can do so
// without sorting the entries. T calls it at most once, and panics with *ShapeError if the shapes
// do not fit. WithTranspose must be called before a is shared. It returns a.
func (a *Sparse) WithTranspose(make func() *Sparse) *Sparse {
	a.makeT = make
	return a
}

// WithEntriesByWeight sets the function that lists the entries of each weight, for a caller that
// can do so without sorting them. All coefficients must be one. Weight w has the entries ptr[w] to
// ptr[w+1], in the rows row and the columns col. list is called at most once. WithEntriesByWeight
// must be called before a is shared. It returns a.
func (a *Sparse) WithEntriesByWeight(list func() (ptr, row, col []int32)) *Sparse {
	if a.Coef != nil {
		panic(&ShapeError{Op: "WithEntriesByWeight", Shapes: [][]int{{a.Rows, a.Cols}, {len(a.Coef)}}, Want: "no coefficients"})
	}
	a.list = list
	return a
}

// WithCoef returns the same structure with coef [Entries] as coefficients. It does not repeat the
// checks of NewSparse. It does not take over the caches of a, nor the functions that were given to
// WithTranspose or WithEntriesByWeight.
func (a *Sparse) WithCoef(coef []float32) *Sparse {
	if len(coef) != a.Entries() {
		panic(&ShapeError{Op: "WithCoef", Shapes: [][]int{{a.Rows, a.Cols}, {len(coef)}}, Want: "a coefficient per entry"})
	}
	c := a.SparseConfig
	c.Coef = coef
	return &Sparse{SparseConfig: c}
}

// outside returns the first position with an id that is not in [0,n), or -1.
func outside(ids []int32, n int) int {
	for i, id := range ids {
		if uint32(id) >= uint32(n) {
			return i
		}
	}
	return -1
}

// Entries is the number of entries.
func (a *Sparse) Entries() int {
	if a.Ptr != nil {
		return int(a.Ptr[a.Rows])
	}
	return a.Rows * a.Width
}

// T returns the transpose.
func (a *Sparse) T() *Sparse {
	if a.Symmetric {
		return a
	}
	a.onceT.Do(func() {
		if a.makeT == nil {
			a.t = a.transpose()
			return
		}
		if a.t = a.makeT(); a.t.Rows != a.Cols || a.t.Cols != a.Rows || a.t.Entries() != a.Entries() {
			panic(&ShapeError{Op: "Sparse.T", Shapes: [][]int{{a.Rows, a.Cols}, {a.t.Rows, a.t.Cols}}, Want: "a matrix and its transpose"})
		}
	})
	return a.t
}

// Row returns the range of the entries of row i: [lo,hi).
func (a *Sparse) Row(i int) (lo, hi int) {
	if a.Ptr != nil {
		return int(a.Ptr[i]), int(a.Ptr[i+1])
	}
	return i * a.Width, (i + 1) * a.Width
}

func (a *Sparse) column(k int) int32 {
	if a.Col == nil {
		return int32(k)
	}
	return a.Col[k]
}

func (a *Sparse) weight(k int) int32 {
	if a.Weight == nil {
		return int32(k)
	}
	return a.Weight[k]
}

// transpose sorts the entries by column and keeps their order within a column, so that sums over a
// transposed row have a fixed order.
func (a *Sparse) transpose() *Sparse {
	nnz := a.Entries()
	c := SparseConfig{Rows: a.Cols, Cols: a.Rows, NumWeights: a.NumWeights,
		Ptr: make([]int32, a.Cols+1), Col: make([]int32, nnz), Weight: make([]int32, nnz)}
	cols, weights := a.columns(), a.weights()
	for _, j := range cols {
		c.Ptr[j+1]++
	}
	for i := range a.Cols {
		c.Ptr[i+1] += c.Ptr[i]
	}
	if a.Coef != nil {
		c.Coef = make([]float32, nnz)
	}
	// Filling moves each pointer to that of the next row. Moving the pointers back by one restores
	// them.
	for i := range a.Rows {
		lo, hi := a.Row(i)
		for k := lo; k < hi; k++ {
			at := &c.Ptr[cols[k]]
			c.Col[*at], c.Weight[*at] = int32(i), weights[k]
			if c.Coef != nil {
				c.Coef[*at] = a.Coef[k]
			}
			*at++
		}
	}
	copy(c.Ptr[1:], c.Ptr[:a.Cols])
	c.Ptr[0] = 0
	t := NewSparse(c)
	t.onceT.Do(func() { t.t = a })
	return t
}

func (a *Sparse) entriesByWeight() *weightEntries {
	a.onceW.Do(func() {
		if a.list != nil {
			w := weightEntries{}
			w.ptr, w.row, w.col = a.list()
			if nnz := a.Entries(); len(w.ptr) != a.NumWeights+1 || len(w.row) != nnz || len(w.col) != nnz {
				panic(&ShapeError{Op: "WithEntriesByWeight", Shapes: [][]int{{a.NumWeights, nnz}, {len(w.ptr), len(w.row), len(w.col)}},
					Want: "a pointer per weight and one more, a row and a column per entry"})
			}
			a.byWeight = w
			return
		}
		nnz := a.Entries()
		w := weightEntries{ptr: make([]int32, a.NumWeights+1), row: make([]int32, nnz), col: make([]int32, nnz)}
		for k := range nnz {
			w.ptr[a.weight(k)+1]++
		}
		for i := range a.NumWeights {
			w.ptr[i+1] += w.ptr[i]
		}
		if a.Coef != nil {
			w.coef = make([]float32, nnz)
		}
		next := append([]int32(nil), w.ptr[:a.NumWeights]...)
		for i := range a.Rows {
			lo, hi := a.Row(i)
			for k := lo; k < hi; k++ {
				at := next[a.weight(k)]
				next[a.weight(k)]++
				w.row[at], w.col[at] = int32(i), a.column(k)
				if w.coef != nil {
					w.coef[at] = a.Coef[k]
				}
			}
		}
		a.byWeight = w
	})
	return &a.byWeight
}
