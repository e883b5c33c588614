package par

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestIdle checks that sleeping helpers wake up for a loop.
func TestIdle(t *testing.T) {
	p := New(2)
	for range 5 {
		var rows atomic.Int64
		p.Rows(10, 1, func(lo, hi int) { rows.Add(int64(hi - lo)) })
		if rows.Load() != 10 {
			t.Errorf("%d rows visited, expected 10", rows.Load())
		}
		for _, h := range *workers.Load() {
			for !h.asleep.Load() {
				runtime.Gosched()
			}
		}
	}
}
