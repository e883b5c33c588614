package par

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Fault is what a panic by a runtime error, such as an index out of range, becomes on its
// way to another goroutine, whose stack would not show where it happened.
type Fault struct {
	Err   runtime.Error
	Stack []byte // of the goroutine that failed
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Carried is the value by which one goroutine panics for another that has recovered value.
// It is called where that one recovers.
func Carried(value any) any {
	if err, ok := value.(runtime.Error); ok {
		return &Fault{err, debug.Stack()}
	}
	return value
}

// Group is a number of goroutines whose panics are carried to the one that waits: a panic
// in a bare goroutine would end the process.
type Group struct {
	Stop  func() // called at a panic, so that the others end; nil for nothing
	all   sync.WaitGroup
	mu    sync.Mutex
	cause any // value of the first panic
}

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				r = Carried(r)
				g.mu.Lock()
				if g.cause == nil {
					g.cause = r
				}
				g.mu.Unlock()
				if g.Stop != nil {
					g.Stop()
				}
			}
		}()
		f()
	})
}

// Wait waits for all goroutines and raises the first panic among them.
func (g *Group) Wait() {
	g.all.Wait()
	if g.cause != nil {
		panic(g.cause)
	}
}
