package local

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Config says what is run.
type Config struct {
	Program visit.Program
	Store   *store.Store
	Seen    visit.Seen // 0 for all
	Threads int        // 0 for all processors; results do not depend on it
	// Memory is the memory, in bytes, that the process may take; 0 is half of what is free.
	// Results do not depend on it.
	Memory int64
	// Dir is a folder for states, which exists; empty keeps them in memory.
	Dir string
	// Progress is told how many blocks are done of a step, such as "turn 1 of 3, sums", one call
	// at a time; nil for nobody.
	Progress func(step string, done, of int)
}

// runner is a run of a program.
type runner struct {
	Config
	arrays  arrayStore
	plan    *plan
	workers []*worker
	resumed bool
	// written reports whether the last turn of a block was done before; nil for none.
	written func(i int) bool
	// stopAtParts ends the run with the parts of the last turn.
	stopAtParts bool
	// finished is called after each turn but the last, with the greatest magnitude in its
	// messages; nil for nothing.
	finished func(turn int, greatest float32) error
}

func (c Config) runner() *runner {
	if c.Seen == 0 {
		c.Seen = visit.All
	}
	if c.Threads <= 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	if c.Progress == nil {
		c.Progress = func(string, int, int) {}
	}
	r := &runner{Config: c, arrays: newMemoryStore(), plan: c.newPlan()}
	if c.Dir != "" {
		r.arrays = fileStore{c.Dir}
	}
	for range c.Threads {
		r.workers = append(r.workers, &worker{scatter: visit.Scatter{Most: cacheNodes}})
	}
	return r
}

// Each runs a program and calls f with what its last turn gives for each block, in order. What f is
// given is valid until it returns; no two calls are at once. No states are left.
func Each(ctx context.Context, c Config, f func(b *store.Block, r *visit.Result) error) error {
	order := newQueue()
	r := c.runner()
	if err := r.plan.fits(c.Program); err != nil {
		return err
	}
	err := r.run(ctx, 0, 0, func(ctx context.Context, b *store.Block, res *visit.Result) error {
		return order.pass(ctx, b.Index, func() error { return f(b, res) })
	})
	for turn := range c.Program.Turns() {
		err = errors.Join(err, r.arrays.drop(turn, ""))
	}
	return err
}

// run goes through the turns from one on; greatest is that of the messages of the turn before. Of
// the last turn, last is called for each block, at once on several threads.
func (r *runner) run(ctx context.Context, from int, greatest float32, last func(context.Context, *store.Block, *visit.Result) error) error {
	for turn := from; turn < r.Program.Turns(); turn++ {
		if err := r.parts(ctx, turn, greatest); err != nil {
			return err
		}
		if turn > 0 && !r.Program.MessageIsState(turn-1) { // nothing reads them any more
			if err := r.arrays.drop(turn-1, messages); err != nil {
				return err
			}
		}
		if r.stopAtParts && turn == r.Program.Turns()-1 {
			return nil
		}
		var err error
		if greatest, err = r.blocks(ctx, turn, last); err != nil {
			return err
		}
		if turn == r.Program.Turns()-1 {
			break
		}
		if r.finished != nil {
			if err := r.finished(turn, greatest); err != nil {
				return err
			}
		}
		if turn > 0 {
			if err := r.arrays.drop(turn-1, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// says is the kind of array that has the messages of a turn.
func (r *runner) says(turn int) string {
	if r.Program.MessageIsState(turn) {
		return states
	}
	return messages
}

// has reports whether a job that was resumed has an array already.
func (r *runner) has(k key) (array, bool) {
	if !r.resumed {
		return array{}, false
	}
	return r.arrays.has(k)
}

// step counts the blocks of a step, whose name is for people.
func (r *runner) step(turn int, what string) (done func()) {
	name, n := fmt.Sprintf("turn %d of %d, %s", turn+1, r.Program.Turns(), what), 0
	var mu sync.Mutex
	return func() {
		mu.Lock()
		defer mu.Unlock()
		n++
		r.Progress(name, n, r.Store.Manifest.Blocks)
	}
}
