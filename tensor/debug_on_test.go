//go:build ehgnndebug

package tensor_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

const debugBuild = true

// With the tag ehgnndebug a tensor of a closed tape cannot be mistaken for a
// valid one.
func TestUseAfterClose(t *testing.T) {
	arena := tensor.NewArena(1)
	tape := arena.Tape()
	x := tape.Variable(vector(1, 2))
	y := x.Add(x)
	g := tape.Grad(y, x)[0]
	tape.Close()
	for name, f := range map[string]func(){
		"an operation":  func() { y.Neg() },
		"Reshape":       func() { y.Reshape(2, 1) },
		"Detach":        func() { y.Detach() },
		"an operand":    func() { vector(1, 1).Add(y) },
		"a gradient":    func() { g.Neg() },
		"Variable":      func() { tape.Variable(vector(1)) },
		"Watch":         func() { tape.Watch(&tensor.Param{Value: vector(1)}) },
		"Grad":          func() { tape.Grad(y, x) },
		"a closed leaf": func() { x.Mul(x) },
	} {
		t.Run(name, func(t *testing.T) { expectPanic(t, "tensor: use of a closed tape", f) })
	}
	for _, v := range append(y.Data(), g.Data()...) {
		if v == v {
			t.Errorf("a freed value is %v, want NaN", v)
		}
	}
	// The arena is still usable.
	tape = arena.Tape()
	defer tape.Close()
	expect(t, "a value of the next tape", tape.Variable(vector(1, 2)).Neg(), -1, -2)
}
