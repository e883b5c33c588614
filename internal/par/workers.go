package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A loop of a training step takes tens of microseconds, about what starting a goroutine on a
// sleeping thread costs. So helper goroutines are started once, and after each loop they poll for
// work for a moment before they sleep. A caller does not wait for helpers to start: it offers its
// loop to idle helpers, runs every part that no thread has begun, withdraws the offers that no
// helper has accepted, and waits only for parts in progress. On a busy machine a loop therefore
// costs no more than without helpers.

// maxParts is the largest number of parts of a loop, so that the bits of one word can mark the
// parts that have begun.
const maxParts = 64

// patience is the time for which a helper polls for work, and a caller for the end of a part,
// before it sleeps. It is longer than the serial code between the loops of a step, and too short to
// load the machine noticeably.
const patience = 50 * time.Microsecond

// job is one loop.
type job struct {
	body  func(lo, hi int)
	bound func(j *job, i int) int // first row of part i
	n     int                     // number of rows
	tile  int
	ptr   []int32
	parts int

	begun    atomic.Uint64 // bit i: a thread has begun part i
	finished atomic.Int32  // number of helpers that accepted the job and have finished
	asleep   atomic.Bool   // the caller waits on wake
	wake     chan struct{}
	offered  []*helper

	mu    sync.Mutex
	cause any // value of the first panic
}

var jobs = sync.Pool{New: func() any { return &job{wake: make(chan struct{}, 1)} }}

// run runs all parts and returns when they are done, with at most the given number of helpers among
// the first of helpers. A panic in a part is raised again in the caller.
func (j *job) run(helpers, of int) {
	j.begun.Store(0)
	j.finished.Store(0)
	j.offered = offer(j, j.offered[:0], helpers, of)
	j.work(0)
	taken := int32(0)
	for _, h := range j.offered {
		if !h.job.CompareAndSwap(j, nil) {
			taken++
		}
	}
	wait(func() bool { return j.finished.Load() == taken }, &j.asleep, j.wake)
	cause := j.cause
	j.body, j.ptr, j.cause = nil, nil, nil
	jobs.Put(j)
	if cause != nil {
		panic(cause)
	}
}

// work runs the parts that no thread has begun, starting with part first, so that a thread gets the
// same rows in each loop and finds them in its cache.
func (j *job) work(first int) {
	for k := range j.parts {
		i := first + k
		if i >= j.parts {
			i -= j.parts
		}
		if bit := uint64(1) << i; j.begun.Or(bit)&bit == 0 {
			j.part(i)
		}
	}
}

func (j *job) part(i int) {
	defer func() {
		if r := recover(); r != nil {
			r = Carried(r)
			j.mu.Lock()
			if j.cause == nil {
				j.cause = r
			}
			j.mu.Unlock()
		}
	}()
	if lo, hi := j.bound(j, i), j.bound(j, i+1); lo < hi {
		j.body(lo, hi)
	}
}

// helper is a goroutine that runs parts of other goroutines' loops.
type helper struct {
	number int // from 1; also the part that it starts with
	job    atomic.Pointer[job]
	busy   atomic.Bool // it runs a job, which may have loops of its own
	asleep atomic.Bool
	wake   chan struct{}
}

var (
	workersLock sync.Mutex
	workers     atomic.Pointer[[]*helper]
)

// helpers returns at least n helpers and starts those that are missing. They live as long as the
// process, like the threads of the runtime.
func helpers(n int) []*helper {
	if have := workers.Load(); have != nil && len(*have) >= n {
		return *have
	}
	workersLock.Lock()
	defer workersLock.Unlock()
	var all []*helper
	if have := workers.Load(); have != nil {
		all = append(all, *have...)
	}
	for len(all) < n {
		h := &helper{number: len(all) + 1, wake: make(chan struct{}, 1)}
		all = append(all, h)
		go h.loop()
	}
	workers.Store(&all)
	return all
}

// offer gives the job to at most n idle helpers among the first of helpers, and appends them to the
// list.
func offer(j *job, list []*helper, n, of int) []*helper {
	for _, h := range helpers(of) {
		if len(list) == n {
			break
		}
		if !h.busy.Load() && h.job.CompareAndSwap(nil, j) {
			list = append(list, h)
			signal(&h.asleep, h.wake)
		}
	}
	return list
}

func (h *helper) loop() {
	for {
		wait(func() bool { return h.job.Load() != nil }, &h.asleep, h.wake)
		// Removing the job accepts it. The caller may have withdrawn it before.
		j := h.job.Swap(nil)
		if j == nil {
			continue
		}
		h.busy.Store(true)
		j.work(min(h.number, j.parts-1))
		h.busy.Store(false) // before the caller continues, which may start another loop
		j.finished.Add(1)
		signal(&j.asleep, j.wake)
	}
}

// wait returns when done is true: it polls for a while, then sleeps until it is signalled. Signals
// may be spurious.
func wait(done func() bool, asleep *atomic.Bool, wake chan struct{}) {
	var start time.Time
	for spin := 1; !done(); spin++ {
		if spin%64 != 0 {
			continue
		}
		runtime.Gosched()
		switch {
		case start.IsZero():
			start = time.Now()
		case time.Since(start) > patience:
			asleep.Store(true)
			if !done() {
				<-wake
			}
			asleep.Store(false)
		}
	}
}

// signal ends the sleep of a wait whose condition has become true.
func signal(asleep *atomic.Bool, wake chan struct{}) {
	if asleep.Load() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}
