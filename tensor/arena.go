package tensor

import (
	"math"
	"math/bits"

	"github.com/ehgnn/ehgnn/internal/par"
)

// Arena owns the buffers of a training or inference loop and says how many
// threads its operations use. It is used by one goroutine at a time; several
// loops side by side have an arena each.
type Arena struct {
	pool    *par.Pool
	free    map[int][]*buffer
	headers []*Tensor
	loop    *loop
	tape    *Tape // the last closed one, for reuse
	bytes   int64 // held, free or in use
	inUse   int64
	peak    int64 // the most in use since the last tape was closed
	needed  int64 // a slowly falling maximum of the peaks
	step    int   // tapes closed
}

// buffer is a piece of memory that goes back and forth between free list and
// tape. refs counts the gradients that a backward pass still holds in it.
type buffer struct {
	data  []float32 // full capacity of the size class
	step  int       // of its last use
	inUse bool
	owner *Tape // the tape whose Close gives it back
	refs  int
	// transient: given out by a first-order backward pass, which may take it
	// back before the tape is closed. Forward values never are.
	transient bool
}

// NewArena returns an empty arena whose operations run on the given number of
// threads; zero or less means all processors. Results do not depend on it.
func NewArena(threads int) *Arena {
	return &Arena{pool: par.New(threads), free: map[int][]*buffer{}, loop: newLoop()}
}

// Threads is the number of threads operations may use.
func (a *Arena) Threads() int { return a.pool.Threads() }

// Bytes is the memory the arena holds, in use or free.
func (a *Arena) Bytes() int64 { return a.bytes }

// Tape starts a tape. At most one tape of an arena should be open at a time if
// memory is to be reused; more than one is correct.
func (a *Arena) Tape() *Tape {
	t := a.tape
	a.tape = nil
	if t == nil {
		t = &Tape{arena: a}
	}
	t.closed = false
	return t
}

// sizeClass rounds up to an eighth of a power of two, which wastes at most an
// eighth and lets batches of slightly different size share buffers.
func sizeClass(n int) int {
	if n <= 64 {
		return 64
	}
	step := 1 << max(bits.Len(uint(n-1))-4, 4)
	return (n + step - 1) / step * step
}

func (a *Arena) get(n int) *buffer {
	class := sizeClass(n)
	b := a.take(class)
	if b == nil {
		a.makeRoom(4 * int64(class))
		a.bytes += 4 * int64(class)
		b = &buffer{data: make([]float32, class)}
	}
	b.inUse, b.step = true, a.step
	a.inUse += 4 * int64(len(b.data))
	a.peak = max(a.peak, a.inUse)
	return b
}

// take returns a free buffer of at least the class and at most twice its size,
// the smallest there is, or nil: batches differ in size, and a buffer made for
// a large one serves a smaller one as well.
func (a *Arena) take(class int) *buffer {
	for c := class; c <= 2*class; c = sizeClass(c + 1) {
		if list := a.free[c]; len(list) > 0 {
			last := len(list) - 1
			b := list[last]
			list[last] = nil
			a.free[c] = list[:last]
			return b
		}
	}
	return nil
}

func (a *Arena) put(b *buffer) {
	if !b.inUse {
		return
	}
	b.inUse = false
	b.refs = 0
	a.inUse -= 4 * int64(len(b.data))
	if debug {
		for i := range b.data {
			b.data[i] = float32(math.NaN())
		}
	}
	class := len(b.data)
	a.free[class] = append(a.free[class], b)
}

// Limits on what an arena keeps for later steps.
const (
	idleSteps = 32 // a buffer unused for this many steps may go
	slack     = 4  // but only when more than a quarter over the need is held
)

// makeRoom is called before size more bytes are held: where batches differ much in
// size, the buffers of each size would add up to several times the need. It lets
// those go that have been unused for longest.
func (a *Arena) makeRoom(size int64) {
	need := max(a.needed, a.inUse+size)
	for a.bytes+size > need+need/slack {
		oldest, at := 0, 0
		var b *buffer
		for class, list := range a.free {
			for i, x := range list {
				// Of those unused for equally long the largest, whatever order the map
				// gives the classes in.
				if b == nil || x.step < b.step || x.step == b.step && class > oldest {
					oldest, at, b = class, i, x
				}
			}
		}
		if b == nil {
			return
		}
		list := a.free[oldest]
		list[at] = list[len(list)-1]
		list[len(list)-1] = nil
		a.free[oldest] = list[:len(list)-1]
		a.bytes -= 4 * int64(len(b.data))
	}
}

// settle is called when a tape is closed: it lets go of buffers that the recent
// steps had no use for, so that one outsized batch does not cost memory for the
// rest of the run.
func (a *Arena) settle() {
	a.step++
	a.needed = max(a.peak, a.needed-a.needed/128)
	a.peak = a.inUse
	if a.bytes <= a.needed+a.needed/slack {
		return
	}
	for class, list := range a.free {
		kept := list[:0]
		for _, b := range list {
			if a.step-b.step < idleSteps {
				kept = append(kept, b)
			} else {
				a.bytes -= 4 * int64(len(b.data))
			}
		}
		clear(list[len(kept):])
		a.free[class] = kept
	}
}
