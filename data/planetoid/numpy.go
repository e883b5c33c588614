package planetoid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Messages here do not print objects of a pickle with %v: the library's String does not end for a
// list that contains itself.

// dtypeClass is numpy.dtype, called with a code like "i4".
type dtypeClass struct{}

func (dtypeClass) Call(args ...any) (any, error) {
	code, _ := first(args).(string)
	for _, c := range []string{"i1", "u1", "b1", "i2", "i4", "i8", "f4", "f8"} {
		if c == code {
			return &dtype{kind: code[0], size: int(code[1] - '0'), order: binary.LittleEndian}, nil
		}
	}
	return nil, fmt.Errorf("array of type %.20q, expected integers or floats", code)
}

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// dtype is the type of the elements of an array.
type dtype struct {
	kind  byte // 'i', 'u', 'b' or 'f'
	size  int
	order binary.ByteOrder
}

// PySetState reads (version, byte order, ...).
func (d *dtype) PySetState(state any) error {
	s, err := tuple(state, 2)
	if err != nil {
		return fmt.Errorf("state of a type: %w", err)
	}
	switch s[1] {
	case "<", "|", "=":
	case ">":
		d.order = binary.BigEndian
	default:
		return errors.New("an array has an unknown byte order, expected < or >")
	}
	return nil
}

// arrayClass is numpy's _reconstruct, which makes an empty array. Its state follows.
type arrayClass struct{}

func (arrayClass) Call(args ...any) (any, error) { return &array{}, nil }

// array is a numpy.ndarray of one or two dimensions.
type array struct {
	shape   []int
	dtype   dtype
	fortran bool // column-major order
	data    []byte
}

// PySetState reads (version, shape, dtype, whether in column-major order, bytes).
func (a *array) PySetState(state any) error {
	s, err := tuple(state, 5)
	if err != nil {
		return fmt.Errorf("state of an array: %w", err)
	}
	if a.shape, err = shape(s[1]); err != nil {
		return err
	}
	d, ok := s[2].(*dtype)
	if !ok {
		return fmt.Errorf("type of an array is %T", s[2])
	}
	a.dtype = *d
	a.fortran, _ = s[3].(bool)
	switch b := s[4].(type) {
	case string:
		a.data = []byte(b)
	case []byte:
		a.data = b
	default:
		return fmt.Errorf("elements of an array are %T, expected bytes", b)
	}
	want := a.dtype.size
	for _, n := range a.shape {
		if n > 0 && want > len(a.data)/n { // a larger product would not fit, and may overflow
			want = -1
			break
		}
		want *= n
	}
	if len(a.data) != want {
		return fmt.Errorf("an array of shape %v with %d bytes an element has %d bytes", a.shape, a.dtype.size, len(a.data))
	}
	return nil
}

// shape reads a tuple of one or two sizes.
func shape(v any) ([]int, error) {
	s, err := tuple(v, 1)
	if err != nil || len(s) > 2 {
		return nil, errors.New("an array has another shape than one or two sizes")
	}
	out := make([]int, len(s))
	for i, x := range s {
		n, ok := x.(int)
		if !ok || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("an array has a size that is not a number from 0 to %d", math.MaxInt32)
		}
		out[i] = n
	}
	return out, nil
}

// len returns the number of elements.
func (a *array) len() int { return len(a.data) / max(a.dtype.size, 1) }

// at returns element i, in the order of the bytes.
func (a *array) at(i int) float64 {
	b := a.data[i*a.dtype.size : (i+1)*a.dtype.size]
	order := a.dtype.order
	switch {
	case a.dtype.kind == 'f' && a.dtype.size == 4:
		return float64(math.Float32frombits(order.Uint32(b)))
	case a.dtype.kind == 'f':
		return math.Float64frombits(order.Uint64(b))
	}
	return float64(a.int(i))
}

// int returns element i of an array of integers.
func (a *array) int(i int) int64 {
	b := a.data[i*a.dtype.size : (i+1)*a.dtype.size]
	order := a.dtype.order
	switch a.dtype.size {
	case 8:
		return int64(order.Uint64(b))
	case 4:
		return int64(int32(order.Uint32(b)))
	case 2:
		return int64(int16(order.Uint16(b)))
	}
	if a.dtype.kind == 'i' {
		return int64(int8(b[0]))
	}
	return int64(b[0])
}

// element returns entry (r, c) of a matrix.
func (a *array) element(r, c int) float64 {
	if a.fortran {
		return a.at(c*a.shape[0] + r)
	}
	return a.at(r*a.shape[1] + c)
}

// matrixClass is scipy's csr_matrix.
type matrixClass struct{}

func (matrixClass) PyNew(args ...any) (any, error) { return &matrix{}, nil }

// matrix is a sparse matrix in compressed rows.
type matrix struct {
	rows, cols              int
	indptr, indices, values *array
}

// PyDictSet sets one attribute of the object.
func (m *matrix) PyDictSet(key, value any) error {
	var to **array
	switch key {
	case "_shape":
		s, err := shape(value)
		if err != nil || len(s) != 2 {
			return errors.New("a matrix has another shape than two sizes")
		}
		m.rows, m.cols = s[0], s[1]
		return nil
	case "indptr":
		to = &m.indptr
	case "indices":
		to = &m.indices
	case "data":
		to = &m.values
	default:
		return nil // the format name and hints for SciPy
	}
	a, ok := value.(*array)
	if !ok || len(a.shape) != 1 {
		return fmt.Errorf("%v of a matrix is %T, expected an array of one dimension", key, value)
	}
	*to = a
	return nil
}

// check validates the matrix, so that row and entries stay in range.
func (m *matrix) check() error {
	if m.indptr == nil || m.indices == nil || m.values == nil {
		return errors.New("the matrix lacks indptr, indices or data")
	}
	if m.indptr.dtype.kind == 'f' || m.indices.dtype.kind == 'f' {
		return errors.New("the matrix has indices that are no integers")
	}
	if m.indptr.len() != m.rows+1 {
		return fmt.Errorf("the matrix has %d rows and %d row ends, expected one more", m.rows, m.indptr.len())
	}
	if m.indices.len() != m.values.len() {
		return fmt.Errorf("the matrix has %d columns for %d values", m.indices.len(), m.values.len())
	}
	last := int64(0)
	for r := range m.rows + 1 {
		end := m.indptr.int(r)
		if r == 0 && end != 0 || end < last || end > int64(m.values.len()) || r == m.rows && end != int64(m.values.len()) {
			return fmt.Errorf("row %d of the matrix ends at value %d of %d", r-1, end, m.values.len())
		}
		last = end
	}
	for i := range m.indices.len() {
		if c := m.indices.int(i); c < 0 || c >= int64(m.cols) {
			return fmt.Errorf("value %d of the matrix is in column %d of %d", i, c, m.cols)
		}
		if v := m.values.at(i); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d of the matrix is %v, expected a finite number", i, v)
		}
	}
	return nil
}

// row adds row r to dst, which has an element per column. The row is divided by its sum unless that
// is 0.
func (m *matrix) row(r int, dst []float32) error {
	lo, hi := int(m.indptr.int(r)), int(m.indptr.int(r+1))
	sum := 0.0
	for i := lo; i < hi; i++ {
		sum += m.values.at(i)
	}
	if sum == 0 {
		sum = 1
	}
	for i := lo; i < hi; i++ {
		dst[m.indices.int(i)] += float32(m.values.at(i) / sum)
	}
	for i := lo; i < hi; i++ {
		if v := float64(dst[m.indices.int(i)]); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("row %d of the matrix, divided by its sum %v, is not finite", r, sum)
		}
	}
	return nil
}
