package par

import (
	"context"
	"sync/atomic"
)

// Map calls f with each item, one at a time on each of the given number of threads, all of
// them when 0: for items whose cost differs and that need no sharing of memory. Results are
// in the order of the items. Once ctx has ended no more are begun, and the error is its.
func Map[T, R any](ctx context.Context, threads int, items []T, f func(T) R) ([]R, error) {
	out := make([]R, len(items))
	var next atomic.Int64
	pool := New(threads)
	workers := make([]func(), min(pool.Threads(), len(items)))
	for w := range workers {
		workers[w] = func() {
			for i := next.Add(1) - 1; int(i) < len(items) && ctx.Err() == nil; i = next.Add(1) - 1 {
				out[i] = f(items[i])
			}
		}
	}
	pool.Do(workers...)
	return out, ctx.Err()
}
