package par_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// A panic of one goroutine reaches the goroutine that waits, after the others were stopped. A
// runtime error has the stack where it happened.
func TestGroup(t *testing.T) {
	var empty []int
	for _, test := range []struct {
		name  string
		fault func()
		is    func(cause any) bool
	}{
		{"value", func() { panic("own") }, func(cause any) bool { return cause == "own" }},
		{"runtime error", func() { _ = empty[len(empty)] }, func(cause any) bool {
			f, ok := cause.(*par.Fault)
			return ok && strings.Contains(f.Error(), "out of range") && strings.Contains(string(f.Stack), "TestGroup")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			stop := make(chan struct{})
			g := par.Group{Stop: func() { close(stop) }}
			ended := false
			g.Go(func() { <-stop; ended = true })
			g.Go(test.fault)
			defer func() {
				if cause := recover(); !test.is(cause) || !ended {
					t.Errorf("%T %v, the other ended: %v", cause, cause, ended)
				}
			}()
			g.Wait()
		})
	}
}
