package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Room sets when the heap is collected until end is called: after it has grown by room bytes, or by
// percent of the memory in use if that is more. So a process with small requests spends little time
// on collections, and a large process takes no more memory than with percent alone. Room does
// nothing if GOGC is set.
func Room(room uint64, percent int) (end func()) {
	if os.Getenv("GOGC") != "" || room == 0 {
		return func() {}
	}
	r := &roomKeeper{room: room, percent: percent}
	r.old = debug.SetGCPercent(percent)
	r.adjust()
	r.wait()
	return func() {
		r.ended.Store(true)
		debug.SetGCPercent(r.old)
	}
}

// roomKeeper sets the percent by which the heap may grow after each collection.
type roomKeeper struct {
	room         uint64
	percent, old int
	ended        atomic.Bool
}

// wait adjusts the percent at the next collection, which finds an unreferenced object.
func (r *roomKeeper) wait() {
	runtime.SetFinalizer(&struct{ of *roomKeeper }{r}, func(*struct{ of *roomKeeper }) {
		if !r.ended.Load() {
			r.adjust()
			r.wait()
		}
	})
}

func (r *roomKeeper) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(max(r.percent, int(100*r.room/max(live[0].Value.Uint64(), 1<<20))))
}
