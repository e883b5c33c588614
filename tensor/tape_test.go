package tensor_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

func newTape(t *testing.T) *tensor.Tape {
	t.Helper()
	tape := tensor.NewArena(1).Tape()
	t.Cleanup(tape.Close)
	return tape
}

func vector(v ...float32) *tensor.Tensor { return tensor.FromSlice(v, len(v)) }

// expect compares with values that float32 arithmetic gives exactly.
func expect(t *testing.T, what string, got *tensor.Tensor, want ...float32) {
	t.Helper()
	if !slices.Equal(got.Data(), want) {
		t.Errorf("%s is %v, want %v", what, got.Data(), want)
	}
}

func expectPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r != want {
			t.Errorf("panic with %v, want %q", r, want)
		}
	}()
	f()
}

// The gradient by a tensor that the result does not depend on is zeros of its
// shape.
func TestGradWithoutDependence(t *testing.T) {
	tape := newTape(t)
	x, unused := tape.Variable(vector(1, 2)), tape.Variable(tensor.New(2, 3))
	y := x.Square()
	later := tape.Variable(vector(5))
	detached := x.Detach().Mul(x.Detach())
	for name, grads := range map[string][]*tensor.Tensor{
		"Grad":      tape.Grad(y, x, unused, later),
		"GradGraph": tape.GradGraph(y, x, unused, later),
	} {
		expect(t, name+" by x", grads[0], 2, 4)
		expect(t, name+" by an unused variable", grads[1], 0, 0, 0, 0, 0, 0)
		if !slices.Equal(grads[1].Shape(), []int{2, 3}) {
			t.Errorf("%s by an unused variable has shape %v", name, grads[1].Shape())
		}
		expect(t, name+" by a later variable", grads[2], 0)
	}
	expect(t, "gradient of a constant", tape.Grad(vector(1, 2), x)[0], 0, 0)
	expect(t, "gradient through Detach", tape.Grad(detached, x)[0], 0, 0)
	if got := tape.Grad(y); len(got) != 0 {
		t.Errorf("gradient by nothing is %v", got)
	}
}

func TestGradByIntermediates(t *testing.T) {
	tape := newTape(t)
	x := tape.Variable(vector(1, 2))
	h := x.MulScalar(3)
	y := h.Mul(x) // 3x²
	g := tape.Grad(y, y, h, x, x, h)
	expect(t, "gradient by itself", g[0], 1, 1)
	expect(t, "gradient by h", g[1], 1, 2)
	expect(t, "gradient by x", g[2], 6, 12)
	expect(t, "gradient by x again", g[3], 6, 12)
	expect(t, "gradient by h again", g[4], 1, 2)
	expect(t, "gradient of the middle", tape.Grad(h, x)[0], 3, 3)
}

// One tape gives any number of gradients; a later call does not change those
// returned before.
func TestGradTwice(t *testing.T) {
	tape := newTape(t)
	x := tape.Variable(vector(1, 2))
	w := tape.Variable(vector(3, 4))
	y := x.Mul(w).Add(x)
	first := tape.Grad(y, x, w)
	second := tape.Grad(y.Square(), x, w)
	third := tape.Grad(y, x, w)
	for i, want := range [][]float32{{4, 5}, {1, 2}} {
		expect(t, "first gradient", first[i], want...)
		expect(t, "third gradient", third[i], want...)
	}
	expect(t, "gradient of the square", second[0], 2*4*4, 2*10*5)
	// The results of Grad are constants: what is computed from them has no
	// gradient.
	expect(t, "gradient of a gradient", tape.Grad(first[0].Mul(first[0]), x)[0], 0, 0)
}

func TestWatch(t *testing.T) {
	tape := newTape(t)
	p := &tensor.Param{Name: "w", Value: vector(2, 3)}
	a, b := tape.Watch(p), tape.Watch(p)
	if a != b {
		t.Error("watching twice gives two tensors")
	}
	other := tape.Watch(&tensor.Param{Value: p.Value})
	y := a.Mul(b).Add(other)
	g := tape.Grad(y, a, other)
	expect(t, "gradient by the parameter", g[0], 4, 6)
	expect(t, "gradient by another one of the same values", g[1], 1, 1)
	if tape.Close(); len(p.Value.Data()) != 2 || p.Value.Data()[0] != 2 {
		t.Error("closing the tape changed the parameter")
	}
}

// Variable on a recorded tensor starts anew.
func TestVariableCutsOff(t *testing.T) {
	tape := newTape(t)
	x := tape.Variable(vector(3))
	h := x.Square()
	v := tape.Variable(h)
	g := tape.Grad(v.Mul(h), x, v)
	expect(t, "gradient by x", g[0], 9*6)
	expect(t, "gradient by the new variable", g[1], 9)
}

func TestBind(t *testing.T) {
	tape := newTape(t)
	x := tape.Variable(vector(1, 2))
	if tape.Bind(x) != x {
		t.Error("a tensor of the tape is bound again")
	}
	c := tape.Bind(vector(3, 4))
	expect(t, "gradient beside a bound constant", tape.Grad(c.Mul(x), x)[0], 3, 4)
	expectPanic(t, "tensor: gradient with respect to a constant", func() { tape.Grad(c.Mul(x), c) })
}

func TestTapeMisuse(t *testing.T) {
	a, b := newTape(t), newTape(t)
	x, y := a.Variable(vector(1)), b.Variable(vector(2))
	expectPanic(t, "tensor: operands on two tapes", func() { x.Add(y) })
	expectPanic(t, "tensor: gradient with respect to a constant", func() { a.Grad(x, vector(1)) })
	expectPanic(t, "tensor: gradient on another tape", func() { a.Grad(x, y) })
	expectPanic(t, "tensor: gradient on another tape", func() { a.Grad(y, x) })
}

// The nth derivative of x^5, each taken of the one before.
func TestHigherOrders(t *testing.T) {
	tape := newTape(t)
	x := tape.Variable(vector(0.5, -2))
	for name, y := range map[string]*tensor.Tensor{
		"power":    x.Pow(5),
		"products": x.Mul(x).Mul(x.Square()).Mul(x),
	} {
		factor, d := 1.0, y
		for n := 1; n <= 6; n++ {
			d = tape.GradGraph(d, x)[0]
			factor *= float64(6 - n)
			want := elementwise(func(x float64) float64 {
				if n > 5 {
					return 0
				}
				return factor * math.Pow(x, float64(5-n))
			})([]array{{dim: []int{2}, v: []float64{0.5, -2}}})
			// Small numbers, but pow is not exact.
			compare(t, name, d, want, 1e-6)
		}
	}
}

// Higher derivatives of powers of a selection are those of the power where an
// element is selected and 0 elsewhere. They go through the gradients of the
// gradient rules, which the table of operations does not reach.
func TestHigherOrdersOfSelections(t *testing.T) {
	x := []float32{0.5, -2, 1.5, -0.75, 3, -1} // [3,2]
	relu := []bool{true, false, true, false, true, false}
	all := []bool{true, true, true, true, true, true}
	swap := tensor.MustIndex([]int32{2, 0, 1}, 3)
	eye := tensor.FromSlice([]float32{1, 0, 0, 1}, 2, 2)
	permutation := tensor.NewSparse(tensor.SparseConfig{Rows: 3, Cols: 3, Width: 1, Col: []int32{1, 2, 0}})
	for name, c := range map[string]struct {
		f        func(x *tensor.Tensor) *tensor.Tensor
		selected []bool
	}{
		"Pick":      {func(x *tensor.Tensor) *tensor.Tensor { return tensor.Pick(x, []int32{1, -1, 0}) }, []bool{false, true, false, false, true, false}},
		"Slice":     {func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, 1, 2) }, []bool{false, false, true, true, false, false}},
		"Split":     {func(x *tensor.Tensor) *tensor.Tensor { return x.Split(1, 1, 1)[1] }, []bool{false, true, false, true, false, true}},
		"ReLU":      {(*tensor.Tensor).ReLU, relu},
		"LeakyReLU": {func(x *tensor.Tensor) *tensor.Tensor { return x.LeakyReLU(0) }, relu},
		"Clamp":     {func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(0, 9) }, relu},
		"Concat":    {func(x *tensor.Tensor) *tensor.Tensor { return tensor.Concat(1, tensor.New(3, 1), x) }, all},
		"Reshape":   {func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(-1) }, all},
		"Transpose": {(*tensor.Tensor).Transpose, all},
		"Permute":   {func(x *tensor.Tensor) *tensor.Tensor { return x.Permute(1, 0) }, all},
		"Expand":    {func(x *tensor.Tensor) *tensor.Tensor { return x.Expand(1, 3, 2) }, all},
		"SumTo":     {func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(1, 3, 2).SumTo(3, 2) }, all},
		"MaxAxis":   {func(x *tensor.Tensor) *tensor.Tensor { return x.MaxAxis(1) }, relu},
		"SegmentMax": {func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.SegmentMax(x.Reshape(-1), tensor.MustIndex([]int32{0, 0, 1, 1, 2, 2}, 3))
		}, relu},
		"Gather":     {func(x *tensor.Tensor) *tensor.Tensor { return tensor.Gather(x, swap) }, all},
		"SegmentSum": {func(x *tensor.Tensor) *tensor.Tensor { return tensor.SegmentSum(x, swap) }, all},
		"MatMul":     {func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(eye) }, all},
		"Affine": {func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.Affine(x, eye, nil, tensor.AffineConfig{ReLU: true})
		}, relu},
		"SpMM": {func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.SpMM(permutation, x, tensor.SpMMConfig{ReLU: true})
		}, relu},
		"SpMM self": {func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.SpMM(permutation, tensor.New(3, 2), tensor.SpMMConfig{Self: x, SelfW: vector(1, 1, 1)})
		}, all},
	} {
		t.Run(name, func(t *testing.T) {
			tape := newTape(t)
			v := tape.Variable(tensor.FromSlice(x, 3, 2))
			expectPower := func(d *tensor.Tensor, factor, power float64) {
				t.Helper()
				want := array{dim: []int{3, 2}, v: make([]float64, len(x))}
				for i, on := range c.selected {
					if on {
						want.v[i] = factor * math.Pow(float64(x[i]), power)
					}
				}
				// Products of small integers and quarters are nearly exact.
				compare(t, fmt.Sprintf("%gx^%g", factor, power), d, want, 1e-6)
			}
			y := c.f(v)
			d := y.Square().Square()
			for n, factor := range []float64{4, 12, 24, 24, 0} {
				d = tape.GradGraph(d, v)[0]
				expectPower(d, factor, float64(max(3-n, 0)))
			}
			// Squares between the derivatives make the incoming gradient depend
			// on x in every one of them.
			d = tape.GradGraph(y.Square().Mul(y), v)[0]
			expectPower(d, 3, 2)
			d = tape.GradGraph(d.Square(), v)[0]
			expectPower(d, 36, 3)
			d = tape.GradGraph(d.Square(), v)[0]
			expectPower(d, 7776, 5)
		})
	}
}

// The gradient penalty of a Wasserstein critic D(x) = v·tanh(W x): the mean
// over the samples of (|∇D| - 1)². The reference differentiates by x by hand,
// in float64, and by the parameters with central differences.
func TestGradientPenalty(t *testing.T) {
	r := source("penalty")
	const samples, in, hidden = 5, 3, 4
	x, w, v := normalish(r, samples, in), normalish(r, in, hidden), normalish(r, hidden, 1)
	reference := func(p []array) float64 {
		w, v := p[0], p[1]
		h := elementwise(math.Tanh)([]array{product(x, w, false, false)})
		var penalty float64
		for s := range samples {
			var norm float64
			for i := range in {
				var g float64
				for k := range hidden {
					g += w.at(i, k) * (1 - h.at(s, k)*h.at(s, k)) * v.at(k, 0)
				}
				norm += g * g
			}
			penalty += math.Pow(math.Sqrt(norm)-1, 2) / samples
		}
		return penalty
	}

	tape := newTape(t)
	vars := variables(tape, []array{w, v})
	xv := tape.Variable(x.tensor())
	score := xv.MatMul(vars[0]).Tanh().MatMul(vars[1])
	g := tape.GradGraph(score, xv)[0]
	penalty := g.Square().SumAxis(1).Sqrt().AddScalar(-1).Square().Mean()
	params := []array{w, v}
	if got, want := float64(penalty.Item()), reference(params); math.Abs(got-want) > 1e-6 {
		t.Errorf("penalty %v, want %v", got, want)
	}
	want := differences(reference, params)
	for i, g := range tape.Grad(penalty, vars...) {
		compare(t, "gradient of the penalty", g, want[i], gradTol)
	}
}

// Values at kinks and limits, which the table of operations stays away from.
func TestSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	slots := tensor.MustIndex([]int32{0, 0, 0, 2}, 3)
	for _, c := range []struct {
		name          string
		x             []float32
		f             func(x *tensor.Tensor) *tensor.Tensor
		value, slope  []float32
		valueTolerant float64
	}{
		{"abs at 0", []float32{0}, (*tensor.Tensor).Abs, []float32{0}, []float32{0}, 0},
		{"relu at 0", []float32{0, nan}, (*tensor.Tensor).ReLU, []float32{0, nan}, []float32{0, 0}, 0},
		{"clamp at its limits", []float32{-1, 2, nan}, func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(-1, 2) },
			[]float32{-1, 2, nan}, []float32{1, 1, 0}, 0},
		{"sqrt at 0", []float32{0, -1}, (*tensor.Tensor).Sqrt, []float32{0, nan}, []float32{inf, nan}, 0},
		{"log at 0", []float32{0}, (*tensor.Tensor).Log, []float32{-inf}, []float32{inf}, 0},
		{"pow 0 at 0", []float32{0}, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(0) }, []float32{1}, []float32{0}, 0},
		{"pow 1 at 0", []float32{0}, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(1) }, []float32{0}, []float32{1}, 0},
		{"pow 2 at 0", []float32{0}, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(2) }, []float32{0}, []float32{0}, 0},
		{"sigmoid far out", []float32{-200, 200}, (*tensor.Tensor).Sigmoid, []float32{0, 1}, []float32{0, 0}, 1e-30},
		{"tanh far out", []float32{-200, 200}, (*tensor.Tensor).Tanh, []float32{-1, 1}, []float32{0, 0}, 1e-30},
		{"softplus far out", []float32{-200, 200}, (*tensor.Tensor).Softplus, []float32{0, 200}, []float32{0, 1}, 1e-30},
		{"softmax of large values", []float32{1000, 0, 1000}, (*tensor.Tensor).Softmax, []float32{0.5, 0, 0.5}, []float32{0, 0, 0}, 0},
		{"log softmax of large values", []float32{1000, 0}, (*tensor.Tensor).LogSoftmax, []float32{0, -1000}, []float32{-1, 1}, 0},
		{"segment softmax of large values", []float32{1000, 0, 1000, -1000}, func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.SegmentSoftmax(x, slots)
		}, []float32{0.5, 0, 0.5, 1}, []float32{0, 0, 0, 0}, 0},
		{"tied maxima", []float32{2, 1, 2, 2}, func(x *tensor.Tensor) *tensor.Tensor { return x.MaxAxis(0).MulScalar(3) },
			[]float32{6}, []float32{1, 0, 1, 1}, 0},
		{"tied maxima of segments", []float32{2, 2, 1, -4}, func(x *tensor.Tensor) *tensor.Tensor { return tensor.SegmentMax(x, slots) },
			[]float32{2, 0, -4}, []float32{0.5, 0.5, 0, 1}, 0},
		{"mean of nothing", nil, (*tensor.Tensor).Mean, []float32{nan}, nil, 0},
		{"mean of an empty axis", nil, func(x *tensor.Tensor) *tensor.Tensor { return x.MeanAxis(0) }, []float32{nan}, nil, 0},
		{"nan in a sum", []float32{1, nan}, (*tensor.Tensor).Sum, []float32{nan}, []float32{1, 1}, 0},
		{"nan in a maximum", []float32{1, nan, 2}, func(x *tensor.Tensor) *tensor.Tensor { return x.MaxAxis(0) },
			[]float32{nan}, []float32{0, 1, 0}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			tape := newTape(t)
			x := tape.Variable(vector(c.x...))
			y := c.f(x)
			for what, p := range map[string][2][]float32{
				"value": {y.Data(), c.value}, "gradient": {tape.Grad(y, x)[0].Data(), c.slope},
			} {
				if !slices.EqualFunc(p[0], p[1], func(a, b float32) bool {
					return a == b || a != a && b != b || math.Abs(float64(a-b)) <= c.valueTolerant
				}) {
					t.Errorf("%s is %v, want %v", what, p[0], p[1])
				}
			}
		})
	}
}
