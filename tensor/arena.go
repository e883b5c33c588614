package tensor

import (
	"math"
	"math/bits"
	"sync"

	"github.com/ehgnn/ehgnn/internal/par"
)

// Arena owns the buffers of a training or inference loop and sets how many threads its operations
// use. One goroutine uses it at a time. Each of several loops in parallel needs an arena of its
// own.
type Arena struct {
	pool    *par.Pool
	free    map[int][]*buffer
	headers []*Tensor
	loop    *loop
	tape    *Tape // the last closed tape, for reuse
	bytes   int64 // bytes in buffers, free or in use
	inUse   int64
	peak    int64 // the most bytes in use since the last tape was closed
	needed  int64 // maximum of the peaks, decaying slowly
	step    int   // number of closed tapes

	lock    sync.Mutex
	workers []*Arena // idle arenas of one thread each, for CheckpointRows
}

// buffer is a piece of memory, in use by a tape or on a free list. refs counts the
// gradients stored in it that a running backward pass still needs.
type buffer struct {
	data  []float32 // full capacity of the size class
	step  int       // step of its last use
	inUse bool
	owner *Tape // the tape whose Close gives it back
	refs  int
	// transient: taken by a first-order backward pass, which may return the buffer before the tape
	// is closed. Buffers of forward values are never transient.
	transient bool
}

// NewArena returns an empty arena whose operations run on the given number of
// threads; zero or less means all processors. Results do not depend on it.
func NewArena(threads int) *Arena {
	return &Arena{pool: par.New(threads), free: map[int][]*buffer{}, loop: newLoop()}
}

// worker returns an arena of one thread. release takes it back. Several goroutines may call both.
func (a *Arena) worker() *Arena {
	a.lock.Lock()
	defer a.lock.Unlock()
	k := len(a.workers) - 1
	if k < 0 {
		return NewArena(1)
	}
	w := a.workers[k]
	a.workers = a.workers[:k]
	return w
}

func (a *Arena) release(w *Arena) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.workers = append(a.workers, w)
}

// Threads is the number of threads operations may use.
func (a *Arena) Threads() int { return a.pool.Threads() }

// Bytes is the memory the arena holds, in use or free.
func (a *Arena) Bytes() int64 { return a.bytes }

// Tape starts a tape. Buffers are reused well if at most one tape of an arena is open at a time.
// More open tapes give correct results.
func (a *Arena) Tape() *Tape {
	t := a.tape
	a.tape = nil
	if t == nil {
		t = &Tape{arena: a}
	}
	t.closed = false
	return t
}

// sizeClass rounds up to an eighth of a power of two. This wastes at most an eighth and lets
// batches of slightly different size share buffers.
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

// take returns the smallest free buffer that has at least the class and at most twice its size, or
// nil. So a smaller batch can reuse the buffers of a larger one.
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
	idleSteps = 32 // a buffer unused for this many steps may be freed
	slack     = 4  // but only while the arena has more than 1+1/slack times the needed bytes
)

// makeRoom frees the least recently used buffers of earlier steps before size more bytes are
// allocated. Otherwise batches of very different sizes would leave buffers of every size, several
// times the need in total.
func (a *Arena) makeRoom(size int64) {
	need := max(a.needed, a.inUse+size)
	for a.bytes+size > need+need/slack {
		oldest, at := 0, 0
		var b *buffer
		for class, list := range a.free {
			for i, x := range list {
				if x.step == a.step { // tensors of the open tape still refer to it
					continue
				}
				// Of equally old buffers it frees the largest, so that the order of the map does
				// not matter.
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

// settle runs when a tape is closed. It frees buffers that recent steps did not use, so that one
// very large batch does not use memory for the rest of the run.
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
