package serve

import (
	"cmp"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// Bounds divide the memory of a server. A half is for models, a quarter for what requests hold.
// The last quarter is for what the garbage collector has not collected yet.
type Bounds struct {
	Total  int64 // bytes beside the program and its runs
	Models int64 // for models, over all workers
	// Why says where Total is from.
	Why string
}

// Fallbacks of NewBounds.
const (
	unknownMemory = 4 << 30   // where the system does not say what is free
	leastMemory   = 256 << 20 // of a bound that nobody gave
)

// NewBounds divides memory. Total is that of --memory, models that of --max-memory; a value of 0
// stands for one that was not given. Without both the total is half of the free memory.
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

// Requests is what all requests may hold.
func (b Bounds) Requests() int64 { return (b.Total - b.Models) / 2 }

// Collect has the garbage collector keep the process within the bounds, and returns what undoes
// this.
func (b Bounds) Collect() (undo func()) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	limit := int64(now.HeapInuse+now.StackInuse) + b.Total
	if old := debug.SetMemoryLimit(-1); old != math.MaxInt64 { // GOMEMLIMIT
		limit = min(limit, old)
	}
	old := debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(old) }
}
