package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// CheckpointRows is gradient checkpointing by row blocks (Chen et al. 2016). A function of many
// rows, such as a small network that maps each edge by itself, leaves an array of all rows after
// every operation. On large graphs these arrays take most of the memory and time. CheckpointRows
// computes the function block by block, so that a block stays in cache. It keeps only the inputs
// and the result. The backward pass computes the other values again, one block at a time. Blocks
// are divided among the threads.

const (
	rowBlock = 1024
	// rowGroups bounds the number of groups of blocks. Within a group the gradients of parameters
	// are summed in order. It is a constant, so that sums do not depend on the number of threads.
	rowGroups = 32
)

// RowInput is one input of CheckpointRows: X, or with Sum the sparse product Sum·X, whose rows are
// computed block by block.
type RowInput struct {
	X   *Tensor
	Sum *Sparse
}

// count returns the number of rows.
func (r RowInput) count() int {
	if r.Sum != nil {
		return r.Sum.Rows
	}
	return r.X.shape.dim[0]
}

// RowBlock is a range of rows [Lo,Hi).
type RowBlock struct {
	Tape   *Tape // of all values that are computed from the block
	Lo, Hi int
	in     []RowInput
	// rows has the block's rows of each input. For an input with a Sum it is a tensor with a shape
	// and no elements, which stands for the input in the gradients. It is nil if the block has all
	// rows.
	rows []*Tensor
}

// Rows returns the block's rows of input i, which has no Sum.
func (b *RowBlock) Rows(i int) *Tensor {
	if b.rows != nil {
		return b.rows[i]
	}
	if b.Tape == nil {
		return b.in[i].X
	}
	return b.Tape.Bind(b.in[i].X)
}

// Sum returns the block's rows of z + Sum·X for input i, followed by ReLU if relu is set. z may be
// nil.
func (b *RowBlock) Sum(i int, z *Tensor, relu bool) *Tensor {
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
			mismatch("RowBlock.Sum", "rows to add to of the sum's shape", z, out)
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

// CheckpointRows applies f to rows, block by block. f returns the rows of the result [rows,...] for
// a block. It may use the block's rows, its Tape, parameters that are watched on that tape, and
// constants. It must compute each block in the same way. f is called for several blocks in
// parallel, and again in the backward pass, until the tape is closed. If there are few rows, it is
// called once for all of them. The bits of a row do not depend on the blocks.
func CheckpointRows(tape *Tape, rows []RowInput, f func(b *RowBlock) *Tensor) *Tensor {
	n := rows[0].count()
	for _, r := range rows {
		if r.count() != n {
			mismatch("CheckpointRows", "arguments of equally many rows", rows[0].X, r.X)
		}
		if r.Sum != nil {
			r.X.checkIndex("CheckpointRows", r.Sum.Cols, "columns of the matrix")
		}
	}
	if tape == nil || n <= rowBlock {
		return f(&RowBlock{Tape: tape, Hi: n, in: rows})
	}
	r := checkpointRowsRule{in: rows, f: f}
	var out *Tensor
	r.block(tape, 0, rowBlock, true, func(b *RowBlock) { // gives the width and the parameters
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
		r.block(tape, lo, hi, true, func(b *RowBlock) { copy(out.data[lo*width:hi*width], f(b).data) })
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

// checkpointRowsRule is the rule of CheckpointRows. params are the parameters that f reads.
type checkpointRowsRule struct {
	in     []RowInput
	params []*Param
	f      func(b *RowBlock) *Tensor
}

// groups calls do for all blocks, for the blocks of a group one after the other.
func (r *checkpointRowsRule) groups(tape *Tape, do func(group, lo, hi int)) {
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

// block calls do with a block on a tape of its own. An inert tape records nothing.
func (r *checkpointRowsRule) block(tape *Tape, lo, hi int, inert bool, do func(b *RowBlock)) {
	arena := tape.arena.worker()
	t := arena.Tape()
	t.ctx, t.inert = tape.ctx, inert
	defer func() {
		t.inert = false
		t.Close()
		tape.arena.release(arena)
	}()
	b := &RowBlock{Tape: t, Lo: lo, Hi: hi, in: r.in, rows: make([]*Tensor, len(r.in))}
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

func (r *checkpointRowsRule) grad(b *back) {
	tape := b.G.tape
	if b.scratch == nil { // gradients that are differentiated again are computed for all rows at once
		b.setLive(r.f(&RowBlock{Tape: tape, Hi: r.in[0].count(), in: r.in}))
		return
	}
	k := len(r.in)
	total := 0 // number of elements of the parameters
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
		r.block(tape, lo, hi, false, func(block *RowBlock) {
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
