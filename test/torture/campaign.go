//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// A plan says how much is attacked.
type plan struct {
	seed     uint64
	duration time.Duration // of the trials; 0 for the number of trials that scenarios call quick
	only     string        // beginnings of the names of scenarios, by commas; "" for all
	trial    int           // the only one; negative for all
	keep     bool          // keep the folders of trials
	workers  int
	progress func(format string, args ...any)
}

// A campaign is trials of scenarios.
type campaign struct {
	plan
	lab    *lab
	chosen []*work

	mu       sync.Mutex
	findings []finding
	err      error // the first trial that could not be done
}

// work is a scenario and how far it is.
type work struct {
	*scenario
	next  int // trial
	limit int
	spent time.Duration // of all workers, with an estimate for the trials under way
	tally tally
}

func newCampaign(l *lab, p plan) (*campaign, error) {
	c := &campaign{plan: p, lab: l}
	for i := range scenarios {
		s := &scenarios[i]
		if !matches(s.name, p.only) {
			continue
		}
		w := &work{scenario: s, limit: s.cases}
		if p.duration == 0 {
			w.limit = s.quick
		}
		if p.trial >= 0 {
			w.next, w.limit = p.trial, p.trial+1
		}
		c.chosen = append(c.chosen, w)
	}
	if len(c.chosen) == 0 && !fuzzes(p.only) {
		return nil, fmt.Errorf("no scenario begins with one of %q", p.only)
	}
	return c, nil
}

// matches reports whether a name begins with one of the beginnings.
func matches(name, only string) bool {
	if only == "" {
		return true
	}
	for beginning := range strings.SplitSeq(only, ",") {
		if strings.HasPrefix(name, strings.TrimSpace(beginning)) {
			return true
		}
	}
	return false
}

// fuzzes reports whether fuzz targets are among what is chosen: "fuzz" are all of them,
// "fuzz/data" some.
func fuzzes(only string) bool {
	return only == "" || slices.ContainsFunc(strings.Split(only, ","), func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), fuzzName) })
}

// run does trials until the time is over, the context ends or all is done.
func (c *campaign) run(ctx context.Context) error {
	if c.duration > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, c.duration)
		defer cancel()
	}
	var wg sync.WaitGroup
	for range c.workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				w, i, ok := c.take()
				if !ok {
					return
				}
				c.do(w, i)
			}
		})
	}
	wg.Wait()
	return c.err
}

// take chooses the next trial: of the scenario that has had the least of its share.
func (c *campaign) take() (w *work, i int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, 0, false
	}
	for _, o := range c.chosen {
		if o.limit > 0 && o.next >= o.limit || c.duration == 0 && o.limit == 0 {
			continue
		}
		if w == nil || o.spent.Seconds()/o.share < w.spent.Seconds()/w.share {
			w = o
		}
	}
	if w == nil {
		return nil, 0, false
	}
	w.next++
	w.spent += 100 * time.Millisecond // so that workers do not all take the same one
	return w, w.next - 1, true
}

// do does a trial and adds what came of it.
func (c *campaign) do(w *work, i int) {
	begin := time.Now()
	t := &trial{Rand: rng.Stream(c.seed, w.name, i), lab: c.lab, scenario: w.scenario, index: i,
		dir: filepath.Join(c.lab.dir, "trials", fmt.Sprintf("%s-%d", strings.ReplaceAll(w.name, "/", "-"), i))}
	err := t.attempt()
	if err == nil && !c.keep {
		err = os.RemoveAll(t.dir)
	}
	t.tally.Trials, t.tally.Findings, t.tally.Busy = 1, len(t.findings), time.Since(begin)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = errors.Join(c.err, err)
	w.spent += t.tally.Busy - 100*time.Millisecond
	w.tally.add(t.tally)
	for _, f := range t.findings {
		f.Scenario, f.Trial = w.name, i
		f.Again = fmt.Sprintf(`make torture TORTURE_FLAGS="-seed %d -only %s -trial %d -keep"`, c.seed, w.name, i)
		f.Command = strings.ReplaceAll(f.Command, c.lab.binary, "ehgnn")
		c.findings = append(c.findings, f)
		c.progress("%s trial %d: %s\n  %s\n  %s", f.Scenario, f.Trial, f.What, f.Command, strings.ReplaceAll(f.Message, "\n", "\n  "))
	}
}

// attempt does a trial; the error says why it could not be done.
func (t *trial) attempt() (err error) {
	defer func() {
		if b, ok := recover().(broken); ok {
			err = b.error
		}
	}()
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return err
	}
	t.scenario.trial(t)
	return nil
}
