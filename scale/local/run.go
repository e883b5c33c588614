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

// Config describes a run of a program.
type Config struct {
	Program visit.Program
	Store   *store.Store
	Seen    visit.Seen // 0 for all edges
	Threads int        // 0 for all processors; results do not depend on it
	// Memory is the memory, in bytes, that the process may use; 0 means half of the free memory.
	// Results do not depend on it.
	Memory int64
	// Dir is an existing folder for states. If it is empty, states stay in memory.
	Dir string
	// Progress is called with the number of finished blocks of a step, such as "turn 1 of 3, sums",
	// one call at a time. It may be nil.
	Progress func(step string, done, of int)
}

// runner is a run of a program.
type runner struct {
	Config
	arrays  arrayStore
	plan    *plan
	workers []*worker
	resumed bool
	// written reports whether the last turn of a block is already done. It may be nil.
	written func(i int) bool
	// stopAtParts ends the run after the visits of parts in the last turn.
	stopAtParts bool
	// finished is called after each turn but the last, with the greatest magnitude in its messages.
	// It may be nil.
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

// Each runs a program and calls f with the results of the last turn for each block, in order. The
// arguments of f are valid until it returns. Calls do not overlap. No states are left afterwards.
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

// run runs the turns starting at from. greatest is the greatest magnitude of the messages of the
// previous turn. In the last turn, last is called for each block, on several threads.
func (r *runner) run(ctx context.Context, from int, greatest float32, last func(context.Context, *store.Block, *visit.Result) error) error {
	for turn := from; turn < r.Program.Turns(); turn++ {
		if err := r.parts(ctx, turn, greatest); err != nil {
			return err
		}
		if turn > 0 && !r.Program.MessageIsState(turn-1) { // no later turn reads them
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

// messageKind returns the kind of array that has the messages of a turn.
func (r *runner) messageKind(turn int) string {
	if r.Program.MessageIsState(turn) {
		return states
	}
	return messages
}

// has reports whether a resumed job already has an array.
func (r *runner) has(k key) (array, bool) {
	if !r.resumed {
		return array{}, false
	}
	return r.arrays.has(k)
}

// step begins to count the blocks of a step, whose name is shown to users.
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
