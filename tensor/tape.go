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
	order   []*Param // the watched parameters, in the order of first use
	scratch *backScratch
	// transient is set during a first-order backward pass. Buffers then go back to the arena as
	// soon as no gradient needs them.
	transient bool
	closed    bool
	ctx       context.Context // may be nil; see SetContext
	inner     *Tape           // for Checkpoint, reused in later steps
	within    bool            // this tape is an inner tape
	inert     bool            // nothing is recorded
}

// entry is one recorded operation.
type entry struct {
	out  *Tensor
	in   []*Tensor
	rule rule // nil for a variable
}

// interruption is the value with which the operations of a tape panic after its context has ended.
type interruption struct{ cause error }

// SetContext makes operations of the tape, including gradient rules, stop after ctx has ended: they
// panic with a value that Catch turns into ctx.Err(). This holds until Close or the next call. A
// check between steps is not enough, because a step may take minutes. The caller must restore what
// the pass changed outside the tape.
func (t *Tape) SetContext(ctx context.Context) { t.ctx = ctx }

// Check panics as operations do if the context has ended. Long work between operations calls it.
// Several goroutines may call it. It does nothing on a nil tape.
func (t *Tape) Check() {
	if t == nil || t.ctx == nil {
		return
	}
	if err := t.ctx.Err(); err != nil {
		panic(&interruption{err})
	}
}

// Watch puts a parameter on the tape, once: a second call returns the same tensor. Gradients are
// taken with respect to this tensor.
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

// Watched returns what Watch returned for p on this tape. It returns nil if p was not watched: then
// no value on the tape depends on p.
func (t *Tape) Watched(p *Param) *Tensor { return t.watched[p] }

// Variable puts the values of x on the tape as an independent variable.
func (t *Tape) Variable(x *Tensor) *Tensor {
	v := t.Constant(x)
	if !t.inert {
		t.record(v, nil, nil)
	}
	return v
}

// Constant binds the values of x to the tape's arena without recording. Results computed from it
// take their buffers from that arena.
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
		if b.owner == t { // otherwise it was given back early and another tape has it
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
			*h = Tensor{} // so that it refers to no memory that the arena frees
		}
		t.arena.headers = append(t.arena.headers, t.used...)
	}
	clear(t.used)
	t.used = t.used[:0]
	clear(t.watched)
	clear(t.order)
	t.order = t.order[:0]
	t.transient = false // stays set when a rule has panicked
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

// borrow returns scratch memory with unspecified contents. The operation gives it back with
// giveBack before it returns.
func (t *Tape) borrow(n int) *buffer {
	if t == nil {
		return &buffer{data: make([]float32, n)}
	}
	return t.arena.get(n)
}

// Ints returns n numbers with unspecified contents in the tape's memory, valid until Close. For a
// nil tape they are on the heap. A structure that is rebuilt in every step, such as a graph with
// dropped edges, then allocates nothing.
func (t *Tape) Ints(n int) []int32 {
	if t == nil || n == 0 {
		return make([]int32, n)
	}
	b := t.arena.get(n)
	// Not transient: a result of a gradient rule may need it after the rule.
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

// New returns a constant with unspecified contents in the tape's memory, valid until Close. For a
// nil tape it is on the heap.
func (t *Tape) New(dims ...int) *Tensor {
	s := makeShape("New", dims)
	return &Tensor{data: t.floats(s.size()), shape: s}
}

func (t *Tape) giveBack(b *buffer) {
	if t != nil {
		t.arena.put(b)
	}
}

// TapeOf returns the tape that owns the memory of x, or nil.
func TapeOf(x *Tensor) *Tape {
	if x == nil {
		return nil
	}
	return x.tape
}

// Like returns a constant of x's shape in the tape's memory, with unspecified contents.
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
	t.in = append(t.in, in...) // if the array grows, earlier entries keep the previous one
	t.entries = append(t.entries, entry{out: out, in: t.in[at:len(t.in):len(t.in)], rule: r})
	out.node = int32(len(t.entries))
}

// tapeOf returns the tape of the operands, which gives the result its memory. It is nil if all
// operands are on the heap.
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
