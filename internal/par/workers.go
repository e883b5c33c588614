package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A loop of a training step takes tens of microseconds, about what starting a
// goroutine on a sleeping thread costs. So helpers are started once and poll for
// work for a moment after each loop before they sleep. A caller does not wait for
// them to start: it offers its loop to idle helpers, does every part that nobody
// has begun, withdraws the offers that no helper has accepted, and waits only for
// parts in progress. On a busy machine a loop therefore costs no more than without
// helpers.

// maxParts bounds the parts of a loop, so that one word can say which have begun.
const maxParts = 64

// patience is how long a helper polls for work, and a caller for the end of a part,
// before it sleeps: longer than the serial code between the loops of a step, too
// short to load the machine noticeably.
const patience = 50 * time.Microsecond

// job is one loop.
type job struct {
	body  func(lo, hi int)
	bound func(j *job, i int) int // where part i begins
	n     int                     // rows
	tile  int
	ptr   []int32
	parts int

	begun    atomic.Uint64 // bit i: somebody has part i
	finished atomic.Int32  // helpers that accepted the job and are done with it
	asleep   atomic.Bool   // the caller waits on wake
	wake     chan struct{}
	offered  []*helper

	mu    sync.Mutex
	cause any // value of the first panic
}

var jobs = sync.Pool{New: func() any { return &job{wake: make(chan struct{}, 1)} }}

// run does all parts, with at most the given number of helpers out of so many, and returns
// when they are done. A panic in a part is raised again in the caller.
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

// work does the parts that nobody has begun, starting with the given one, so that a
// thread gets the same rows in loop after loop and finds them in its cache.
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

// helper is a goroutine that does parts of other goroutines' loops.
type helper struct {
	number int // from 1; the part it begins with
	job    atomic.Pointer[job]
	busy   atomic.Bool // it is in a job, which may have loops of its own
	asleep atomic.Bool
	wake   chan struct{}
}

var (
	workersLock sync.Mutex
	workers     atomic.Pointer[[]*helper]
)

// helpers returns at least n helpers, starting those that are missing. They live
// as long as the process, like the threads of the runtime.
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

// offer gives the job to at most n idle helpers out of so many and appends them to the list.
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
		// Removing the job accepts it; the caller may have withdrawn it meanwhile.
		j := h.job.Swap(nil)
		if j == nil {
			continue
		}
		h.busy.Store(true)
		j.work(min(h.number, j.parts-1))
		h.busy.Store(false) // before the caller goes on, who may have another loop
		j.finished.Add(1)
		signal(&j.asleep, j.wake)
	}
}

// wait returns once done holds: it polls for a while, then sleeps until signalled.
// Signals may be spurious.
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

// signal ends the sleep of a wait whose condition has just become true.
func signal(asleep *atomic.Bool, wake chan struct{}) {
	if asleep.Load() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}
