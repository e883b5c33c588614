package local

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// worker is the memory of a thread, which visits reuse.
type worker struct {
	scatter visit.Scatter
	nodes   []float32
	last    []float32
	rows    []float32
	result  visit.Result
}

// each calls f for 0 to n-1 in ascending order, on the given workers in parallel. After the first
// error, or once ctx has ended, it starts no more calls. A panic is raised again in the caller.
func each(ctx context.Context, workers []*worker, n int, f func(ctx context.Context, w *worker, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	g := par.Group{Stop: func() { stop(context.Canceled) }}
	for _, w := range workers[:min(len(workers), n)] {
		g.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(ctx, w, i); err != nil {
					stop(err)
				}
			}
		})
	}
	g.Wait()
	return context.Cause(ctx)
}

// queue makes visits with ascending numbers pass in their order.
type queue struct {
	mu   sync.Mutex
	turn *sync.Cond
	next int
}

func newQueue() *queue {
	q := &queue{}
	q.turn = sync.NewCond(&q.mu)
	return q
}

// pass calls f after all lower numbers have passed, or returns the error of ctx.
func (q *queue) pass(ctx context.Context, i int, f func() error) error {
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.turn.Broadcast()
	})
	defer stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.next < i && ctx.Err() == nil {
		q.turn.Wait()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := f()
	q.next++
	q.turn.Broadcast()
	return err
}
