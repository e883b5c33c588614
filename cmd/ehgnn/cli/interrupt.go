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
	"github.com/ehgnn/ehgnn/internal/plain"
)

// grace is how long a verb may take to end by itself once it is interrupted.
const grace = time.Second

// execute runs the verb that the arguments name. When ctx ends, the verb is to stop: most
// do at once. One that still goes on after a while, because it reads a pipe or computes, is
// left behind, as if it had been killed, unless it holds something that would be lost (see
// app.finishing): then the user is told what is waited for.
func (a *app) execute(ctx context.Context) error {
	if err := ctx.Err(); err != nil { // before anything was begun
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
		root.SetArgs(append([]string{}, a.Args...)) // given nil, cobra would take the arguments of the process
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

// finishing says that, from now on until ended is called, the verb is not to be left behind
// when it is interrupted. what describes, whenever it is called, what there is to finish,
// and is empty where that is nothing.
func (a *app) finishing(what func() string) (ended func()) {
	a.holds.Store(&what)
	return func() { a.holds.Store(nil) }
}

// unfinished describes what the verb must finish; empty for nothing.
func (a *app) unfinished() string {
	if what := a.holds.Load(); what != nil {
		return (*what)()
	}
	return ""
}

// stream is a standard stream of the process, to which several goroutines may write. It
// remembers its first error.
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

// end drops what is written from now on, by a verb that was left behind. It does not wait
// for a writing that is under way, which may be stuck.
func (s *stream) end() { s.ended.Store(true) }

// failure is the first error of the stream, none where the verb was left behind.
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
	fmt.Fprintln(a.Stderr, plain.Short(plain.Text(fmt.Sprintf(format, args...))))
}
