// Package par runs loops over row ranges on a fixed number of threads.
//
// Everything here partitions *outputs*: each range is handed to exactly one
// goroutine and no range depends on how many threads there are for its value,
// so a result is the same to the bit for any thread count. Nothing is atomic
// in the numeric path. A panic in a worker is carried to the caller, because
// the engine reports shape bugs by panicking and a panic in a bare goroutine
// would end the process.
package par

import (
	"runtime"
	"sync"
)

// Pool says how many threads a loop may use. The zero value and nil mean one:
// the loop runs in the caller. A Pool holds no goroutines, so it needs no
// closing and can be shared.
type Pool struct{ threads int }

// New returns a pool of the given number of threads; zero or less means all
// processors the runtime uses.
func New(threads int) *Pool {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Pool{threads: threads}
}

// Threads is the number of threads, at least 1.
func (p *Pool) Threads() int {
	if p == nil || p.threads < 1 {
		return 1
	}
	return p.threads
}

// Rows calls f on disjoint ranges [lo,hi) that together cover [0,n). Ranges
// hold at least grain rows, so small loops stay in the caller; choose grain so
// that one range is worth some ten microseconds.
func (p *Pool) Rows(n, grain int, f func(lo, hi int)) {
	parts := p.parts(n, grain)
	if parts <= 1 {
		if n > 0 {
			f(0, n)
		}
		return
	}
	run(parts, func(i int) { f(n*i/parts, n*(i+1)/parts) })
}

// Tiles is Rows with every boundary but the last a multiple of tile, for
// kernels that work on blocks of rows.
func (p *Pool) Tiles(n, tile, grain int, f func(lo, hi int)) {
	blocks := (n + tile - 1) / tile
	p.Rows(blocks, (grain+tile-1)/tile, func(lo, hi int) { f(lo*tile, min(hi*tile, n)) })
}

// Balanced splits rows so that each range holds about the same number of
// entries plus rows, where row i has ptr[i+1]-ptr[i] entries: a hub of a
// power-law graph must not leave a thread idle. grain counts entries.
func (p *Pool) Balanced(ptr []int32, grain int, f func(lo, hi int)) {
	n := len(ptr) - 1
	if n <= 0 {
		return
	}
	weight := func(i int) int { return int(ptr[i]-ptr[0]) + i }
	total := weight(n)
	parts := p.parts(total, grain)
	if parts <= 1 {
		f(0, n)
		return
	}
	bound := func(i int) int { // first row whose weight reaches the i-th share
		want := total * i / parts
		lo, hi := 0, n
		for lo < hi {
			mid := (lo + hi) / 2
			if weight(mid) < want {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	run(parts, func(i int) {
		lo, hi := bound(i), bound(i+1)
		if i == parts-1 {
			hi = n
		}
		if lo < hi {
			f(lo, hi)
		}
	})
}

// Do runs the functions side by side, at most Threads at once, and waits.
func (p *Pool) Do(fs ...func()) {
	if p.Threads() == 1 || len(fs) <= 1 {
		for _, f := range fs {
			f()
		}
		return
	}
	sem := make(chan struct{}, p.Threads())
	run(len(fs), func(i int) {
		sem <- struct{}{}
		defer func() { <-sem }()
		fs[i]()
	})
}

func (p *Pool) parts(n, grain int) int {
	return min(p.Threads(), n/max(grain, 1))
}

// run executes parts 1.. in goroutines and part 0 in the caller.
func run(parts int, f func(i int)) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		cause any
	)
	guarded := func(i int) {
		defer func() {
			if r := recover(); r != nil {
				mu.Lock()
				if cause == nil {
					cause = r
				}
				mu.Unlock()
			}
		}()
		f(i)
	}
	wg.Add(parts - 1)
	for i := 1; i < parts; i++ {
		go func() {
			defer wg.Done()
			guarded(i)
		}()
	}
	guarded(0)
	wg.Wait()
	if cause != nil {
		panic(cause)
	}
}
