package tensor

import (
	"context"
	"unsafe"
)

// Tape records operations in execution order, which makes the backward pass
// one reverse loop and fixes the order in which gradients are summed.
type Tape struct {
	arena   *Arena
	entries []entry
	in      []*Tensor // operands of all entries
	rules   ruleLists // rules of the entries that have constants
	listed  []*buffer // every buffer taken since the tape was opened
	recent  []*buffer // buffers that the current gradient rule has taken
	used    []*Tensor // headers to give back
	watched map[*Param]*Tensor
	order   []*Param // those watched, in the order of first use
	scratch *backScratch
	// transient is set during a first-order backward pass, in which buffers go
	// back to the arena as soon as no gradient needs them.
	transient bool
	closed    bool
	ctx       context.Context // nil for none; see SetContext
	inner     *Tape           // for Recompute, kept between steps
	within    bool            // this tape is one of these
	inert     bool            // nothing is recorded
}

// entry is one recorded operation.
type entry struct {
	out  *Tensor
	in   []*Tensor
	rule rule // nil for a variable
}

// interruption is the value with which the operations of a tape panic once its context
// has ended.
type interruption struct{ cause error }

// SetContext makes operations of the tape, gradient rules among them, give up once ctx has
// ended: they panic with a value that Catch turns into ctx.Err(). This holds until Close
// or the next call. A step may have minutes of work in it, so a check between steps is
// not enough; what a pass changes besides its tape is for the caller to restore.
func (t *Tape) SetContext(ctx context.Context) { t.ctx = ctx }

// Check gives up as operations do, for long work between them. Several goroutines may
// call it; it does nothing on a nil tape.
func (t *Tape) Check() {
	if t == nil || t.ctx == nil {
		return
	}
	if err := t.ctx.Err(); err != nil {
		panic(&interruption{err})
	}
}

// Watch puts a parameter on the tape, once: a second call returns the same
// tensor. Gradients are taken with respect to what Watch returns.
func (t *Tape) Watch(p *Param) *Tensor {
	if w, ok := t.watched[p]; ok {
		return w
	}
	if t.watched == nil {
		t.watched = map[*Param]*Tensor{}
	}
	w := t.Variable(p.Value)
	t.watched[p] = w
	t.order = append(t.order, p)
	return w
}

// Watched returns what Watch returned for p on this tape, or nil if p was not
// watched: then no value on the tape depends on it.
func (t *Tape) Watched(p *Param) *Tensor { return t.watched[p] }

// Variable puts the values of x on the tape as an independent variable.
func (t *Tape) Variable(x *Tensor) *Tensor {
	v := t.Constant(x)
	if !t.inert {
		t.record(v, nil, nil)
	}
	return v
}

// Constant binds the values of x to the tape's arena without recording: results
// computed from it take their buffers there.
func (t *Tape) Constant(x *Tensor) *Tensor {
	v := t.header()
	*v = Tensor{data: x.data, shape: x.shape, tape: t, buf: x.buf, sparse: x.sparse, weights: x.weights}
	return v
}

// Bind returns x if it belongs to a tape, and Constant(x) otherwise.
func (t *Tape) Bind(x *Tensor) *Tensor {
	if x.tape != nil {
		return x
	}
	return t.Constant(x)
}

// Threads is the number of threads of the tape's arena.
func (t *Tape) Threads() int { return t.arena.Threads() }

// Close gives every buffer back to the arena. Tensors computed on the tape are
// invalid afterwards.
func (t *Tape) Close() {
	if t.closed {
		return
	}
	for i, b := range t.listed {
		if b.owner == t { // else it was given back early and another tape has it
			b.owner = nil
			t.arena.put(b)
		}
		t.listed[i] = nil
	}
	t.listed = t.listed[:0]
	clear(t.recent)
	t.recent = t.recent[:0]
	clear(t.entries)
	t.entries = t.entries[:0]
	clear(t.in)
	t.in = t.in[:0]
	t.rules.reset()
	if !debug {
		for _, h := range t.used {
			*h = Tensor{} // so that it keeps no memory that the arena frees
		}
		t.arena.headers = append(t.arena.headers, t.used...)
	}
	clear(t.used)
	t.used = t.used[:0]
	clear(t.watched)
	clear(t.order)
	t.order = t.order[:0]
	t.transient = false // left set when a rule panicked
	t.ctx = nil
	t.closed = true
	if t.within {
		return
	}
	t.arena.settle()
	if !debug {
		t.arena.tape = t
	}
}

// header returns an uninitialised Tensor struct.
func (t *Tape) header() *Tensor {
	if t == nil {
		return &Tensor{}
	}
	if debug && t.closed {
		panic("tensor: use of a closed tape")
	}
	a := t.arena
	var h *Tensor
	if n := len(a.headers); n > 0 {
		h = a.headers[n-1]
		a.headers = a.headers[:n-1]
	} else {
		h = &Tensor{}
	}
	t.used = append(t.used, h)
	return h
}

// alloc returns a tensor with unspecified contents.
func (t *Tape) alloc(s shape) *Tensor {
	n := s.size()
	if t == nil {
		return &Tensor{data: make([]float32, n), shape: s}
	}
	t.Check()
	h := t.header()
	b := t.arena.get(n)
	if b.owner != t {
		b.owner = t
		t.listed = append(t.listed, b)
	}
	b.transient = t.transient
	if t.transient {
		t.recent = append(t.recent, b)
	}
	*h = Tensor{data: b.data[:n:n], shape: s, tape: t, buf: b}
	return h
}

// borrow returns scratch memory with unspecified contents, which the operation
// gives back with giveBack before it returns.
func (t *Tape) borrow(n int) *buffer {
	if t == nil {
		return &buffer{data: make([]float32, n)}
	}
	return t.arena.get(n)
}

// Ints returns n numbers with unspecified contents in the tape's memory, valid
// until Close, or on the heap for a nil tape. Structure that is rebuilt in every
// step, such as that of a graph with dropped edges, then costs no allocation.
func (t *Tape) Ints(n int) []int32 {
	if t == nil || n == 0 {
		return make([]int32, n)
	}
	b := t.arena.get(n)
	// Not transient: what a gradient rule takes here may outlive the rule.
	b.transient = false
	if b.owner != t {
		b.owner = t
		t.listed = append(t.listed, b)
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b.data))), n)
}

// floats is Ints for float32.
func (t *Tape) floats(n int) []float32 {
	ids := t.Ints(n)
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(ids))), n)
}

// New returns a constant with unspecified contents in the tape's memory, valid
// until Close, or on the heap for a nil tape.
func (t *Tape) New(dims ...int) *Tensor {
	s := makeShape("New", dims)
	return &Tensor{data: t.floats(s.size()), shape: s}
}

func (t *Tape) giveBack(b *buffer) {
	if t != nil {
		t.arena.put(b)
	}
}

// TapeOf is the tape whose memory x lives in, or nil.
func TapeOf(x *Tensor) *Tape {
	if x == nil {
		return nil
	}
	return x.tape
}

// Like returns a constant of x's shape in the tape's memory, with unspecified
// contents.
func (t *Tape) Like(x *Tensor) *Tensor { return t.alloc(x.shape) }

// Full returns a constant with every element v, in the tape's memory.
func (t *Tape) Full(v float32, dims ...int) *Tensor {
	x := t.alloc(makeShape("Full", dims))
	for i := range x.data {
		x.data[i] = v
	}
	return x
}

func (t *Tape) record(out *Tensor, r rule, in []*Tensor) {
	at := len(t.in)
	t.in = append(t.in, in...) // when the array grows, earlier entries keep the old one
	t.entries = append(t.entries, entry{out: out, in: t.in[at:len(t.in):len(t.in)], rule: r})
	out.node = int32(len(t.entries))
}

// tapeOf returns the tape of the operands, which gives the result its memory, or
// nil when all are on the heap.
func tapeOf(ts ...*Tensor) *Tape {
	var tape *Tape
	for _, t := range ts {
		if t == nil || t.tape == nil || t.tape == tape {
			continue
		}
		if tape != nil {
			panic("tensor: operands on two tapes")
		}
		tape = t.tape
	}
	return tape
}
