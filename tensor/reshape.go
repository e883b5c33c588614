package tensor

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Reshape returns the same elements, in the same order and memory, in another shape of the same
// size. One size may be -1: it is inferred.
func (x *Tensor) Reshape(dims ...int) *Tensor {
	i := slices.Index(dims, -1)
	if i < 0 || len(dims) > maxRank {
		return x.reshapeTo(makeShape("Reshape", dims))
	}
	var full [maxRank]int
	copy(full[:], dims)
	full[i] = 1
	rest := 1
	for _, d := range full[:len(dims)] {
		rest *= d
	}
	if rest > 0 {
		full[i] = len(x.data) / rest
	}
	return x.reshapeTo(makeShape("Reshape", full[:len(dims)]))
}

func (x *Tensor) reshapeTo(s shape) *Tensor {
	if s.size() != len(x.data) {
		panic(&ShapeError{Op: "Reshape", Shapes: [][]int{x.Shape(), s.slice()}, Want: "equal numbers of elements"})
	}
	if s == x.shape {
		return x
	}
	return op(x.view(s), func(b *back) { b.Set(0, b.G.reshapeTo(b.In[0].shape)) }, x)
}

// view returns x in another shape with as many elements, in the same memory and not yet recorded.
func (x *Tensor) view(s shape) *Tensor {
	out := x.tape.header()
	*out = Tensor{data: x.data, shape: s, tape: x.tape, buf: x.buf}
	return out
}

// Transpose exchanges the last two axes.
func (x *Tensor) Transpose() *Tensor {
	r := x.shape.rank
	if r < 2 {
		mismatch("Transpose", "rank 2 or more", x)
	}
	s := x.shape
	s.dim[r-1], s.dim[r-2] = s.dim[r-2], s.dim[r-1]
	m, n := x.shape.dim[r-2], x.shape.dim[r-1]
	out := tapeOf(x).alloc(s)
	if m*n > 0 {
		for at := 0; at < len(x.data); at += m * n {
			kernel.Transpose(out.data[at:at+m*n], x.data[at:at+m*n], m, n)
		}
	}
	return op(out, func(b *back) { b.Set(0, b.G.Transpose()) }, x)
}

// Permute reorders the axes: axis i of the result is axis order[i] of x.
func (x *Tensor) Permute(order ...int) *Tensor {
	r := x.shape.rank
	var inverse [maxRank]int
	seen := 0
	for i, a := range order {
		if a >= 0 && a < r {
			inverse[a] = i
			seen |= 1 << a
		}
	}
	if len(order) != r || seen != 1<<r-1 {
		mismatch("Permute", fmt.Sprintf("a permutation of the axes, found %v", order), x)
	}
	s := x.shape
	var st [maxRank]int
	own := strides(x.shape, x.shape)
	for i, a := range order {
		s.dim[i] = x.shape.dim[a]
		st[i] = own[a]
	}
	out := tapeOf(x).alloc(s)
	if r == 0 {
		copy(out.data, x.data)
	} else {
		inner, step := s.last(), st[r-1]
		walk(s, st, func(at, from int) {
			dst := out.data[at : at+inner]
			for i := range dst {
				dst[i] = x.data[from+i*step]
			}
		})
	}
	return opWith(out, permuteRule{inverse: inverse, rank: r}, x)
}

type permuteRule struct {
	inverse [maxRank]int // the inverse order
	rank    int
}

func (r *permuteRule) grad(b *back) { b.Set(0, b.G.Permute(r.inverse[:r.rank]...)) }

// Concat joins tensors along an axis. All other sizes are equal.
func Concat(axis int, ts ...*Tensor) *Tensor {
	if len(ts) == 0 {
		panic(&ShapeError{Op: "Concat", Want: "at least one operand"})
	}
	a := ts[0].axis("Concat", axis)
	if len(ts) == 1 {
		return ts[0]
	}
	s := ts[0].shape
	s.dim[a] = 0
	for _, t := range ts {
		like := t.shape
		if like.rank != s.rank {
			mismatch("Concat", "equal ranks", ts...)
		}
		like.dim[a] = 0
		rest := s
		rest.dim[a] = 0
		if like != rest {
			mismatch("Concat", fmt.Sprintf("equal sizes but for axis %d", a), ts...)
		}
		s.dim[a] += t.shape.dim[a]
	}
	out := tapeOf(ts...).alloc(s)
	outer, k, inner := s.around(a)
	at := 0
	for _, t := range ts {
		w := t.shape.dim[a] * inner
		for o := range outer {
			copy(out.data[o*k*inner+at:][:w], t.data[o*w:(o+1)*w])
		}
		at += w
	}
	return opWith(out, concatRule{axis: a}, ts...)
}

type concatRule struct{ axis int }

func (r *concatRule) grad(b *back) {
	at := 0
	for i, x := range b.In {
		end := at + x.shape.dim[r.axis]
		if b.Need(i) {
			b.Set(i, b.G.Slice(r.axis, at, end))
		}
		at = end
	}
}

// Slice copies the elements lo to hi (exclusive) of an axis.
func (x *Tensor) Slice(axis, lo, hi int) *Tensor {
	a := x.axis("Slice", axis)
	outer, k, inner := x.shape.around(a)
	if lo < 0 || hi > k || lo > hi {
		mismatch("Slice", fmt.Sprintf("a range inside axis %d, found %d to %d", a, lo, hi), x)
	}
	if lo == 0 && hi == k {
		return x
	}
	s := x.shape
	s.dim[a] = hi - lo
	out := tapeOf(x).alloc(s)
	w := (hi - lo) * inner
	for o := range outer {
		copy(out.data[o*w:(o+1)*w], x.data[(o*k+lo)*inner:][:w])
	}
	return opWith(out, sliceRule{axis: a, lo: lo, size: k}, x)
}

// sliceRule is the rule of a slice that starts at lo of an axis with the given size.
type sliceRule struct{ axis, lo, size int }

func (r *sliceRule) grad(b *back) { b.Set(0, pad(b.G, r.axis, r.lo, r.size)) }

// pad puts x at position lo of an axis of size k, with zeros around it.
func pad(x *Tensor, a, lo, k int) *Tensor {
	s := x.shape
	n := s.dim[a]
	s.dim[a] = k
	outer, _, inner := s.around(a)
	out := tapeOf(x).alloc(s)
	clear(out.data)
	for o := range outer {
		copy(out.data[(o*k+lo)*inner:], x.data[o*n*inner:(o+1)*n*inner])
	}
	return opWith(out, padRule{axis: a, lo: lo, hi: lo + n}, x)
}

type padRule struct{ axis, lo, hi int }

func (r *padRule) grad(b *back) { b.Set(0, b.G.Slice(r.axis, r.lo, r.hi)) }

// Split cuts an axis into parts of the given sizes, which add up to it.
func (x *Tensor) Split(axis int, sizes ...int) []*Tensor {
	a := x.axis("Split", axis)
	total := 0
	for _, n := range sizes {
		total += n
	}
	if total != x.shape.dim[a] || slices.ContainsFunc(sizes, func(n int) bool { return n < 0 }) {
		mismatch("Split", fmt.Sprintf("parts that add up to the axis, found %v", sizes), x)
	}
	out := make([]*Tensor, len(sizes))
	at := 0
	for i, n := range sizes {
		out[i] = x.Slice(a, at, at+n)
		at += n
	}
	return out
}

// Pick returns x[i, cols[i]] for each row i of a matrix, and 0 if cols[i] is negative. It selects
// the terms of a likelihood loss.
func Pick(x *Tensor, cols []int32) *Tensor {
	n, d := x.matrix("Pick")
	checkPick(x, cols, n, d)
	out := tapeOf(x).alloc(shapeOf(n))
	for i, c := range cols {
		out.data[i] = 0
		if c >= 0 {
			out.data[i] = x.data[i*d+int(c)]
		}
	}
	return opWith(out, pickRule{cols: cols, width: d}, x)
}

type pickRule struct {
	cols  []int32 // of each row
	width int     // columns of x
}

func (r *pickRule) grad(b *back) { b.Set(0, place(b.G, r.cols, r.width)) }

// place is the matrix with g[i] at column cols[i] of row i, zeros elsewhere.
func place(g *Tensor, cols []int32, d int) *Tensor {
	out := tapeOf(g).alloc(shapeOf(len(cols), d))
	clear(out.data)
	for i, c := range cols {
		if c >= 0 {
			out.data[i*d+int(c)] = g.data[i]
		}
	}
	return opWith(out, placeRule{cols}, g)
}

type placeRule struct{ cols []int32 }

func (r *placeRule) grad(b *back) { b.Set(0, Pick(b.G, r.cols)) }

func checkPick(x *Tensor, cols []int32, n, d int) {
	if len(cols) != n {
		mismatch("Pick", fmt.Sprintf("one column per row, found %d", len(cols)), x)
	}
	for _, c := range cols {
		if int(c) >= d {
			mismatch("Pick", fmt.Sprintf("columns below %d, found %d", d, c), x)
		}
	}
}
