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
	tape    *Tape // the last closed one, for reuse
	bytes   int64
}

// buffer is a piece of memory that goes back and forth between free list and
// tape. refs counts the gradients that a backward pass still holds in it.
type buffer struct {
	data  []float32 // full capacity of the size class
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
	return &Arena{pool: par.New(threads), free: map[int][]*buffer{}}
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
	list := a.free[class]
	if len(list) > 0 {
		b := list[len(list)-1]
		a.free[class] = list[:len(list)-1]
		b.inUse = true
		return b
	}
	a.bytes += 4 * int64(class)
	return &buffer{data: make([]float32, class), inUse: true}
}

func (a *Arena) put(b *buffer) {
	if !b.inUse {
		return
	}
	b.inUse = false
	b.refs = 0
	if debug {
		for i := range b.data {
			b.data[i] = float32(math.NaN())
		}
	}
	class := len(b.data)
	a.free[class] = append(a.free[class], b)
}
