package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// backScratch is the working memory of a backward pass, kept between steps.
type backScratch struct {
	need  []bool    // per entry: it depends on a tensor of wrt
	grads []*Tensor // per entry
	owned []bool    // per entry: the gradient is a sum made here, so terms may be added in place
	asked []bool    // per entry: it is one of wrt
	b     back
	in    []*Tensor
}

// Grad returns the gradients of the sum of y's elements with respect to each tensor of wrt. A
// gradient is zeros if y does not depend on the tensor. The results are constants: nothing is
// recorded.
func (t *Tape) Grad(y *Tensor, wrt ...*Tensor) []*Tensor { return t.backward(y, nil, wrt, false) }

// GradGraph is Grad with results that are on the tape and can be differentiated again.
func (t *Tape) GradGraph(y *Tensor, wrt ...*Tensor) []*Tensor { return t.backward(y, nil, wrt, true) }

// backward returns the vector-Jacobian product of y with seed; nil means ones. If live is set, the
// results are recorded as by GradGraph.
func (t *Tape) backward(y, seed *Tensor, wrt []*Tensor, live bool) []*Tensor {
	out := make([]*Tensor, len(wrt))
	if debug && t.closed {
		panic("tensor: use of a closed tape")
	}
	if y.node != 0 && y.tape != t {
		panic("tensor: gradient on another tape")
	}
	top := int(y.node) // entries [0,top)
	// Taken from the tape until the end, so that a nested call gets slices of its own.
	s := t.scratch
	t.scratch = nil
	if s == nil {
		s = &backScratch{}
	}
	s.need = resize(s.need, top)
	s.grads = resize(s.grads, top)
	s.owned = resize(s.owned, top)
	s.asked = resize(s.asked, top)
	low := top
	for _, w := range wrt {
		if w.node == 0 {
			panic("tensor: gradient with respect to a constant")
		}
		if w.tape != t {
			panic("tensor: gradient on another tape")
		}
		if i := int(w.node) - 1; i < top {
			s.need[i], s.asked[i] = true, true
			low = min(low, i)
		}
	}
	for i := low; i < top; i++ {
		if s.need[i] {
			continue
		}
		for _, x := range t.entries[i].in {
			if x != nil && x.node != 0 && s.need[x.node-1] {
				s.need[i] = true
				break
			}
		}
	}
	if top > 0 && s.need[top-1] {
		g := seed
		if g == nil {
			g = t.alloc(y.shape)
			for i := range g.data {
				g.data[i] = 1
			}
		}
		s.grads[top-1] = g
		if g.buf != nil {
			g.buf.refs++
		}
	}
	t.transient = !live
	for i := top - 1; i >= low; i-- {
		e := t.entries[i]
		g := s.grads[i]
		if g == nil || e.rule == nil {
			continue
		}
		t.recent = t.recent[:0]
		t.applyRule(s, e, g, live)
		if live {
			continue
		}
		// Temporaries of the rule and the gradient that it has read are given back at once. The
		// next rule finds their memory in cache.
		if !s.asked[i] {
			t.drop(g.buf)
			s.grads[i] = nil
		}
		for _, b := range t.recent {
			if b.refs == 0 {
				t.arena.put(b)
			}
		}
	}
	t.transient = false
	for k, w := range wrt {
		if i := int(w.node) - 1; i < top && s.grads[i] != nil {
			out[k] = s.grads[i]
		} else {
			out[k] = t.alloc(w.shape)
			clear(out[k].data)
		}
	}
	clear(s.grads)
	t.scratch = s
	return out
}

// applyRule computes the gradients of the operands of e and adds them up.
func (t *Tape) applyRule(s *backScratch, e entry, g *Tensor, live bool) {
	b := &s.b
	b.In, b.from, b.Out, b.G = e.in, e.in, e.out, g
	if !live {
		s.in = s.in[:0]
		for _, x := range e.in {
			if x != nil {
				x = x.Detach()
			}
			s.in = append(s.in, x)
		}
		b.In, b.Out = s.in, e.out.Detach()
	}
	b.scratch = nil
	if !live {
		b.scratch = s
	}
	b.need = resize(b.need, len(e.in))
	b.grads = resize(b.grads, len(e.in))
	for k, x := range e.in {
		b.need[k] = x != nil && x.node != 0 && s.need[x.node-1]
	}
	e.rule.grad(b)
	for k, x := range e.in {
		if b.need[k] && b.grads[k] != nil {
			t.accumulate(s, int(x.node)-1, x, b.grads[k], live)
		}
	}
}

func (t *Tape) accumulate(s *backScratch, i int, x, g *Tensor, live bool) {
	if g.shape != x.shape {
		mismatch("gradient", "the operand's shape", g, x)
	}
	have := s.grads[i]
	switch {
	case have == nil:
		s.grads[i] = g
		if g.buf != nil {
			g.buf.refs++
		}
	case !live && s.sole(i):
		l := t.arena.loop
		l.binary, l.dst, l.x, l.y = kernel.Add, have.data, have.data, g.data
		l.rows(have, len(have.data), elementGrain, binaryLoop)
	default:
		sum := have.Add(g)
		s.grads[i] = sum
		s.owned[i] = true
		if sum.buf != nil {
			sum.buf.refs++
		}
		if !live {
			t.drop(have.buf)
		}
	}
}

// sole reports whether no other gradient shares the buffer of the gradient of entry i. Terms may
// then be added to it in place.
func (s *backScratch) sole(i int) bool {
	buf := s.grads[i].buf
	return s.owned[i] || buf != nil && buf.refs == 1 && buf.transient
}

// drop releases one gradient's reference to a buffer. The last release gives the buffer back.
func (t *Tape) drop(b *buffer) {
	if b == nil {
		return
	}
	b.refs--
	if b.refs == 0 && b.transient {
		t.arena.put(b)
	}
}

// resize returns a zeroed slice of n elements, reusing s.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	s = s[:n]
	clear(s)
	return s
}
