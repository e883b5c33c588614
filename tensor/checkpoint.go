package tensor

// Checkpoint is f(tape, in) with gradient checkpointing: it keeps no intermediate value of f, and
// the backward pass computes them again. f may use its arguments, parameters that are watched on
// its tape, and constants. It is called again in the backward pass, until the tape is closed.
func Checkpoint(tape *Tape, in []*Tensor, f func(tape *Tape, in []*Tensor) *Tensor) *Tensor {
	if tape == nil {
		return f(nil, in)
	}
	r := checkpointRule{f: f}
	var out *Tensor
	r.run(tape, in, true, func(t *Tape, x []*Tensor) {
		out = tape.adopt(f(t, x), t)
		r.params = append(r.params, t.order...)
	})
	operands := append(make([]*Tensor, 0, len(in)+len(r.params)), in...)
	for _, p := range r.params {
		operands = append(operands, tape.Watch(p))
	}
	return opWith(out, r, operands...)
}

type checkpointRule struct {
	params []*Param
	f      func(tape *Tape, in []*Tensor) *Tensor
}

// run calls do with the arguments on a tape of their own. An inert tape records nothing.
func (r *checkpointRule) run(tape *Tape, in []*Tensor, inert bool, do func(t *Tape, x []*Tensor)) {
	t := tape.inside()
	t.inert = inert
	defer func() {
		t.inert = false
		t.Close()
	}()
	x := make([]*Tensor, len(in))
	for i, v := range in {
		x[i] = t.Variable(v)
		x[i].buf = nil // this tape must not give the buffer back
	}
	do(t, x)
}

func (r *checkpointRule) grad(b *back) {
	k := len(b.In) - len(r.params)
	tape := b.G.tape
	if b.scratch == nil {
		b.setLive(r.f(tape, b.In[:k]))
		return
	}
	r.run(tape, b.In[:k], false, func(t *Tape, x []*Tensor) {
		y := r.f(t, x)
		for _, p := range r.params {
			x = append(x, t.Watch(p))
		}
		var wrt []*Tensor
		for i, v := range x {
			if b.Need(i) {
				wrt = append(wrt, v)
			}
		}
		g := t.Constant(b.G)
		g.buf = nil
		found := t.backward(y, g, wrt, false)
		for i := range x {
			if b.Need(i) {
				b.Set(i, tape.adopt(found[0], t))
				found = found[1:]
			}
		}
	})
}

// setLive sets gradients of y that can be differentiated again. y is the result, computed again on
// the tape.
func (b *back) setLive(y *Tensor) {
	var wrt []*Tensor
	var of []int
	for i, x := range b.In {
		first := true // an operand that is given twice gets both gradients at once
		for j := range i {
			first = first && !(b.Need(j) && b.Same(i, j))
		}
		if b.Need(i) && first {
			wrt, of = append(wrt, x), append(of, i)
		}
	}
	for k, g := range y.tape.backward(y, b.G, wrt, true) {
		b.Set(of[k], g)
	}
}

// inside returns a tape in the same arena for values that are computed within one operation.
func (t *Tape) inside() *Tape {
	if t.inner == nil {
		t.inner = &Tape{arena: t.arena, within: true, closed: true}
	}
	t.inner.closed = false
	t.inner.ctx = t.ctx
	return t.inner
}

// adopt takes a result of an inner tape, which may then be closed.
func (t *Tape) adopt(x *Tensor, from *Tape) *Tensor {
	if x.buf == nil { // memory that another operation may give back
		out := t.alloc(x.shape)
		copy(out.data, x.data)
		return out
	}
	out := t.header()
	*out = Tensor{data: x.data, shape: x.shape, tape: t, buf: x.buf}
	if b := x.buf; b.owner == from {
		b.owner = t
		b.refs = 0
		t.listed = append(t.listed, b)
		if b.transient = t.transient; t.transient {
			t.recent = append(t.recent, b)
		}
	}
	return out
}
