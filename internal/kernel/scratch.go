package kernel

import "sync"

// packBuf is the scratch memory of one call. It is on the heap because slices
// that go to a function value would escape from the stack one by one.
type packBuf struct {
	a, b []float32
	ids  []int32
	adam adamCoef
	keys []uint64
}

// packPool keeps scratch memory between calls, so that a steady state allocates
// nothing.
var packPool = sync.Pool{New: func() any { return new(packBuf) }}

// grow returns a slice of length n, reusing s if it is long enough. The contents
// are arbitrary.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
