package tablefile

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ehgnn/ehgnn/data"
)

// allocator is the memory of the decoders of one typed file. It charges the budget, and refuses
// more than a share of it, because pages of a small file may claim any decompressed size.
type allocator struct {
	memory.GoAllocator
	budget *data.Budget
	most   int64        // bytes in use at a time
	used   int64        // as charged; freed is not subtracted yet
	freed  atomic.Int64 // a finalizer may free memory, but only one goroutine may use the budget
	err    error        // of the first refusal
}

// refusal is the panic value of the allocator, whose interface has no errors.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func newAllocator(b *data.Budget, fileBytes int64) *allocator {
	return &allocator{budget: b, most: b.Unpacked(fileBytes)}
}

// Allocate implements memory.Allocator.
func (a *allocator) Allocate(size int) []byte {
	a.charge(int64(size))
	return a.GoAllocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	a.charge(int64(size))
	a.freed.Add(int64(cap(b)))
	return a.GoAllocator.Reallocate(size, b)
}

// Free implements memory.Allocator.
func (a *allocator) Free(b []byte) { a.freed.Add(int64(cap(b))) }

// charge charges n bytes or panics with a refusal.
func (a *allocator) charge(n int64) {
	a.returnFreed()
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

// allows returns the error of n more bytes.
func (a *allocator) allows(n int64) error {
	if n < 0 {
		return fmt.Errorf("%w: a size of %d bytes", data.ErrTooLarge, n)
	}
	if n > a.most-a.used {
		return a.budget.TooMuch("pages and rows that are unpacked at a time take more")
	}
	return nil
}

// returnFreed returns freed memory to the budget.
func (a *allocator) returnFreed() {
	n := a.freed.Swap(0)
	a.used -= n
	a.budget.Release(n)
}

// close returns all memory to the budget.
func (a *allocator) close() {
	a.returnFreed()
	a.budget.Release(a.used)
	a.used = 0
}
