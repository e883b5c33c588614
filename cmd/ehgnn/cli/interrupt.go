package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// grace is the time that a command gets to stop after an interrupt.
const grace = time.Second

// execute runs the command that the arguments name. If ctx ends, the command must stop; most
// commands stop at once. If a command still runs after a while, because it reads a pipe or
// computes, execute returns without it, as if it had been killed. But if it holds something that
// would be lost (see app.finishing), execute waits and tells the user what for.
func (a *app) execute(ctx context.Context) error {
	if err := ctx.Err(); err != nil { // before anything has started
		return err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = caught(r)
			}
			done <- err
		}()
		root := a.root()
		root.SetArgs(append([]string{}, a.Args...)) // with nil, cobra would use the arguments of the process
		err = root.ExecuteContext(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	for told := false; ; {
		select {
		case err := <-done:
			return err
		case <-time.After(grace):
		}
		what := a.unfinished()
		switch {
		case what == "":
			a.out.end()
			a.errs.end()
			atomicfile.Discard()
			return ctx.Err()
		case !told:
			told = true
			a.tell("ehgnn: interrupted; finishing %s so that nothing is lost; a second interrupt ends at once", what)
		}
	}
}

// finishing says that execute must wait for the command after an interrupt, until ended is called.
// what describes the work that must be finished, at any time, or is empty for none.
func (a *app) finishing(what func() string) (ended func()) {
	a.holds.Store(&what)
	return func() { a.holds.Store(nil) }
}

// unfinished describes the work that the command must finish; empty for none.
func (a *app) unfinished() string {
	if what := a.holds.Load(); what != nil {
		return (*what)()
	}
	return ""
}

// stream is a standard stream of the process that several goroutines may write to. It remembers its
// first error.
type stream struct {
	w     io.Writer
	mu    sync.Mutex
	err   error
	ended atomic.Bool
}

var errEnded = errors.New("the program has ended")

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Load() {
		return 0, errEnded
	}
	n, err := s.w.Write(p)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// end drops further output, from a command that still runs. It does not wait for a write in
// progress, which may block forever.
func (s *stream) end() { s.ended.Store(true) }

// failure is the first error of the stream, or nil after end.
func (s *stream) failure() error {
	if s.ended.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// tell prints a line on standard error.
func (a *app) tell(format string, args ...any) {
	fmt.Fprintln(a.Stderr, sanitize.Short(sanitize.Text(fmt.Sprintf(format, args...))))
}
