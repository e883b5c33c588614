package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/lists"
	"slices"
	"strings"
)

const maxRank = 4

// shape is a value so that tensors need no second allocation.
type shape struct {
	dim  [maxRank]int
	rank int
}

func makeShape(op string, dims []int) shape {
	s := shape{rank: len(dims)}
	if len(dims) > maxRank {
		panic(&ShapeError{Op: op, Shapes: [][]int{slices.Clone(dims)}, Want: "rank 4 at most"})
	}
	for i, d := range dims {
		if d < 0 {
			// A copy, so that dims can stay on the stack.
			panic(&ShapeError{Op: op, Shapes: [][]int{slices.Clone(dims)}, Want: "no negative size"})
		}
		s.dim[i] = d
	}
	return s
}

func (s shape) size() int {
	n := 1
	for _, d := range s.dim[:s.rank] {
		n *= d
	}
	return n
}

// slice returns a copy: a pointer into the receiver would move it to the heap.
func (s shape) slice() []int {
	out := make([]int, s.rank)
	for i := range out {
		out[i] = s.dim[i]
	}
	return out
}

// last is the size of the last axis, or 1 for a scalar.
func (s shape) last() int {
	if s.rank == 0 {
		return 1
	}
	return s.dim[s.rank-1]
}

// around splits the axes at axis into the sizes before, at and after it.
func (s shape) around(axis int) (outer, k, inner int) {
	outer, inner = 1, 1
	for i := range axis {
		outer *= s.dim[i]
	}
	for i := axis + 1; i < s.rank; i++ {
		inner *= s.dim[i]
	}
	return outer, s.dim[axis], inner
}

// Tensor is a dense, row-major, contiguous float32 array of rank 0 to 4. It is a constant, or a
// value recorded on a tape. Gradients can be taken of a recorded value and with respect to it.
type Tensor struct {
	data  []float32
	shape shape
	tape  *Tape   // gives results their buffers; nil for the heap
	node  int32   // 1 + position on the tape, 0 when not recorded
	buf   *buffer // nil for heap memory
	// sparse has the same values if the tensor is a constant made by SparseRows or Reweigh, and is
	// nil otherwise. weights multiply its entries; nil means ones.
	sparse  *Sparse
	weights *Tensor
	// of and by are the operands of Repeat. They are nil for other tensors.
	of *Tensor
	by *Index
}

// New returns a constant of zeros.
func New(dims ...int) *Tensor {
	s := makeShape("New", dims)
	return &Tensor{data: make([]float32, s.size()), shape: s}
}

// Outline returns a constant with a shape and no elements. It stands for a parameter in a model
// whose size is computed but which is not run.
func Outline(dims ...int) *Tensor { return &Tensor{shape: makeShape("Outline", dims)} }

// FromSlice returns a constant over data. data is not copied and must not change while the tensor
// is in use. It panics with *ShapeError if the length of data is not the product of dims.
func FromSlice(data []float32, dims ...int) *Tensor {
	s := makeShape("FromSlice", dims)
	if len(data) != s.size() {
		panic(&ShapeError{Op: "FromSlice", Shapes: [][]int{slices.Clone(dims)}, Want: fmt.Sprintf("%d elements", len(data))})
	}
	return &Tensor{data: data, shape: s}
}

// Scalar returns a constant of rank 0.
func Scalar(v float32) *Tensor { return FromSlice([]float32{v}) }

// Full returns a constant with every element v.
func Full(v float32, dims ...int) *Tensor {
	s := makeShape("Full", dims)
	t := &Tensor{data: make([]float32, s.size()), shape: s}
	for i := range t.data {
		t.data[i] = v
	}
	return t
}

// Data returns the storage in row-major order. Callers may read it. Only the owner of a constant
// may write it. For a tensor on a tape it is valid until the tape is closed.
func (t *Tensor) Data() []float32 { return t.data }

// Shape returns a copy of the sizes of all axes.
func (t *Tensor) Shape() []int { return t.shape.slice() }

// Rank is the number of axes.
func (t *Tensor) Rank() int { return t.shape.rank }

// Dim is the size of an axis. A negative axis counts from the last.
func (t *Tensor) Dim(axis int) int { return t.shape.dim[t.axis("Dim", axis)] }

// Size is the number of elements.
func (t *Tensor) Size() int { return len(t.data) }

// Item is the value of a tensor with one element.
func (t *Tensor) Item() float32 {
	if len(t.data) != 1 {
		panic(&ShapeError{Op: "Item", Shapes: shapes(t), Want: "one element"})
	}
	return t.data[0]
}

// Clone copies the values to the heap. The result is a constant that can be used after the tape is
// closed.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{data: append([]float32(nil), t.data...), shape: t.shape}
}

// Recorded reports whether gradients can be taken of t.
func (t *Tensor) Recorded() bool { return t.node != 0 }

// Detach returns the same values as a constant, through which no gradient flows.
func (t *Tensor) Detach() *Tensor {
	if t.node == 0 {
		return t
	}
	d := t.tape.header()
	*d = *t
	d.node, d.of, d.by = 0, nil, nil
	return d
}

func (t *Tensor) String() string {
	if len(t.data) <= 16 {
		return fmt.Sprintf("%v%v", t.Shape(), t.data)
	}
	return fmt.Sprintf("%v%v...", t.Shape(), t.data[:16])
}

func (t *Tensor) axis(op string, axis int) int {
	a := axis
	if a < 0 {
		a += t.shape.rank
	}
	if a < 0 || a >= t.shape.rank {
		panic(&ShapeError{Op: op, Shapes: shapes(t), Want: fmt.Sprintf("an axis %d", axis)})
	}
	return a
}

// matrix returns rows and columns. It panics if the rank is not 2.
func (t *Tensor) matrix(op string) (rows, cols int) {
	if t.shape.rank != 2 {
		panic(&ShapeError{Op: op, Shapes: shapes(t), Want: "a matrix"})
	}
	return t.shape.dim[0], t.shape.dim[1]
}

// rows returns the number n of rows along the first axis and the number d of elements of a row.
func (t *Tensor) rows(op string) (n, d int) {
	if t.shape.rank == 0 {
		panic(&ShapeError{Op: op, Shapes: shapes(t), Want: "rank 1 or more"})
	}
	n = t.shape.dim[0]
	d = 1
	for _, k := range t.shape.dim[1:t.shape.rank] {
		d *= k
	}
	return n, d
}

// withRows is the shape with the first axis replaced.
func (s shape) withRows(n int) shape {
	s.dim[0] = n
	return s
}

func shapeOf(dims ...int) shape { return makeShape("shape", dims) }

// ShapeError reports operands whose shapes do not fit an operation. This is a bug in the caller, so
// operations panic with it.
type ShapeError struct {
	Op     string  // the operation
	Shapes [][]int // of the operands
	Want   string  // what was expected
}

func (e *ShapeError) Error() string {
	parts := lists.Map(e.Shapes, func(s []int) string { return fmt.Sprint(s) })
	return fmt.Sprintf("tensor: %s: shapes %s, expected %s", e.Op, strings.Join(parts, " and "), e.Want)
}

// Catch, deferred at a public boundary, turns a panic with *ShapeError into an error. It turns the
// panic of a tape whose context has ended (see Tape.SetContext) into the context's error. Any other
// panic continues.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *ShapeError:
		*err = r
	case *interruption:
		*err = r.cause
	default:
		panic(r)
	}
}

func shapes(ts ...*Tensor) [][]int {
	return lists.Map(ts, func(t *Tensor) []int { return t.Shape() })
}

func mismatch(op, want string, ts ...*Tensor) {
	panic(&ShapeError{Op: op, Shapes: shapes(ts...), Want: want})
}

// Param is a named value that training changes. If Buffer is set, it is a value that is saved with
// the parameters but has no gradient, such as the running statistics of a batch norm.
type Param struct {
	Name   string
	Value  *Tensor
	Buffer bool
}
