package par_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// cover runs a loop and fails unless its ranges cover each number of [0,n) once. It returns the
// number of ranges.
func cover(t *testing.T, n int, loop func(f func(lo, hi int))) (ranges int) {
	t.Helper()
	var mu sync.Mutex
	seen := make([]int, n)
	loop(func(lo, hi int) {
		mu.Lock()
		defer mu.Unlock()
		ranges++
		if lo >= hi {
			t.Errorf("empty range [%d,%d)", lo, hi)
		}
		for i := lo; i < hi; i++ {
			seen[i]++
		}
	})
	for i, c := range seen {
		if c != 1 {
			t.Fatalf("row %d of %d visited %d times", i, n, c)
		}
	}
	return ranges
}

func TestRows(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		p := par.New(threads)
		for _, n := range []int{0, 1, 2, 7, 100} {
			for _, grain := range []int{-1, 0, 1, 3, 1000} {
				ranges := cover(t, n, func(f func(lo, hi int)) { p.Rows(n, grain, f) })
				if most := max(1, n/max(1, grain)); ranges > min(threads, most) {
					t.Errorf("%d threads, %d rows, grain %d: %d ranges", threads, n, grain, ranges)
				}
			}
		}
	}
}

func TestTiles(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 13, 14, 15, 100} {
			const tile = 14
			cover(t, n, func(f func(lo, hi int)) {
				par.New(threads).Tiles(n, tile, 1, func(lo, hi int) {
					if lo%tile != 0 || hi%tile != 0 && hi != n {
						t.Errorf("range [%d,%d) of %d rows", lo, hi, n)
					}
					f(lo, hi)
				})
			})
		}
	}
}

func TestBalanced(t *testing.T) {
	for _, ptr := range [][]int32{nil, {0}, {0, 0}, {5, 5, 9}, {0, 1000, 1001, 1002, 1003}, {0, 1, 2, 3, 1000}, {0, 0, 0, 0, 0, 7}} {
		for _, threads := range []int{1, 2, 3, 9} {
			cover(t, max(0, len(ptr)-1), func(f func(lo, hi int)) { par.New(threads).Balanced(ptr, 1, f) })
		}
	}
	// A hub must not share its range with many other rows.
	ptr := []int32{0}
	for i := range 1001 {
		size := int32(1)
		if i == 0 {
			size = 2000
		}
		ptr = append(ptr, ptr[i]+size)
	}
	par.New(2).Balanced(ptr, 1, func(lo, hi int) {
		if lo == 0 && hi > 10 {
			t.Errorf("the hub's range is [%d,%d)", lo, hi)
		}
	})
}

func TestDo(t *testing.T) {
	for _, threads := range []int{1, 2, 4} {
		for _, n := range []int{0, 1, 2, 9} {
			var calls atomic.Int32
			fs := make([]func(), n)
			for i := range fs {
				fs[i] = func() { calls.Add(1) }
			}
			par.New(threads).Do(fs...)
			if int(calls.Load()) != n {
				t.Errorf("%d threads: %d of %d functions called", threads, calls.Load(), n)
			}
		}
	}
}

func TestPanic(t *testing.T) {
	for _, at := range []int{0, 99} { // in the caller's range and in another range
		func() {
			defer func() {
				if r := recover(); r != "boom" {
					t.Errorf("recovered %v", r)
				}
			}()
			par.New(4).Rows(100, 1, func(lo, hi int) {
				if lo <= at && at < hi {
					panic("boom")
				}
			})
			t.Error("the panic got lost")
		}()
	}
}

func TestNilPool(t *testing.T) {
	var p *par.Pool
	if p.Threads() != 1 {
		t.Errorf("a nil pool has %d threads", p.Threads())
	}
	cover(t, 5, func(f func(lo, hi int)) { p.Rows(5, 1, f) })
	if par.New(0).Threads() < 1 {
		t.Error("no threads by default")
	}
}

// TestShared runs loops in several callers, some of them within a part of another loop, with the
// same helpers.
func TestShared(t *testing.T) {
	p := par.New(4)
	var callers sync.WaitGroup
	for range 6 {
		callers.Go(func() {
			for range 200 {
				var sum atomic.Int64
				p.Rows(8, 1, func(lo, hi int) {
					p.Rows(hi-lo, 1, func(a, b int) {
						for i := lo + a; i < lo+b; i++ {
							sum.Add(int64(i))
						}
					})
				})
				if sum.Load() != 28 {
					t.Errorf("sum %d, expected 28", sum.Load())
				}
			}
		})
	}
	callers.Wait()
}

func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	p := par.New(2)
	var sum [2]int
	f := func(lo, hi int) { sum[lo] += hi }
	if n := testing.AllocsPerRun(100, func() { p.Rows(2, 1, f) }); n > 0 {
		t.Errorf("a loop allocates %v times", n)
	}
}

func BenchmarkRows(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			p := par.New(threads)
			f := func(lo, hi int) {}
			for b.Loop() {
				p.Rows(2, 1, f)
			}
		})
	}
}
