package tensor

import (
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/par"
)

func poolOf(t *Tensor) *par.Pool {
	if t.tape == nil {
		return nil
	}
	return t.tape.arena.pool
}

// broadcastShape is the shape of x∘y.
func broadcastShape(name string, x, y *Tensor) shape {
	if x.shape == y.shape {
		return x.shape
	}
	out := shape{rank: max(x.shape.rank, y.shape.rank)}
	for i := 1; i <= out.rank; i++ {
		a, b := 1, 1
		if i <= x.shape.rank {
			a = x.shape.dim[x.shape.rank-i]
		}
		if i <= y.shape.rank {
			b = y.shape.dim[y.shape.rank-i]
		}
		if a != b && a != 1 && b != 1 {
			mismatch(name, "sizes that are equal or 1, aligned from the last axis", x, y)
		}
		d := a
		if a == 1 {
			d = b
		}
		out.dim[out.rank-i] = d
	}
	return out
}

// layout says how a smaller operand repeats in a result.
type layout int

const (
	same    layout = iota
	scalar         // one element
	row            // the trailing axes, repeated over the leading ones
	column         // the leading axes, repeated over the trailing ones
	general        // anything else
)

// layoutOf classifies how s repeats to full. For row and column it also returns the
// length of a row.
func layoutOf(s, full shape) (layout, int) {
	if s == full {
		return same, 0
	}
	n := s.size()
	if n == 1 {
		return scalar, 0
	}
	pad := full.rank - s.rank
	dim := func(i int) int { // size of axis i of full in s
		if i < pad {
			return 1
		}
		return s.dim[i-pad]
	}
	lead := 0
	for lead < full.rank && dim(lead) == full.dim[lead] {
		lead++
	}
	width := 1
	for i := lead; i < full.rank; i++ {
		if dim(i) != 1 {
			width = 0
			break
		}
		width *= full.dim[i]
	}
	if width > 0 {
		return column, width
	}
	tail := full.rank
	for tail > 0 && dim(tail-1) == full.dim[tail-1] {
		tail--
	}
	for i := 0; i < tail; i++ {
		if dim(i) != 1 {
			return general, 0
		}
	}
	return row, n
}

// reversed returns the operation with its operands exchanged.
func reversed(o kernel.BinaryOp) kernel.BinaryOp {
	switch o {
	case kernel.Sub:
		return kernel.RSub
	case kernel.Div:
		return kernel.RDiv
	}
	return o
}

// broadcast computes x∘y without recording.
func broadcast(name string, o kernel.BinaryOp, x, y *Tensor) *Tensor {
	full := broadcastShape(name, x, y)
	out := tapeOf(x, y).alloc(full)
	if len(out.data) == 0 {
		return out
	}
	if x.shape != full && y.shape == full {
		x, y, o = y, x, reversed(o)
	}
	l := loopOf(out)
	l.binary, l.dst, l.x, l.y = o, out.data, x.data, y.data
	n := len(out.data)
	how, width := layoutOf(y.shape, full)
	if x.shape != full {
		how = general
	}
	switch how {
	case same:
		l.rows(out, n, elementGrain, binaryLoop)
	case scalar:
		l.a = y.data[0]
		l.rows(out, n, elementGrain, scalarLoop)
	case row:
		l.d = width
		l.rows(out, n/width, elementGrain/width+1, func(l *loop, lo, hi int) {
			d := l.d
			kernel.BinaryRow(l.binary, l.dst[lo*d:hi*d], l.x[lo*d:hi*d], l.y)
		})
	case column:
		l.d = width
		l.rows(out, len(y.data), elementGrain/width+1, func(l *loop, lo, hi int) {
			d := l.d
			kernel.BinaryCol(l.binary, l.dst[lo*d:hi*d], l.x[lo*d:hi*d], l.y[lo:hi], d)
		})
	default:
		kernel.Binary(o, out.data, expandInto(out.tape, x, full).data, expandInto(out.tape, y, full).data)
	}
	return out
}

func binaryLoop(l *loop, lo, hi int) { kernel.Binary(l.binary, l.dst[lo:hi], l.x[lo:hi], l.y[lo:hi]) }

func scalarLoop(l *loop, lo, hi int) { kernel.BinaryScalar(l.binary, l.dst[lo:hi], l.x[lo:hi], l.a) }

// Expand repeats axes of size 1, and new leading axes, up to the given shape.
func (x *Tensor) Expand(dims ...int) *Tensor { return x.expandTo(makeShape("Expand", dims)) }

func (x *Tensor) expandTo(full shape) *Tensor {
	if x.shape == full {
		return x
	}
	if broadcastShape("Expand", x, &Tensor{shape: full}) != full {
		panic(&ShapeError{Op: "Expand", Shapes: [][]int{x.Shape(), full.slice()}, Want: "sizes that are equal or 1"})
	}
	return op(expandInto(tapeOf(x), x, full), func(b *back) { b.Set(0, b.G.sumTo(b.In[0].shape)) }, x)
}

// strides returns for each axis of full how far one step moves in s. It is 0 along repeated axes.
func strides(s, full shape) [maxRank]int {
	var st [maxRank]int
	step := 1
	for i := 1; i <= s.rank; i++ {
		d := s.dim[s.rank-i]
		if d != 1 {
			st[full.rank-i] = step
		}
		step *= d
	}
	return st
}

// walk calls f for every row of the last axis of full with the offset of its
// first element in full and in the operand.
func walk(full shape, st [maxRank]int, f func(at, from int)) {
	if full.size() == 0 {
		return
	}
	inner := full.last()
	rows := full.size() / inner
	var idx [maxRank]int
	from := 0
	for r := range rows {
		f(r*inner, from)
		for i := full.rank - 2; i >= 0; i-- {
			idx[i]++
			from += st[i]
			if idx[i] < full.dim[i] {
				break
			}
			from -= st[i] * idx[i]
			idx[i] = 0
		}
	}
}

func expandInto(tape *Tape, x *Tensor, full shape) *Tensor {
	out := tape.alloc(full)
	if full.rank == 0 {
		copy(out.data, x.data)
		return out
	}
	st := strides(x.shape, full)
	inner := full.last()
	step := st[full.rank-1]
	walk(full, st, func(at, from int) {
		dst := out.data[at : at+inner]
		if step == 1 {
			copy(dst, x.data[from:from+inner])
			return
		}
		v := x.data[from]
		for i := range dst {
			dst[i] = v
		}
	})
	return out
}

// SumTo is the gradient of broadcasting. It sums over the axes along which Expand would repeat a
// tensor of the given shape to the shape of x.
func (x *Tensor) SumTo(dims ...int) *Tensor { return x.sumTo(makeShape("SumTo", dims)) }

func (x *Tensor) sumTo(s shape) *Tensor {
	if s == x.shape {
		return x
	}
	small := &Tensor{shape: s}
	if broadcastShape("SumTo", small, x) != x.shape {
		panic(&ShapeError{Op: "SumTo", Shapes: [][]int{x.Shape(), s.slice()}, Want: "sizes that are equal or 1"})
	}
	out := tapeOf(x).alloc(s)
	how, width := layoutOf(s, x.shape)
	switch {
	case len(x.data) == 0:
		clear(out.data)
	case how == scalar:
		out.data[0] = blockSum(x.data)
	case how == row:
		columnSums(out, x.data, len(x.data)/width, width)
	case how == column:
		l := loopOf(out)
		l.dst, l.x, l.d = out.data, x.data, width
		l.rows(out, len(out.data), elementGrain/width+1, func(l *loop, lo, hi int) {
			kernel.RowSum(l.dst[lo:hi], l.x[lo*l.d:hi*l.d], hi-lo, l.d)
		})
	default:
		sumGeneral(out, x)
	}
	return op(out, func(b *back) { b.Set(0, b.G.expandTo(b.In[0].shape)) }, x)
}

func sumGeneral(out, x *Tensor) {
	clear(out.data)
	st := strides(out.shape, x.shape)
	inner := x.shape.last()
	step := st[x.shape.rank-1]
	walk(x.shape, st, func(at, to int) {
		src := x.data[at : at+inner]
		if step == 1 {
			dst := out.data[to : to+inner]
			for i, v := range src {
				dst[i] += v
			}
			return
		}
		out.data[to] += kernel.Sum(src)
	})
}

// sumBlock is the number of elements of one partial sum. It is a constant, so that the result does
// not depend on the number of threads.
const sumBlock = 1 << 14

func blockSum(x []float32) float32 {
	var total float64
	for len(x) > 0 {
		n := min(len(x), sumBlock)
		total += float64(kernel.Sum(x[:n]))
		x = x[n:]
	}
	return float32(total)
}

// columnSums writes the sum of each column to out, adding fixed blocks of rows.
func columnSums(out *Tensor, x []float32, rows, d int) {
	block := max(sumBlock/max(d, 1), 64)
	blocks := (rows + block - 1) / block
	clear(out.data)
	if blocks <= 1 {
		kernel.ColSum(out.data, x, rows, d)
		return
	}
	partial := out.tape.borrow(blocks * d)
	l := loopOf(out)
	l.dst, l.x, l.d = partial.data[:blocks*d], x, d
	clear(l.dst)
	l.rows(out, blocks, 1, func(l *loop, lo, hi int) {
		d := l.d
		block, rows := max(sumBlock/max(d, 1), 64), len(l.x)/d
		for b := lo; b < hi; b++ {
			r0, r1 := b*block, min((b+1)*block, rows)
			kernel.ColSum(l.dst[b*d:(b+1)*d], l.x[r0*d:r1*d], r1-r0, d)
		}
	})
	kernel.ColSum(out.data, l.dst, blocks, d)
	out.tape.giveBack(partial)
}
