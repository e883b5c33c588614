package tensor_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// opCase is one call of an operation with its definition in float64.
type opCase struct {
	op   string // exported name, for the completeness check
	name string // what is special about this call
	in   []array
	run  func(x []*tensor.Tensor) *tensor.Tensor
	want func(x []array) array
}

// Tolerances, relative to max(1, max|want|). Float32 carries 6e-8 per
// operation and the cases have a few dozen of them; a rule adds products of
// values, the rule of a rule again. The differences themselves are good to
// about 1e-7, because they are taken in float64 with smooth values near 1.
const (
	valueTol  = 2e-6
	gradTol   = 5e-6
	secondTol = 2e-5
	// step of the central differences: the error of a second difference is
	// about step² + 1e-16/step², least near 1e-4.
	step = 1e-4
)

// check compares the value, the gradient and the gradient of the gradient of
// an operation f with its definition.
//
// The scalar L(x, u) = <u, f(x)> has the operation's rule as gradient, and u is
// a variable, so that the rule is differentiated by the incoming gradient, too.
// The second-order scalar is the derivative of L in a fixed direction c,
// <c, dL/d(x,u)>.
func (c opCase) check(t *testing.T) {
	r := source(c.op + " " + c.name)
	arena := tensor.NewArena(1)
	tape := arena.Tape()
	defer tape.Close()

	vars := variables(tape, c.in)
	y := c.run(vars)
	want := c.want(c.in)
	compare(t, "value", y, want, valueTol)
	if t.Failed() {
		return
	}

	u := normalish(r, want.dim...)
	in := append(slices.Clone(c.in), u)
	vars = append(vars, tape.Variable(u.tensor()))
	loss := y.Mul(vars[len(vars)-1]).Sum()
	grads := tape.Grad(loss, vars...)
	oracleLoss := func(in []array) float64 {
		y, u := c.want(in[:len(in)-1]), in[len(in)-1]
		var s float64
		for i, v := range y.v {
			s += v * u.v[i]
		}
		return s
	}
	for i, d := range differences(oracleLoss, in) {
		compare(t, "gradient by operand "+operand(i, in), grads[i], d, gradTol)
		if recorded(tape, grads[i]) {
			t.Errorf("the gradient by operand %s is recorded, expected a constant", operand(i, in))
		}
	}
	first := values(grads)

	live := tape.GradGraph(loss, vars...)
	direction := make([]array, len(in))
	var along *tensor.Tensor
	for i, g := range live {
		if !slices.Equal(g.Data(), grads[i].Data()) {
			t.Errorf("GradGraph differs from Grad for operand %s", operand(i, in))
		}
		direction[i] = normalish(r, in[i].dim...)
		s := g.Mul(direction[i].tensor()).Sum()
		if along == nil {
			along = s
		} else {
			along = along.Add(s)
		}
	}
	second := tape.Grad(along, vars...)
	for i, d := range differences(directional(oracleLoss, direction), in) {
		compare(t, "second gradient by operand "+operand(i, in), second[i], d, secondTol)
	}
	for i, g := range grads {
		if !slices.Equal(g.Data(), first[i]) {
			t.Errorf("the gradient of operand %s changed after it was returned", operand(i, in))
		}
	}
	c.checkSubsets(t, u, y.Data(), first)
}

// checkSubsets repeats the call with one variable at a time, and with none: a
// value and a gradient must not depend on which others are wanted.
func (c opCase) checkSubsets(t *testing.T, u array, y []float32, grads [][]float32) {
	arena := tensor.NewArena(1)
	for i := range c.in {
		tape := arena.Tape()
		x := constants(c.in)
		x[i] = tape.Variable(x[i])
		g := tape.Grad(c.run(x).Mul(u.tensor()).Sum(), x[i])[0]
		if !slices.Equal(g.Data(), grads[i]) {
			t.Errorf("the gradient of operand %d alone differs", i)
		}
		tape.Close()
	}
	if !slices.Equal(c.run(constants(c.in)).Data(), y) {
		t.Error("the value without a tape differs")
	}
}

// recorded reports whether gradients can be taken by x: by constants they
// cannot.
func recorded(tape *tensor.Tape, x *tensor.Tensor) (ok bool) {
	defer func() { ok = recover() == nil }()
	tape.Grad(x, x)
	return true
}

func operand(i int, in []array) string {
	if i == len(in)-1 {
		return "u"
	}
	return string(rune('0' + i))
}

func variables(tape *tensor.Tape, in []array) []*tensor.Tensor {
	x := constants(in)
	for i := range x {
		x[i] = tape.Variable(x[i])
	}
	return x
}

func constants(in []array) []*tensor.Tensor {
	x := make([]*tensor.Tensor, len(in))
	for i, a := range in {
		x[i] = a.tensor()
	}
	return x
}

func values(ts []*tensor.Tensor) [][]float32 {
	out := make([][]float32, len(ts))
	for i, t := range ts {
		out[i] = slices.Clone(t.Data())
	}
	return out
}

// differences is the gradient of f by central differences.
func differences(f func(in []array) float64, in []array) []array {
	out := make([]array, len(in))
	at := make([]array, len(in))
	for i := range in {
		at[i] = in[i].clone()
	}
	for i := range in {
		out[i] = in[i].clone()
		for k, v := range in[i].v {
			at[i].v[k] = v + step
			hi := f(at)
			at[i].v[k] = v - step
			lo := f(at)
			at[i].v[k] = v
			out[i].v[k] = (hi - lo) / (2 * step)
		}
	}
	return out
}

// directional is the derivative of f in a direction.
func directional(f func(in []array) float64, direction []array) func(in []array) float64 {
	at := make([]array, len(direction))
	for i := range direction {
		at[i] = direction[i].clone()
	}
	return func(in []array) float64 {
		moved := func(by float64) []array {
			for i, a := range in {
				for k, v := range a.v {
					at[i].v[k] = v + by*direction[i].v[k]
				}
			}
			return at
		}
		return (f(moved(step)) - f(moved(-step))) / (2 * step)
	}
}

// compare reports the worst element that is off by more than tol, relative to
// the array's scale.
func compare(t *testing.T, what string, got *tensor.Tensor, want array, tol float64) {
	t.Helper()
	if !slices.Equal(got.Shape(), want.dim) {
		t.Errorf("%s: shape %v, want %v", what, got.Shape(), want.dim)
		return
	}
	scale := 1.0
	for _, w := range want.v {
		scale = max(scale, math.Abs(w))
	}
	worst, at := 0.0, -1
	for i, w := range want.v {
		// Written so that a NaN counts as a difference.
		if d := math.Abs(float64(got.Data()[i]) - w); !(d <= tol*scale) && !(d <= worst) {
			worst, at = d, i
		}
	}
	if at >= 0 {
		t.Errorf("%s: element %d of %v is %v, want %v (off by %.2g, allowed %.2g)",
			what, at, want.dim, got.Data()[at], want.v[at], worst, tol*scale)
	}
}
