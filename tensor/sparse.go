package tensor

import (
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// SparseConfig describes a Sparse matrix in compressed rows.
type SparseConfig struct {
	Rows, Cols int
	// Ptr: the entries of row i are Ptr[i] to Ptr[i+1]. Nil with Width set: every
	// row has Width entries.
	Ptr   []int32
	Width int
	// Col is the column of each entry; nil: entry k is in column k.
	Col []int32
	// Coef is a constant factor of each entry; nil: ones.
	Coef []float32
	// Weight is, for each entry, which of NumWeights learned weights multiplies
	// it; nil: entry k has weight k. Two entries may share one: both directions
	// of an undirected edge do.
	Weight     []int32
	NumWeights int
	// Symmetric says that the matrix equals its transpose, weights included.
	Symmetric bool
}

// Sparse is the structure of a constant sparse matrix: in message passing, which
// row receives from which column. Its transpose and its entries by weight are built
// on first use and cached. It is immutable and may be shared by goroutines.
type Sparse struct {
	SparseConfig
	onceT    sync.Once
	t        *Sparse
	onceW    sync.Once
	byWeight weightEntries
	onceD    sync.Once
	rows     *Tensor // rows and of: the result of Distinct
	of       *Index
	makeT    func() *Sparse                 // nil: sort the entries
	list     func() (ptr, row, col []int32) // nil: sort the entries
}

// weightEntries lists, for each weight, the rows and columns it multiplies.
type weightEntries struct {
	ptr, row, col []int32
	coef          []float32
}

// NewSparse returns the matrix that c describes; slices are kept, not copied. It
// panics with *ShapeError when lengths do not match or an id is out of range, which
// the kernels do not check.
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

// WithTranspose sets the function by which T makes the transpose, for a caller that
// need not sort the entries. T calls it at most once, and panics with *ShapeError
// if the shapes do not fit. WithTranspose must be called before a is shared, and
// returns a.
func (a *Sparse) WithTranspose(make func() *Sparse) *Sparse {
	a.makeT = make
	return a
}

// WithEntriesByWeight sets the function that lists the entries of each weight, for
// a caller that need not sort them; all coefficients must be one. Weight w has the
// entries ptr[w] to ptr[w+1], in the rows row and the columns col. list is called
// at most once. WithEntriesByWeight must be called before a is shared, and returns
// a.
func (a *Sparse) WithEntriesByWeight(list func() (ptr, row, col []int32)) *Sparse {
	if a.Coef != nil {
		panic(&ShapeError{Op: "WithEntriesByWeight", Shapes: [][]int{{a.Rows, a.Cols}, {len(a.Coef)}}, Want: "no coefficients"})
	}
	a.list = list
	return a
}

// WithCoef returns the same structure with coef [Entries] as coefficients. It does
// not repeat the checks of NewSparse, and takes over nothing that a has cached or
// was given by WithTranspose or WithEntriesByWeight.
func (a *Sparse) WithCoef(coef []float32) *Sparse {
	if len(coef) != a.Entries() {
		panic(&ShapeError{Op: "WithCoef", Shapes: [][]int{{a.Rows, a.Cols}, {len(coef)}}, Want: "a coefficient per entry"})
	}
	c := a.SparseConfig
	c.Coef = coef
	return &Sparse{SparseConfig: c}
}

// outside is the first position with an id not in [0,n), or -1.
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

// T is the transpose.
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

// transpose sorts the entries by column, keeping their order within one, so
// that sums over a transposed row have a fixed order.
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
	// Filling moves each pointer to the next row's; moving them back by one restores
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

// SpMMConfig holds the optional parts of SpMM; the zero value is the plain
// product.
type SpMMConfig struct {
	W     *Tensor // [NumWeights] learned weights of the entries
	Self  *Tensor // [Rows,d] added to the result, times SelfW where given
	SelfW *Tensor // [Rows]
	Bias  *Tensor // [d] added to every row
	ReLU  bool    // applied last
}

// SpMM is a·x in one pass over the result, the message passing of every layer:
//
//	out_i = act( bias + selfW_i·self_i + Σ_k coef_k·w_k·x[col_k] )
//
// with x [Cols,d], giving [Rows,d]. Messages are never materialised.
func SpMM(a *Sparse, x *Tensor, c SpMMConfig) *Tensor {
	d := x.checkIndex("SpMM", a.Cols, "columns of the matrix")
	s := x.shape.withRows(a.Rows)
	tape := tapeOf(x, c.W, c.Self, c.SelfW, c.Bias)
	out := tape.alloc(s)
	l := loopOf(out)
	m := &l.spmm
	*m = kernel.SpMM{Dst: out.data, X: x.data, D: d, Ptr: a.Ptr, Width: a.Width, Col: a.Col, Coef: a.Coef, ReLU: c.ReLU}
	if c.W != nil {
		m.Coef = a.weighted(tape, c.W)
	}
	if c.Self != nil {
		if c.Self.shape != s {
			mismatch("SpMM", "self rows of the result's shape", x, c.Self, out)
		}
		m.Self = c.Self.data
	}
	if c.SelfW != nil {
		if c.Self == nil || len(c.SelfW.data) != a.Rows {
			mismatch("SpMM", "a weight per row of self", x, c.SelfW)
		}
		m.SelfCoef = c.SelfW.data
	}
	if c.Bias != nil {
		if len(c.Bias.data) != d {
			mismatch("SpMM", fmt.Sprintf("a bias of %d elements", d), x, c.Bias)
		}
		m.Bias = c.Bias.data
	}
	l.over(out, a, d, spmmLoop)
	return opWith(out, spmmRule{matrix: a, relu: c.ReLU}, x, c.W, c.Self, c.SelfW, c.Bias)
}

func spmmLoop(l *loop, lo, hi int) { l.spmm.Rows(lo, hi) }

type spmmRule struct {
	matrix *Sparse
	relu   bool
}

func (r *spmmRule) grad(b *back) {
	x, w, self, selfW, bias := b.In[0], b.In[1], b.In[2], b.In[3], b.In[4]
	a, g := r.matrix, b.G
	if r.relu {
		g = reluGrad(g, b.Out)
	}
	both := self != nil && b.Same(0, 2) // self is x: one product gives the sum of both gradients
	if b.Need(0) {
		c := SpMMConfig{W: w}
		if both {
			c.Self, c.SelfW = g, selfW
		}
		b.Set(0, SpMM(a.T(), g, c))
	}
	if b.Need(1) {
		b.Set(1, SDDMM(a, g, x).reshapeTo(w.shape))
	}
	if b.Need(2) && !both {
		ds := g
		if selfW != nil {
			ds = g.Mul(asColumn(selfW, g))
		}
		b.Set(2, ds)
	}
	if b.Need(3) {
		b.Set(3, rowDot(g, self).reshapeTo(selfW.shape))
	}
	if b.Need(4) {
		b.Set(4, columnTotals(g, bias.shape))
	}
}

// asColumn reshapes a vector so that it multiplies the rows of like.
func asColumn(v, like *Tensor) *Tensor {
	s := like.shape
	for i := range s.rank {
		s.dim[i] = 1
	}
	s.dim[0] = v.Size()
	return v.reshapeTo(s)
}

// weighted returns the factor of each entry: its coefficient times its weight.
func (a *Sparse) weighted(tape *Tape, w *Tensor) []float32 {
	if len(w.data) != a.NumWeights {
		mismatch("SpMM", fmt.Sprintf("%d weights", a.NumWeights), w)
	}
	if a.Weight == nil && a.Coef == nil {
		return w.data
	}
	coef := tape.alloc(shapeOf(a.Entries())).data
	if a.Weight == nil {
		kernel.Binary(kernel.Mul, coef, w.data, a.Coef)
		return coef
	}
	kernel.GatherRows(coef, w.data, a.Weight, 1)
	if a.Coef != nil {
		kernel.Binary(kernel.Mul, coef, coef, a.Coef)
	}
	return coef
}

// rowDot is the dot product of each row of x with that of y, both [n,...]: the
// gradient of SpMM by the weights of self, giving [n].
func rowDot(x, y *Tensor) *Tensor {
	n, d := x.rows("SpMM")
	out := tapeOf(x, y).alloc(shapeOf(n))
	l := loopOf(out)
	l.sddmm = kernel.SDDMM{Dst: out.data, G: x.data, X: y.data, D: d, Width: 1}
	l.rows(out, n, segmentGrain/max(d, 1)+1, sddmmLoop)
	return op(out, func(b *back) {
		for i := range 2 {
			if b.Need(i) {
				b.Set(i, b.In[1-i].Mul(asColumn(b.G, b.In[1-i])))
			}
		}
	}, x, y)
}

// SDDMM is the gradient of SpMM by its weights: for each weight, the sum over
// its entries (i,j) of coef·<g_i, x_j>. g [Rows,d] and x [Cols,d] give
// [NumWeights].
func SDDMM(a *Sparse, g, x *Tensor) *Tensor {
	d := g.checkIndex("SDDMM", a.Rows, "rows of the matrix")
	x.checkIndex("SDDMM", a.Cols, "columns of the matrix")
	if g.shape.withRows(0) != x.shape.withRows(0) {
		mismatch("SDDMM", "rows of equal shape", g, x)
	}
	out := tapeOf(g, x).alloc(shapeOf(a.NumWeights))
	e := a.entriesByWeight()
	l := loopOf(out)
	l.sddmm = kernel.SDDMM{Dst: out.data, G: g.data, X: x.data, D: d, Ptr: e.ptr, Row: e.row, Col: e.col, Coef: e.coef}
	l.balanced(out, e.ptr, segmentGrain/max(d, 1)+1, sddmmLoop)
	return opWith(out, sddmmRule{a}, g, x)
}

type sddmmRule struct{ matrix *Sparse }

func (r *sddmmRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, SpMM(r.matrix, b.In[1], SpMMConfig{W: b.G}))
	}
	if b.Need(1) {
		b.Set(1, SpMM(r.matrix.T(), b.In[0], SpMMConfig{W: b.G}))
	}
}

func sddmmLoop(l *loop, lo, hi int) { l.sddmm.Range(lo, hi) }
