package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// A function of many rows, such as a small network that maps each edge by itself, leaves an
// array of all rows behind every operation: on large graphs these take most of the memory and
// most of the time. ByRows computes such a function some rows at a time, which stay in cache,
// and keeps no more than what enters and the result; the backward pass computes the rest
// again, a block at a time. Blocks are divided among the threads.

const (
	rowBlock = 1024
	// rowGroups bounds the groups of blocks, in each of which the gradients of parameters are
	// summed in order. A constant, so that sums do not depend on the number of threads.
	rowGroups = 32
)

// Rows is an input of a function of rows: the rows of X or, with Sum, the rows of Sum·X.
type Rows struct {
	X   *Tensor
	Sum *Sparse
}

// count is the number of rows.
func (r Rows) count() int {
	if r.Sum != nil {
		return r.Sum.Rows
	}
	return r.X.shape.dim[0]
}

// Block is a range of rows [Lo,Hi).
type Block struct {
	Tape   *Tape // of all that is computed from the block
	Lo, Hi int
	in     []Rows
	// rows are those of the block; with a Sum they have a shape and no elements, and stand for
	// it in the gradients. nil where the block is all rows.
	rows []*Tensor
}

// Rows are the block's rows of argument i, which has no Sum.
func (b *Block) Rows(i int) *Tensor {
	if b.rows != nil {
		return b.rows[i]
	}
	if b.Tape == nil {
		return b.in[i].X
	}
	return b.Tape.Bind(b.in[i].X)
}

// Sum is z + Sum·X of argument i for the rows of the block, followed by ReLU if asked for; z
// may be nil.
func (b *Block) Sum(i int, z *Tensor, relu bool) *Tensor {
	a, x := b.in[i].Sum, b.in[i].X
	if b.rows == nil {
		return SpMM(a, x, SpMMConfig{Self: z, ReLU: relu})
	}
	out := b.Tape.alloc(b.rows[i].shape)
	m := kernel.SpMM{Dst: out.data, X: x.data, D: x.shape.dim[1], Width: a.Width, Col: a.Col, Coef: a.Coef, ReLU: relu}
	if a.Ptr != nil {
		m.Ptr = a.Ptr[b.Lo : b.Hi+1]
	} else {
		from := b.Lo * a.Width
		if m.Coef != nil {
			m.Coef = m.Coef[from:]
		}
		if m.Col != nil {
			m.Col = m.Col[from:]
		} else {
			m.X = m.X[from*m.D:]
		}
	}
	if z != nil {
		if z.shape != out.shape {
			mismatch("Block.Sum", "rows to add to of the sum's shape", z, out)
		}
		m.Self = z.data
	}
	m.Rows(0, b.Hi-b.Lo)
	return opWith(out, rowSumRule{relu}, b.rows[i], z)
}

type rowSumRule struct{ relu bool }

func (r *rowSumRule) grad(b *back) {
	g := b.G
	if r.relu {
		g = reluGrad(g, b.Out)
	}
	for i := range b.In {
		if b.Need(i) {
			b.Set(i, g)
		}
	}
}

// ByRows is f of rows. f computes the rows of the result [rows,...] that belong to a block from
// the block's rows, its Tape and parameters that are watched there, and from nothing else that
// gradients are taken of; each block in the same way. It is called for blocks side by side, and
// again in the backward pass, until the tape is closed; where there are few rows, once for all
// of them. The bits of a row do not depend on the blocks.
func ByRows(tape *Tape, rows []Rows, f func(b *Block) *Tensor) *Tensor {
	n := rows[0].count()
	for _, r := range rows {
		if r.count() != n {
			mismatch("ByRows", "arguments of equally many rows", rows[0].X, r.X)
		}
		if r.Sum != nil {
			r.X.checkIndex("ByRows", r.Sum.Cols, "columns of the matrix")
		}
	}
	if tape == nil || n <= rowBlock {
		return f(&Block{Tape: tape, Hi: n, in: rows})
	}
	r := byRowsRule{in: rows, f: f}
	var out *Tensor
	r.block(tape, 0, rowBlock, true, func(b *Block) { // which tells the width and the parameters
		y := f(b)
		out = tape.alloc(y.shape.withRows(n))
		copy(out.data, y.data)
		r.params = append(r.params, b.Tape.order...)
	})
	width := len(out.data) / n
	r.groups(tape, func(_, lo, hi int) {
		if lo == 0 {
			return
		}
		r.block(tape, lo, hi, true, func(b *Block) { copy(out.data[lo*width:hi*width], f(b).data) })
	})
	operands := make([]*Tensor, 0, len(rows)+len(r.params))
	for _, x := range rows {
		operands = append(operands, x.X)
	}
	for _, p := range r.params {
		operands = append(operands, tape.Watch(p))
	}
	return opWith(out, r, operands...)
}

// byRowsRule is a function of rows and its arguments; params are the parameters that it reads.
type byRowsRule struct {
	in     []Rows
	params []*Param
	f      func(b *Block) *Tensor
}

// groups calls do for all blocks, those of a group one after the other.
func (r *byRowsRule) groups(tape *Tape, do func(group, lo, hi int)) {
	n := r.in[0].count()
	blocks := (n + rowBlock - 1) / rowBlock
	groups := min(blocks, rowGroups)
	fs := make([]func(), groups)
	for g := range fs {
		fs[g] = func() {
			for k := blocks * g / groups; k < blocks*(g+1)/groups; k++ {
				do(g, k*rowBlock, min((k+1)*rowBlock, n))
			}
		}
	}
	tape.arena.pool.Do(fs...)
}

// block calls do with a block on a tape of its own, inert for no gradients.
func (r *byRowsRule) block(tape *Tape, lo, hi int, inert bool, do func(b *Block)) {
	arena := tape.arena.worker()
	t := arena.Tape()
	t.ctx, t.inert = tape.ctx, inert
	defer func() {
		t.inert = false
		t.Close()
		tape.arena.release(arena)
	}()
	b := &Block{Tape: t, Lo: lo, Hi: hi, in: r.in, rows: make([]*Tensor, len(r.in))}
	for i, x := range r.in {
		v := &Tensor{shape: x.X.shape.withRows(hi - lo)}
		if x.Sum == nil {
			d := v.shape.size() / (hi - lo)
			v.data = x.X.data[lo*d : hi*d]
		}
		b.rows[i] = t.Variable(v)
	}
	do(b)
}

func (r *byRowsRule) grad(b *back) {
	tape := b.G.tape
	if b.scratch == nil { // gradients that can be differentiated again are those of all rows at once
		b.setLive(r.f(&Block{Tape: tape, Hi: r.in[0].count(), in: r.in}))
		return
	}
	k := len(r.in)
	total := 0 // elements of the parameters
	for _, p := range r.params {
		total += p.Value.Size()
	}
	rows := make([]*Tensor, k) // gradients of all rows
	for i, x := range r.in {
		if b.Need(i) {
			rows[i] = tape.alloc(x.X.shape.withRows(x.count()))
		}
	}
	sums := tape.alloc(shapeOf(rowGroups, total))
	clear(sums.data)
	width := len(b.G.data) / r.in[0].count()
	r.groups(tape, func(group, lo, hi int) {
		r.block(tape, lo, hi, false, func(block *Block) {
			y := r.f(block)
			t := block.Tape
			var wrt []*Tensor
			for i := range r.in {
				if b.Need(i) {
					wrt = append(wrt, block.rows[i])
				}
			}
			for _, p := range r.params {
				wrt = append(wrt, t.Watch(p))
			}
			g := t.Constant(&Tensor{data: b.G.data[lo*width : hi*width], shape: y.shape})
			found := t.backward(y, g, wrt, false)
			for i := range r.in {
				if b.Need(i) {
					d := len(found[0].data) / (hi - lo)
					copy(rows[i].data[lo*d:hi*d], found[0].data)
					found = found[1:]
				}
			}
			to := sums.data[group*total:][:total]
			for _, g := range found {
				kernel.Binary(kernel.Add, to[:len(g.data)], to[:len(g.data)], g.data)
				to = to[len(g.data):]
			}
		})
	})
	for i, x := range r.in {
		switch {
		case !b.Need(i):
		case x.Sum != nil:
			b.Set(i, SpMM(x.Sum.T(), rows[i], SpMMConfig{}))
		default:
			b.Set(i, rows[i])
		}
	}
	all := tape.alloc(shapeOf(1, total))
	clear(all.data)
	kernel.ColSum(all.data, sums.data, rowGroups, total)
	at := 0
	for i, p := range r.params {
		n := p.Value.Size()
		if b.Need(k + i) {
			b.Set(k+i, all.Slice(1, at, at+n).reshapeTo(p.Value.shape))
		}
		at += n
	}
}
