package tensor_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/tensor"
)

// The oracle: arrays of float64 and, for every operation, the definition
// written down naively, one output element at a time. It shares no code with
// the engine. Being float64 it serves for central differences, too.

// array is a row-major float64 array.
type array struct {
	dim []int
	v   []float64
}

func size(dim []int) int {
	n := 1
	for _, d := range dim {
		n *= d
	}
	return n
}

// build computes every element from its index.
func build(dim []int, f func(idx []int) float64) array {
	a := array{dim: dim, v: make([]float64, size(dim))}
	idx := make([]int, len(dim))
	for at := range a.v {
		rest := at
		for i := len(dim) - 1; i >= 0; i-- {
			idx[i] = rest % dim[i]
			rest /= dim[i]
		}
		a.v[at] = f(idx)
	}
	return a
}

// at is the element of an index of as many axes as the array has.
func (a array) at(idx ...int) float64 { return a.v[a.offset(idx)] }

// repeated is the element that broadcasting puts at idx, an index of as many
// axes or more: surplus leading axes and axes of size 1 are ignored.
func (a array) repeated(idx []int) float64 { return a.v[a.offset(idx)] }

func (a array) offset(idx []int) int {
	idx = idx[len(idx)-len(a.dim):]
	at := 0
	for i, d := range a.dim {
		at *= d
		if d != 1 {
			at += idx[i]
		}
	}
	return at
}

// rows sees the array as rows of its last axes.
func (a array) rows() (n, d int) {
	return a.dim[0], size(a.dim[1:])
}

// withRows is a's shape with another first axis, filled with zeros.
func (a array) withRows(n int) array {
	dim := append([]int{n}, a.dim[1:]...)
	return array{dim: dim, v: make([]float64, size(dim))}
}

func (a array) clone() array {
	return array{dim: a.dim, v: append([]float64(nil), a.v...)}
}

// tensor is the array as a constant; its elements must be float32 values.
func (a array) tensor() *tensor.Tensor {
	data := make([]float32, len(a.v))
	for i, v := range a.v {
		data[i] = float32(v)
	}
	return tensor.FromSlice(data, a.dim...)
}

// Inputs. All are exact float32 values, so that engine and oracle see the same.

// source returns random numbers that depend on the name alone.
func source(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// uniform has independent elements in [lo,hi).
func uniform(r *rand.Rand, lo, hi float64, dim ...int) array {
	return build(dim, func([]int) float64 { return float64(float32(lo + (hi-lo)*r.Float64())) })
}

// normalish has elements in [-1.5,1.5).
func normalish(r *rand.Rand, dim ...int) array { return uniform(r, -1.5, 1.5, dim...) }

// awayFrom has elements in [-1.5,1.5) at least 0.1 from every kink, so that no
// difference quotient straddles one.
func awayFrom(r *rand.Rand, kinks []float64, dim ...int) array {
	return build(dim, func([]int) float64 {
		for {
			x := -1.5 + 3*r.Float64()
			far := true
			for _, k := range kinks {
				far = far && math.Abs(x-k) > 0.1
			}
			if far {
				return float64(float32(x))
			}
		}
	})
}

// distinct has elements in [-1.5,1.5] that differ by at least 1/size, so that
// a maximum is not decided by a difference quotient's step.
func distinct(r *rand.Rand, dim ...int) array {
	a := build(dim, func([]int) float64 { return 0 })
	for i, k := range r.Perm(len(a.v)) {
		a.v[i] = float64(float32(-1.5 + 3*(float64(k)+0.5)/float64(len(a.v))))
	}
	return a
}

// Definitions.

func elementwise(f func(x float64) float64) func(in []array) array {
	return func(in []array) array {
		return build(in[0].dim, func(idx []int) float64 { return f(in[0].at(idx...)) })
	}
}

// broadcastDim is the shape of two broadcast operands.
func broadcastDim(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	dim := append([]int(nil), a...)
	for i := range b {
		if at := len(a) - len(b) + i; dim[at] == 1 {
			dim[at] = b[i]
		}
	}
	return dim
}

func pairwise(f func(x, y float64) float64) func(in []array) array {
	return func(in []array) array {
		return build(broadcastDim(in[0].dim, in[1].dim), func(idx []int) float64 {
			return f(in[0].repeated(idx), in[1].repeated(idx))
		})
	}
}

func sumTo(a array, dim ...int) array {
	out := array{dim: dim, v: make([]float64, size(dim))}
	build(a.dim, func(idx []int) float64 {
		out.v[out.offset(idx)] += a.at(idx...)
		return 0
	})
	return out
}

func scaled(a array, c float64) array {
	return elementwise(func(x float64) float64 { return x * c })([]array{a})
}

// overAxis replaces axis by size 1, each element being f of the values along it.
func overAxis(a array, axis int, f func(x []float64) float64) array {
	dim := append([]int(nil), a.dim...)
	dim[axis] = 1
	return build(dim, func(idx []int) float64 {
		along := append([]int(nil), idx...)
		var x []float64
		for k := range a.dim[axis] {
			along[axis] = k
			x = append(x, a.at(along...))
		}
		return f(x)
	})
}

func maximum(x []float64) float64 {
	m := math.Inf(-1)
	for _, v := range x {
		m = math.Max(m, v)
	}
	return m
}

func logSumExp(x []float64) float64 {
	m := maximum(x)
	var s float64
	for _, v := range x {
		s += math.Exp(v - m)
	}
	return m + math.Log(s)
}

func logSoftmax(a array) array {
	norm := overAxis(a, len(a.dim)-1, logSumExp)
	return build(a.dim, func(idx []int) float64 { return a.at(idx...) - norm.repeated(idx) })
}

// product is op(x)·op(y) over the last two axes, batched over the others.
func product(x, y array, tx, ty bool) array {
	r := len(x.dim)
	sizes := func(a array, trans bool) (rows, cols int) {
		rows, cols = a.dim[r-2], a.dim[r-1]
		if trans {
			rows, cols = cols, rows
		}
		return rows, cols
	}
	m, inner := sizes(x, tx)
	_, n := sizes(y, ty)
	get := func(a array, trans bool, batch, i, j int) float64 {
		if trans {
			i, j = j, i
		}
		return a.v[(batch*a.dim[r-2]+i)*a.dim[r-1]+j]
	}
	out := array{dim: slices.Concat(x.dim[:r-2], []int{m, n})}
	for batch := range size(x.dim[:r-2]) {
		for i := range m {
			for j := range n {
				var s float64
				for k := range inner {
					s += get(x, tx, batch, i, k) * get(y, ty, batch, k, j)
				}
				out.v = append(out.v, s)
			}
		}
	}
	return out
}

func relu(x float64) float64 { return math.Max(x, 0) }

// bySlot calls f for every slot and column of rows grouped by ids with the
// values of the slot's rows, in rising order, and these rows.
func bySlot(a array, ids []int32, slots int, f func(slot, col int, x []float64, rows []int)) {
	_, d := a.rows()
	for slot := range slots {
		var rows []int
		for r, id := range ids {
			if int(id) == slot {
				rows = append(rows, r)
			}
		}
		for col := range d {
			x := make([]float64, len(rows))
			for i, r := range rows {
				x[i] = a.v[r*d+col]
			}
			f(slot, col, x, rows)
		}
	}
}

// segmentReduce gives each slot f of its rows, column by column.
func segmentReduce(a array, ids []int32, slots int, f func(x []float64) float64) array {
	_, d := a.rows()
	out := a.withRows(slots)
	bySlot(a, ids, slots, func(slot, col int, x []float64, _ []int) { out.v[slot*d+col] = f(x) })
	return out
}

func total(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}
