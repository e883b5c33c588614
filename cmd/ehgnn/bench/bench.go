// Package bench measures the program's speed on this machine: the highest rates of memory and
// processor, the share of its limit that each kernel reaches, and the time of a training epoch.
//
// # Roofline
//
// A kernel must read its inputs and write its results once, and do its arithmetic; the slower of
// the two is its limit. Limits measures the rate of multiply-adds in registers and the rate of
// copying, for several sizes because a batch often fits into a cache. Kernel.Share is the time at
// the limit, divided by the measured time. Copying writes a byte for each byte that it reads, and
// also loads the cache lines that it overwrites. So a kernel that mostly reads, or changes memory
// in place, can exceed 100 %.
//
// # Times
//
// Every figure is the shortest time of several repetitions, which other work on the machine affects
// least. Limits and kernels are measured in three rounds, so that a short disturbance has no
// effect. Results are written to memory that an arena has used before, as in training. The figures
// compare versions and machines; no test depends on them.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Options describes measurements.
type Options struct {
	Threads int           // for all measurements; 0 for all processors
	Budget  time.Duration // time for each measurement, which has at least a few calls; 0 for 150 ms
	// Kernels selects kernels by parts of their names, ignoring case; empty for all.
	Kernels []string
	// Progress, unless nil, is called before measurement number i of n.
	Progress func(i, n int, name string)
}

// Result is the time of one piece of work.
type Result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// rounds is how often limits and kernels are measured, each time with a part of the budget.
const rounds = 3

// meter does the measurements.
type meter struct {
	ctx      context.Context
	pool     *par.Pool
	arena    *tensor.Arena
	budget   time.Duration // for one measurement
	progress func(i, n int, name string)
	i, n     int // measurements started, and their total
}

// newMeter returns a meter for n measurements that get the given parts of the budget.
func newMeter(ctx context.Context, o Options, n, parts int) *meter {
	m := &meter{ctx: ctx, pool: par.New(o.Threads), arena: tensor.NewArena(o.Threads), n: n, progress: o.Progress}
	m.budget = cmp.Or(max(o.Budget, 0), 150*time.Millisecond) / time.Duration(parts)
	return m
}

// begin announces the next measurement; it returns an error if the context has ended.
func (m *meter) begin(name string) error {
	m.i++
	if err := m.ctx.Err(); err != nil {
		return fmt.Errorf("bench: %s: %w", name, err)
	}
	if m.progress != nil {
		m.progress(m.i, m.n, name)
	}
	return nil
}

// least is the shortest time of a call, over at least three calls and as many as the budget allows.
func (m *meter) least(f func()) float64 {
	// Garbage of earlier measurements is collected before the calls, not during them.
	runtime.GC()
	best := math.Inf(1)
	start := time.Now()
	for i := 0; i < 3 || time.Since(start) < m.budget; i++ {
		t := time.Now()
		f()
		best = min(best, time.Since(t).Seconds())
	}
	return best
}

// onTape runs f on its own tape, which frees all results at the end.
func (m *meter) onTape(f func(t *tensor.Tape)) func() {
	return func() {
		t := m.arena.Tape()
		f(t)
		t.Close()
	}
}

// chosen reports whether a name contains one of the parts.
func chosen(name string, parts []string) bool {
	return len(parts) == 0 || slices.ContainsFunc(parts, func(p string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(p))
	})
}

// random is a tensor of random numbers between -1/2 and 1/2.
func random(dims ...int) *tensor.Tensor {
	x := tensor.New(dims...)
	r := rng.Stream(1, "bench", len(x.Data()))
	for i := range x.Data() {
		x.Data()[i] = r.Float32() - 0.5
	}
	return x
}
