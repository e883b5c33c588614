package serve

import (
	"cmp"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// Bounds divides the memory of a server: a half for models, a quarter for requests, and the last
// quarter for garbage that is not collected yet.
type Bounds struct {
	Total  int64 // bytes in addition to the program and its runs
	Models int64 // for models, over all workers
	// Why explains the source of Total.
	Why string
}

// Defaults of NewBounds.
const (
	unknownMemory = 4 << 30   // if the system does not report free memory
	leastMemory   = 256 << 20 // smallest default bound
)

// NewBounds divides memory. total is the value of --memory, models that of --max-memory; 0 means
// not given. Without both the total is half of the free memory.
func NewBounds(total, models int64) Bounds {
	b := Bounds{Total: total, Models: models, Why: "given"}
	if b.Total == 0 && b.Models > 0 {
		b.Total, b.Why = 2*b.Models, "twice --max-memory"
	}
	if b.Total == 0 {
		free := memory.Free()
		b.Why = "half of the free memory, " + memory.Text(free)
		if free == 0 {
			free, b.Why = unknownMemory, "the system does not say how much memory is free"
		}
		b.Total = max(free/2, leastMemory)
	}
	b.Models = cmp.Or(b.Models, b.Total/2)
	return b
}

// Requests is the memory that all requests may use.
func (b Bounds) Requests() int64 { return (b.Total - b.Models) / 2 }

// Collect makes the garbage collector keep the process within the bounds, and returns a function
// that undoes this.
func (b Bounds) Collect() (undo func()) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	limit := int64(now.HeapInuse+now.StackInuse) + b.Total
	if old := debug.SetMemoryLimit(-1); old != math.MaxInt64 { // from GOMEMLIMIT
		limit = min(limit, old)
	}
	old := debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(old) }
}
