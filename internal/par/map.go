package par

import (
	"context"
	"sync/atomic"
)

// Map calls f for each item, on the given number of threads or, if it is 0, on all processors. Each
// thread handles one item at a time. It suits items with different costs that share no memory.
// Results are in the order of the items. After ctx has ended, Map starts no more calls and returns
// the error of ctx.
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
