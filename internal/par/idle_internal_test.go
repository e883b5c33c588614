package par

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
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

// A loop within a part of another loop gets help from helpers that are not in a part.
func TestNested(t *testing.T) {
	p := New(3)
	begins, done, late := make(chan struct{}), make(chan struct{}), time.After(30*time.Second)
	p.Do(func() {
		defer close(done)
		<-begins
		var begun atomic.Int32
		both := make(chan struct{})
		p.Rows(2, 1, func(int, int) {
			if begun.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
			case <-late:
				t.Error("the inner loop has no helper")
			}
		})
	}, func() {
		close(begins)
		<-done
	})
}
