package par

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Fault is the panic value for a runtime error, such as an index out of range, that is carried to
// another goroutine. The stack of the other goroutine would not show where the error happened.
type Fault struct {
	Err   runtime.Error
	Stack []byte // of the goroutine with the error
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Carried returns the value with which one goroutine panics for another that has recovered value.
// It must be called where the value is recovered.
func Carried(value any) any {
	if err, ok := value.(runtime.Error); ok {
		return &Fault{err, debug.Stack()}
	}
	return value
}

// Group runs goroutines and carries their panics to the goroutine that waits. Without it, a panic
// in a goroutine would end the process.
type Group struct {
	Stop  func() // called after a panic, so that the others end; may be nil
	all   sync.WaitGroup
	mu    sync.Mutex
	cause any // value of the first panic
}

// Go runs f in a new goroutine.
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

// Wait waits for all goroutines and raises the first of their panics.
func (g *Group) Wait() {
	g.all.Wait()
	if g.cause != nil {
		panic(g.cause)
	}
}
