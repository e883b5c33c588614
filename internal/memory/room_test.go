package memory

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

var kept []byte // forces the compiler to allocate it

// collections counts the collections while mib MiB of garbage are made.
func collections(mib int) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 64 * mib {
		kept = make([]byte, 16<<10)
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

// percent is the growth of the heap after which it is collected.
func percent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// A small heap is collected once for each room of garbage. A large heap is collected at its
// percent.
func TestRoom(t *testing.T) {
	t.Setenv("GOGC", "")
	runtime.GC()
	end := Room(64<<20, 30)
	t.Cleanup(end)
	if n := collections(256); n > 6 {
		t.Errorf("%d collections for 256 MiB of garbage with room for 64 MiB", n)
	}
	large := make([]byte, 600<<20) // its pages are never touched
	for deadline := time.Now().Add(time.Minute); percent() != 30; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("a heap of 600 MiB may grow by %d %%, want 30", percent())
		}
		runtime.GC() // afterwards another goroutine adjusts the percent
	}
	runtime.KeepAlive(large)
}
