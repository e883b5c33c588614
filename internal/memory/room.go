package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Room lets the heap grow by room bytes at least before it is collected, and by percent of what is in use where that
// is more, until end is called. A process of small requests then spends its time on them and not on collections, and a
// large one takes no more than it would by percent alone. It does nothing where GOGC is set.
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

// wait adjusts the percent with the next collection, which finds an object that nothing refers to.
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
