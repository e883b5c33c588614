// Package par runs loops over row ranges on a fixed number of threads.
//
// Loops are divided by their outputs: one goroutine computes each range, and no value depends on
// the bounds of ranges, so a result is the same to the bit for any number of threads. No sums are
// accumulated atomically. A panic in a worker is carried to the caller, because tensor operations
// panic on wrong shapes and a panic in another goroutine would end the process.
package par

import "runtime"

// Pool is the number of threads of a loop. The zero value and nil mean one: the loop runs in the
// caller. A Pool has no goroutines, so it needs no closing and can be shared.
type Pool struct{ threads int }

// New returns a pool of the given number of threads. Zero or less means all processors that the
// runtime uses.
func New(threads int) *Pool {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Pool{threads: threads}
}

// Threads returns the number of threads, at least 1.
func (p *Pool) Threads() int {
	if p == nil || p.threads < 1 {
		return 1
	}
	return p.threads
}

// Rows calls f on disjoint ranges [lo,hi) that together cover [0,n). A range has at least grain
// rows, so small loops run in the caller. grain should be so large that one range takes about ten
// microseconds.
func (p *Pool) Rows(n, grain int, f func(lo, hi int)) {
	p.split(n, n, 1, grain, nil, evenly, f)
}

// Tiles is Rows with every boundary except the last at a multiple of tile, for kernels that work on
// blocks of rows.
func (p *Pool) Tiles(n, tile, grain int, f func(lo, hi int)) {
	p.split((n+tile-1)/tile, n, tile, (grain+tile-1)/tile, nil, evenly, f)
}

// evenly returns the first row of part i, for parts with equal numbers of tiles.
func evenly(j *job, i int) int {
	blocks := (j.n + j.tile - 1) / j.tile
	return min(blocks*i/j.parts*j.tile, j.n)
}

// Balanced divides rows into ranges with about equal numbers of entries plus rows. Row i has
// ptr[i+1]-ptr[i] entries. With equal numbers of rows, a hub of a power-law graph would leave
// threads idle. grain counts entries.
func (p *Pool) Balanced(ptr []int32, grain int, f func(lo, hi int)) {
	if n := len(ptr) - 1; n > 0 {
		p.split(weight(ptr, n), n, 1, grain, ptr, byWeight, f)
	}
}

// weight returns the number of rows before i plus the number of their entries.
func weight(ptr []int32, i int) int { return int(ptr[i]-ptr[0]) + i }

// byWeight returns the first row of part i: the first row whose weight reaches the i-th share.
func byWeight(j *job, i int) int {
	if i == j.parts {
		return j.n
	}
	want := weight(j.ptr, j.n) * i / j.parts
	lo, hi := 0, j.n
	for lo < hi {
		mid := (lo + hi) / 2
		if weight(j.ptr, mid) < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// split runs f over n rows in as many parts as the amount of work allows. work is counted like
// grain.
func (p *Pool) split(work, n, tile, grain int, ptr []int32, bound func(*job, int) int, f func(lo, hi int)) {
	parts := min(p.Threads(), work/max(grain, 1), maxParts)
	if parts <= 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	p.start(parts, n, tile, ptr, bound, f)
}

// start runs f over n rows in the given number of parts.
func (p *Pool) start(parts, n, tile int, ptr []int32, bound func(*job, int) int, f func(lo, hi int)) {
	j := jobs.Get().(*job)
	j.body, j.bound, j.n, j.tile, j.ptr, j.parts = f, bound, n, tile, ptr, parts
	j.run(min(p.Threads(), parts)-1, p.Threads()-1)
}

// Do runs the functions in parallel, at most Threads at a time, and waits for them.
func (p *Pool) Do(fs ...func()) {
	if p.Threads() == 1 || len(fs) <= 1 {
		for _, f := range fs {
			f()
		}
		return
	}
	p.start(min(len(fs), maxParts), len(fs), 1, nil, evenly, func(lo, hi int) {
		for _, f := range fs[lo:hi] {
			f()
		}
	})
}
