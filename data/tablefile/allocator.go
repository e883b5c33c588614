package tablefile

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ehgnn/ehgnn/data"
)

// allocator is the memory of the decoders of one typed file. It charges the budget, and it refuses
// more than a share of it: pages of a small file may say that they unpack to any size.
type allocator struct {
	memory.GoAllocator
	budget *data.Budget
	most   int64        // bytes in use at a time
	used   int64        // as charged; freed is not taken off yet
	freed  atomic.Int64 // a finalizer may free, while the budget belongs to one goroutine
	err    error        // of the first refusal
}

// refusal is what the allocator panics with, as its interface has no errors.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func newAllocator(b *data.Budget, fileBytes int64) *allocator {
	return &allocator{budget: b, most: b.Unpacked(fileBytes)}
}

// Allocate is of memory.Allocator.
func (a *allocator) Allocate(size int) []byte {
	a.charge(int64(size))
	return a.GoAllocator.Allocate(size)
}

// Reallocate is of memory.Allocator.
func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	a.charge(int64(size))
	a.freed.Add(int64(cap(b)))
	return a.GoAllocator.Reallocate(size, b)
}

// Free is of memory.Allocator.
func (a *allocator) Free(b []byte) { a.freed.Add(int64(cap(b))) }

// charge takes n bytes or panics with a refusal.
func (a *allocator) charge(n int64) {
	a.settle()
	err := a.allows(n)
	if err == nil {
		err = a.budget.Charge(n, "batches of rows")
		a.used += n
	}
	if err != nil {
		if a.err == nil {
			a.err = err
		}
		panic(refusal{err})
	}
}

// allows is the error of n bytes more.
func (a *allocator) allows(n int64) error {
	if n < 0 {
		return fmt.Errorf("%w: a size of %d bytes", data.ErrTooLarge, n)
	}
	if n > a.most-a.used {
		return a.budget.TooMuch("pages and rows that are unpacked at a time take more")
	}
	return nil
}

// settle gives back what was freed.
func (a *allocator) settle() {
	n := a.freed.Swap(0)
	a.used -= n
	a.budget.Release(n)
}

// close gives back everything.
func (a *allocator) close() {
	a.settle()
	a.budget.Release(a.used)
	a.used = 0
}
