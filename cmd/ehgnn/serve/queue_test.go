package serve

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn"
)

// blocked returns a queue with one worker, which waits until the test releases it.
func blocked(t *testing.T, limit int) (q *queue, release func(), sizes func() []int) {
	t.Helper()
	var mu sync.Mutex
	var all []int
	q = newQueue(t.Context(), 1, limit, func(n int, _ time.Duration) { mu.Lock(); all = append(all, n); mu.Unlock() }, func(err error) { t.Log(err) })
	t.Cleanup(q.close)
	gate, begun := make(chan bool), make(chan bool)
	go q.submit(&call{ctx: context.Background(), do: func(context.Context) error { close(begun); <-gate; return nil }}, false)
	<-begun
	return q, sync.OnceFunc(func() { close(gate) }), func() []int { mu.Lock(); defer mu.Unlock(); return all }
}

// waiting waits until a number of calls are queued.
func waiting(t *testing.T, q *queue, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		q.mu.Lock()
		have := len(q.calls)
		q.mu.Unlock()
		if have == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d calls wait, expected %d", have, n)
		}
	}
}

// inputs are graphs of the run.
func inputsOf(t *testing.T, run *loaded, n int) []*ehgnn.Input {
	t.Helper()
	d := newDecoder(run, ordinary)
	d.reset([]byte(triangle))
	g, p := d.line()
	if p != nil {
		t.Fatal(p)
	}
	in, p := run.check(g)
	if p != nil {
		t.Fatal(p)
	}
	out := make([]*ehgnn.Input, n)
	for i := range out {
		out[i] = in
	}
	return out
}

// Waiting calls are computed together, up to 32 graphs, and clients take turns.
func TestBatch(t *testing.T) {
	run := loadRuns(t, ordinary, ringsDir(t))[0].now.Load()
	q, release, sizes := blocked(t, 64)
	var wg sync.WaitGroup
	var answered atomic.Int32
	for k, n := range []int{50, 3, 1, 2} {
		wg.Go(func() {
			c := &call{ctx: t.Context(), run: run, inputs: inputsOf(t, run, n)}
			if p := q.submit(c, false); p != nil {
				t.Error(p)
			}
			for _, p := range c.predictions {
				if p.Class != "" {
					answered.Add(1)
				}
			}
		})
		waiting(t, q, k+1)
	}
	release()
	wg.Wait()
	if got := sizes(); answered.Load() != 56 || len(got) != 3 || got[1] != 32 || got[2] != 24 {
		t.Errorf("%d answered, in batches of %v, want 56 in 32 and 24 behind the first", answered.Load(), got)
	}
}

// Graphs that a worker can compute one by one are not computed together if this would exceed the
// memory limit.
func TestBatchMemory(t *testing.T) {
	run := loadRuns(t, ordinary, ringsDir(t))[0].now.Load()
	inputs := inputsOf(t, run, 10)
	run.limits.Memory = 3.5 * inputs[0].Cost()
	q, release, sizes := blocked(t, 64)
	done := make(chan *call)
	go func() {
		c := &call{ctx: t.Context(), run: run, inputs: inputs}
		q.submit(c, false)
		done <- c
	}()
	waiting(t, q, 1)
	release()
	c := <-done
	if got := fmt.Sprint(sizes()[1:]); got != "[3 3 3 1]" || c.predictions[9].Class == "" {
		t.Errorf("batches of %s, want [3 3 3 1]", got)
	}
}

// Nothing is computed for clients that have gone. A full queue gives an error, and so does a call that waits too long.
func TestQueueEnds(t *testing.T) {
	run := loadRuns(t, ordinary, ringsDir(t))[0].now.Load()
	q, release, sizes := blocked(t, 2)
	gone, leave := context.WithCancel(t.Context())
	short, expire := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if p := q.submit(&call{ctx: gone, run: run, inputs: inputsOf(t, run, 1)}, false); p == nil {
			t.Error("a caller who has gone is answered")
		}
	})
	waiting(t, q, 1)
	wg.Go(func() {
		if p := q.submit(&call{ctx: short, run: run, inputs: inputsOf(t, run, 1)}, false); p == nil || p.Status != http.StatusGatewayTimeout {
			t.Errorf("%v, want status 504", p)
		}
	})
	waiting(t, q, 2)
	if p := q.submit(&call{ctx: t.Context(), run: run, inputs: inputsOf(t, run, 1)}, false); p == nil || p.Status != http.StatusServiceUnavailable {
		t.Errorf("%v, want status 503", p)
	}
	leave()
	expire(context.DeadlineExceeded)
	wg.Wait()
	last := &call{ctx: t.Context(), run: run, inputs: inputsOf(t, run, 1)}
	wg.Go(func() {
		if p := q.submit(last, false); p != nil { // now there is room
			t.Error(p)
		}
	})
	waiting(t, q, 1)
	release()
	wg.Wait()
	if got := sizes(); len(got) != 2 || got[1] != 1 || last.predictions[0].Class == "" {
		t.Errorf("%v and %+v, want one batch of 1 graph", got, last.predictions)
	}
}

// A panic in the model fails one request and no other.
func TestDefect(t *testing.T) {
	q := newQueue(t.Context(), 1, 8, func(int, time.Duration) {}, func(err error) { t.Log(err.Error()[:30]) })
	defer q.close()
	c := &call{ctx: t.Context(), do: func(context.Context) error { panic("as it should not") }}
	if p := q.submit(c, false); p != nil || c.problems[0].Status != http.StatusInternalServerError {
		t.Errorf("%v, %v", p, c.problems)
	}
	run := loadRuns(t, ordinary, ringsDir(t))[0].now.Load()
	c = &call{ctx: t.Context(), run: run, inputs: inputsOf(t, run, 1)}
	if p := q.submit(c, false); p != nil || c.predictions[0].Class == "" {
		t.Errorf("%v, %+v", p, c.predictions)
	}
}
