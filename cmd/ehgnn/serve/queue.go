package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/tensor"
)

// together is how many graphs a worker computes at once, at most.
const together = 32

// call is what a request waits for: predictions or embeddings of graphs, or one function.
type call struct {
	ctx    context.Context
	run    *loaded
	level  ehgnn.Level // of embeddings; empty for predictions
	inputs []*ehgnn.Input
	do     func(ctx context.Context) error // replaces inputs

	predictions []ehgnn.Prediction
	embeddings  []ehgnn.Embedding
	problems    []*Problem // of graphs that failed; nil for none

	next    int // first graph that no worker has taken
	left    atomic.Int32
	done    chan struct{}
	queued  time.Time
	waited  time.Duration // until a worker took the first graph
	compute atomic.Int64  // nanoseconds of workers
	err     error         // of do
}

// queue passes calls to workers.
type queue struct {
	limit    int
	base     context.Context // of batches with several calls
	observe  func(graphs int, waited time.Duration)
	mu       sync.Mutex
	wake     sync.Cond
	calls    []*call
	closed   bool
	wg       sync.WaitGroup
	reported func(err error) // for defects
}

func newQueue(base context.Context, workers, limit int, observe func(int, time.Duration), reported func(error)) *queue {
	q := &queue{limit: limit, base: base, observe: observe, reported: reported}
	q.wake.L = &q.mu
	for range workers {
		q.wg.Go(q.work)
	}
	return q
}

// close ends the workers after they have done the waiting calls.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake.Broadcast()
	q.wg.Wait()
}

// submit queues a call and waits until it is done or its context ends. A full queue is a problem,
// unless patient is set, for a client whose reply has started.
func (q *queue) submit(c *call, patient bool) *Problem {
	n := len(c.inputs)
	if c.do != nil {
		n = 1
	}
	if n == 0 {
		return nil
	}
	if c.level == "" {
		c.predictions = make([]ehgnn.Prediction, n)
	} else {
		c.embeddings = make([]ehgnn.Embedding, n)
	}
	c.left.Store(int32(n))
	c.done = make(chan struct{})
	c.queued = time.Now()
	q.mu.Lock()
	if len(q.calls) >= q.limit {
		q.calls = slices.DeleteFunc(q.calls, func(c *call) bool { return c.ctx.Err() != nil })
	}
	if len(q.calls) >= q.limit && !patient {
		q.mu.Unlock()
		return problemf(http.StatusServiceUnavailable, "%d requests wait already (--queue)", q.limit)
	}
	q.calls = append(q.calls, c)
	q.mu.Unlock()
	q.wake.Signal()
	select {
	case <-c.done:
	case <-c.ctx.Done():
		return late(c.ctx)
	}
	if c.ctx.Err() != nil && c.problems != nil {
		return late(c.ctx)
	}
	return nil
}

// late is the problem of a request that has timed out.
func late(ctx context.Context) *Problem {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return problemf(http.StatusGatewayTimeout, "not done in time (--timeout)")
	}
	return problemf(http.StatusServiceUnavailable, "the request or the server was ended")
}

// piece is the part of a call that a worker takes.
type piece struct {
	*call
	lo, hi int
}

// take waits for work: graphs of one run, or one function. It returns nothing after the queue is
// closed and empty.
func (q *queue) take(pieces []piece) []piece {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.calls) > 0 && q.calls[0].ctx.Err() != nil { // the client has gone
			q.calls = q.calls[1:]
		}
		if len(q.calls) > 0 {
			break
		}
		if q.closed {
			return nil
		}
		q.calls = nil
		q.wake.Wait()
		// Requests that arrived at the same time may be about to queue their calls. Goroutines that are
		// ready run first; if there are none, this takes no time.
		q.mu.Unlock()
		runtime.Gosched()
		q.mu.Lock()
	}
	first := q.calls[0]
	if first.do != nil {
		q.calls = q.calls[1:]
		return append(pieces, piece{first, 0, 1})
	}
	room := batchRoom{graphs: together, memory: first.run.limits.Memory}
	kept := q.calls[:0]
	var unfinished []*call
	for _, c := range q.calls {
		switch {
		case room.graphs == 0 || c.run != first.run || c.level != first.level || c.do != nil:
			kept = append(kept, c)
		case c.ctx.Err() != nil:
		default:
			lo := c.next
			for c.next < len(c.inputs) && room.reserve(c.inputs[c.next]) {
				c.next++
			}
			if c.next > lo {
				pieces = append(pieces, piece{c, lo, c.next})
			}
			if c.next < len(c.inputs) {
				unfinished = append(unfinished, c)
			}
		}
	}
	clear(q.calls[len(kept):])
	q.calls = append(kept, unfinished...) // after the others, whose turn it is
	if len(q.calls) > 0 {
		q.wake.Signal()
	}
	return pieces
}

// batchRoom is the remaining room in a batch.
type batchRoom struct {
	graphs int
	memory float64 // in bytes; 0 for no limit
	used   float64
}

// reserve reserves room for a graph; the first of a batch always fits. A graph without room ends the
// batch.
func (r *batchRoom) reserve(in *ehgnn.Input) bool {
	cost := in.Cost()
	if r.memory > 0 && r.used > 0 && r.used+cost > r.memory {
		r.graphs = 0
	}
	if r.graphs == 0 {
		return false
	}
	r.graphs--
	r.used += cost
	return true
}

func (q *queue) work() {
	var pieces []piece
	for {
		if pieces = q.take(pieces[:0]); len(pieces) == 0 {
			return
		}
		start := time.Now()
		n := 0
		for _, p := range pieces {
			if p.lo == 0 {
				p.waited = start.Sub(p.queued)
			}
			n += p.hi - p.lo
		}
		q.observe(n, start.Sub(pieces[0].queued))
		q.compute(pieces)
		took := int64(time.Since(start))
		for k, p := range pieces {
			p.compute.Add(took)
			if p.left.Add(int32(p.lo-p.hi)) == 0 {
				close(p.done)
			}
			pieces[k].call = nil
		}
	}
}

// compute runs the model on pieces. A panic is a defect that ends only these requests.
func (q *queue) compute(pieces []piece) {
	defer func() {
		if r := recover(); r != nil {
			q.reported(fmt.Errorf("%v\n%s", r, debug.Stack()))
			for _, p := range pieces {
				p.fail(p.lo, p.hi, problemf(http.StatusInternalServerError, "a defect of the program; its log says more"))
			}
		}
	}()
	if first := pieces[0]; first.do != nil {
		first.err = first.do(first.ctx)
		return
	}
	ctx, cancel := q.context(pieces)
	defer cancel()
	inputs := pieces[0].inputs[pieces[0].lo:pieces[0].hi]
	if len(pieces) > 1 {
		inputs = inputs[:len(inputs):len(inputs)]
		for _, p := range pieces[1:] {
			inputs = append(inputs, p.inputs[p.lo:p.hi]...)
		}
	}
	predictions, embeddings, err := pieces[0].pass(ctx, inputs)
	if err == nil {
		at := 0
		for _, p := range pieces {
			if p.level == "" {
				copy(p.predictions[p.lo:], predictions[at:at+p.hi-p.lo])
			} else {
				copy(p.embeddings[p.lo:], embeddings[at:at+p.hi-p.lo])
			}
			at += p.hi - p.lo
		}
		return
	}
	var shape *tensor.ShapeError
	if len(inputs) > 1 && errors.As(err, &shape) { // one graph may make all of them fail
		for _, p := range pieces {
			for i := p.lo; i < p.hi; i++ {
				predictions, embeddings, err := p.pass(p.ctx, p.inputs[i:i+1])
				switch {
				case err != nil:
					p.fail(i, i+1, p.problem(err))
				case p.level == "":
					p.predictions[i] = predictions[0]
				default:
					p.embeddings[i] = embeddings[0]
				}
			}
		}
		return
	}
	for _, p := range pieces {
		p.fail(p.lo, p.hi, p.problem(err))
	}
}

// context ends when all clients of a batch have gone.
func (q *queue) context(pieces []piece) (context.Context, context.CancelFunc) {
	if len(pieces) == 1 {
		return pieces[0].ctx, func() {}
	}
	ctx, cancel := context.WithCancel(q.base)
	var waiting atomic.Int32
	waiting.Store(int32(len(pieces)))
	stops := make([]func() bool, len(pieces))
	for i, p := range pieces {
		stops[i] = context.AfterFunc(p.ctx, func() {
			if waiting.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// pass runs the model once.
func (c *call) pass(ctx context.Context, inputs []*ehgnn.Input) ([]ehgnn.Prediction, []ehgnn.Embedding, error) {
	if c.level == "" {
		ps, err := c.run.model.PredictBatch(ctx, inputs...)
		return ps, nil, err
	}
	es, err := c.run.model.EmbedBatch(ctx, c.level, inputs...)
	return nil, es, err
}

// problem is the Problem for an error of the model.
func (c *call) problem(err error) *Problem {
	if c.ctx.Err() != nil {
		return late(c.ctx)
	}
	return problemf(http.StatusUnprocessableEntity, "%v", err)
}

// fail gives graphs a problem instead of a result. Other workers may do so for other graphs of the
// call at the same time.
func (c *call) fail(lo, hi int, p *Problem) {
	failing.Lock()
	defer failing.Unlock()
	if c.problems == nil {
		c.problems = make([]*Problem, max(len(c.inputs), 1))
	}
	for i := lo; i < hi; i++ {
		c.problems[i] = p
	}
}

// failing protects the problems of calls, which are rare.
var failing sync.Mutex
