// Package bench measures the program's own speed on the machine it runs on:
// what memory and processor can do at most, what each kernel reaches of the
// limit that binds it, and how long an epoch of each model takes.
//
// # Roofline
//
// A kernel has to read its inputs and write its results once, and to do its
// arithmetic; nothing can be faster than the slower of the two. Limits measures
// copying, for several sizes because a batch often lives in a cache, and
// multiply-adds between registers. Kernel.Share is the time the binding limit
// asks for, divided by the time taken. Copying writes a byte for each it reads
// and loads the lines that it overwrites: a kernel that mostly reads, or changes
// memory in place, can pass 100 %.
//
// # Times
//
// Every figure is the least time of several repetitions: what the work takes
// when nothing disturbs it. Limits and kernels are gone through three times, so
// that what disturbs one for a moment does not stay in the table. Results go to memory that an arena has used before,
// as in training. Figures are for comparing versions and machines; no test
// depends on them.
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

// Options say how measurements are made.
type Options struct {
	Threads int           // of everything measured; 0 for all processors
	Budget  time.Duration // spent on each measurement, which takes a few calls at least; 0 for 150 ms
	// Kernels chooses kernels by parts of their names, in any case; empty for all.
	Kernels []string
	// Progress, unless nil, is called before measurement number i of n.
	Progress func(i, n int, name string)
}

// Result is the time of one piece of work.
type Result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// rounds is how often limits and kernels are gone through, each with its part of
// the budget.
const rounds = 3

// meter makes the measurements.
type meter struct {
	ctx      context.Context
	pool     *par.Pool
	arena    *tensor.Arena
	budget   time.Duration // of one measurement
	progress func(i, n int, name string)
	i, n     int // measurements begun and in all
}

// newMeter is for n measurements with the given parts of the budget.
func newMeter(ctx context.Context, o Options, n, parts int) *meter {
	m := &meter{ctx: ctx, pool: par.New(o.Threads), arena: tensor.NewArena(o.Threads), n: n, progress: o.Progress}
	m.budget = cmp.Or(max(o.Budget, 0), 150*time.Millisecond) / time.Duration(parts)
	return m
}

// begin announces the next measurement, unless the work is cancelled.
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

// least is the least time of one call over at least three calls and the budget.
func (m *meter) least(f func()) float64 {
	// What earlier measurements left is collected now and not during the calls.
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

// onTape is f on a tape of its own, results included in what is given back.
func (m *meter) onTape(f func(t *tensor.Tape)) func() {
	return func() {
		t := m.arena.Tape()
		f(t)
		t.Close()
	}
}

// chosen reports whether a name holds one of the parts.
func chosen(name string, parts []string) bool {
	return len(parts) == 0 || slices.ContainsFunc(parts, func(p string) bool {
		return strings.Contains(strings.ToLower(name), strings.ToLower(p))
	})
}

// random has elements between -1/2 and 1/2.
func random(dims ...int) *tensor.Tensor {
	x := tensor.New(dims...)
	r := rng.Stream(1, "bench", len(x.Data()))
	for i := range x.Data() {
		x.Data()[i] = r.Float32() - 0.5
	}
	return x
}
