package tensor

import "github.com/ehgnn/ehgnn/internal/kernel"

// loop is one loop over the rows of a result with all data it reads and writes. An arena has one,
// which its operations use in turn. So starting a loop on several threads allocates nothing; a
// closure would be on the heap.
type loop struct {
	do   func(l *loop, lo, hi int) // the work on rows [lo,hi); captures nothing
	body func(lo, hi int)          // calls do with the loop; made once

	dst, x, y, z, w []float32
	d               int // columns
	unary           kernel.UnaryOp
	binary          kernel.BinaryOp
	a, b            float32
	ids             []int32
	seg             kernel.Segments
	gemm            kernel.Gemm
	spmm            kernel.SpMM
	sddmm           kernel.SDDMM
	hops            kernel.TwoHop
	exact           kernel.ExactSum
	messages        kernel.EdgeMessages
	dots            kernel.EdgeDots
	pairs           func(l *loop, sums []float32, lo, hi int) // of columnPairs; captures nothing
}

func newLoop() *loop {
	l := &loop{}
	l.body = func(lo, hi int) { l.do(l, lo, hi) }
	return l
}

// loopOf returns the loop for computing out. Its fields still have the values of the previous
// operation.
func loopOf(out *Tensor) *loop {
	if out.tape == nil {
		return newLoop()
	}
	return out.tape.arena.loop
}

// rows runs the loop over n rows on the threads that out may use.
func (l *loop) rows(out *Tensor, n, grain int, do func(l *loop, lo, hi int)) {
	l.do = do
	poolOf(out).Rows(n, grain, l.body)
}

// balanced runs the loop over the rows of ptr, with about the same number of
// entries for each thread.
func (l *loop) balanced(out *Tensor, ptr []int32, grain int, do func(l *loop, lo, hi int)) {
	l.do = do
	poolOf(out).Balanced(ptr, grain, l.body)
}

// over runs the loop over the rows of a.
func (l *loop) over(out *Tensor, a *Sparse, d int, do func(l *loop, lo, hi int)) {
	grain := segmentGrain/max(d, 1) + 1
	if a.Ptr != nil {
		l.balanced(out, a.Ptr, grain, do)
		return
	}
	l.rows(out, a.Rows, grain/(a.Width+1)+1, do)
}
