package tensor

import (
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Index is an immutable map from k rows to n slots, for example from nodes to their graphs, or from
// edges to their source nodes. The opposite direction, the rows of each slot, is built on first use
// and cached. Gather and SegmentSum over the same Index are each other's gradient.
type Index struct {
	ids    []int32
	n      int
	sorted bool
	once   sync.Once
	ptr    []int32 // rows of slot i are perm[ptr[i]:ptr[i+1]], ascending
	perm   []int32 // nil when ids is sorted: rows are already in slot order
	tape   *Tape   // owner of the memory of ptr and perm; nil for the heap
}

// NewIndex checks that every id is in [0,n). It keeps the slice, which must not change afterwards.
func NewIndex(ids []int32, n int) (*Index, error) {
	sorted := true
	for i, id := range ids {
		if id < 0 || int(id) >= n {
			return nil, fmt.Errorf("tensor: index: row %d has id %d, expected 0 to %d", i, id, n-1)
		}
		if i > 0 && id < ids[i-1] {
			sorted = false
		}
	}
	return &Index{ids: ids, n: n, sorted: sorted}, nil
}

// MustIndex is NewIndex for ids that are known to be in range. It panics otherwise.
func MustIndex(ids []int32, n int) *Index {
	ix, err := NewIndex(ids, n)
	if err != nil {
		panic(err)
	}
	return ix
}

// Index is MustIndex for an index that takes its memory from the tape. It is valid until Close, and
// only the tape's goroutine may use it.
func (t *Tape) Index(ids []int32, n int) *Index {
	ix := MustIndex(ids, n)
	ix.tape = t
	return ix
}

// IndexWithSegments is an index for which the caller already has ptr and perm, as Segments returns
// them. Nothing is checked or copied.
func IndexWithSegments(ids []int32, n int, ptr, perm []int32) *Index {
	ix := &Index{ids: ids, n: n, ptr: ptr, perm: perm, sorted: perm == nil}
	ix.once.Do(func() {})
	return ix
}

// Len is the number of rows.
func (ix *Index) Len() int { return len(ix.ids) }

// Slots is the number of slots, empty ones included.
func (ix *Index) Slots() int { return ix.n }

// IDs is the slot of each row; it must not be changed.
func (ix *Index) IDs() []int32 { return ix.ids }

// Segments returns the rows of each slot. Slot i has the rows perm[ptr[i]:ptr[i+1]], ascending.
// perm is nil if the ids are sorted; slot i then has the rows ptr[i] to ptr[i+1].
func (ix *Index) Segments() (ptr, perm []int32) {
	ix.once.Do(func() {
		ix.ptr = ix.tape.Ints(ix.n + 1)
		clear(ix.ptr)
		for _, id := range ix.ids {
			ix.ptr[id+1]++
		}
		for i := range ix.n {
			ix.ptr[i+1] += ix.ptr[i]
		}
		if ix.sorted {
			return
		}
		ix.perm = ix.tape.Ints(len(ix.ids))
		// Filling moves each pointer to that of the next slot. Moving the pointers back by one
		// restores them.
		for r, id := range ix.ids {
			ix.perm[ix.ptr[id]] = int32(r)
			ix.ptr[id]++
		}
		copy(ix.ptr[1:], ix.ptr[:ix.n])
		ix.ptr[0] = 0
	})
	return ix.ptr, ix.perm
}

// Counts is the number of rows of each slot.
func (ix *Index) Counts() []int32 {
	ptr, _ := ix.Segments()
	out := make([]int32, ix.n)
	for i := range out {
		out[i] = ptr[i+1] - ptr[i]
	}
	return out
}

func (ix *Index) segments() kernel.Segments {
	ptr, perm := ix.Segments()
	return kernel.Segments{Ptr: ptr, Perm: perm}
}
