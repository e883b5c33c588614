package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/tensor"
)

// method makes a run function of a method without arguments.
func method(f func(x *tensor.Tensor) *tensor.Tensor) func(x []*tensor.Tensor) *tensor.Tensor {
	return func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0]) }
}

// binary makes a run function of a method with one argument.
func binary(f func(x, y *tensor.Tensor) *tensor.Tensor) func(x []*tensor.Tensor) *tensor.Tensor {
	return func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], x[1]) }
}

func elementwiseCases() []opCase {
	anywhere := func(r *rand.Rand, dim ...int) array { return normalish(r, dim...) }
	positive := func(r *rand.Rand, dim ...int) array { return uniform(r, 0.4, 1.6, dim...) }
	apart := func(kinks ...float64) func(r *rand.Rand, dim ...int) array {
		return func(r *rand.Rand, dim ...int) array { return awayFrom(r, kinks, dim...) }
	}
	slope := float64(float32(0.2)) // the engine's constants are float32
	p := float64(float32(1.7))
	var cases []opCase
	for _, u := range []struct {
		op, name string
		domain   func(r *rand.Rand, dim ...int) array
		run      func(x *tensor.Tensor) *tensor.Tensor
		want     func(x float64) float64
	}{
		{"Neg", "", anywhere, (*tensor.Tensor).Neg, func(x float64) float64 { return -x }},
		{"RoundGrad", "", anywhere, (*tensor.Tensor).RoundGrad, func(v float64) float64 { return v }},
		{"Abs", "", apart(0), (*tensor.Tensor).Abs, math.Abs},
		{"Square", "", anywhere, (*tensor.Tensor).Square, func(x float64) float64 { return x * x }},
		{"Sqrt", "", positive, (*tensor.Tensor).Sqrt, math.Sqrt},
		{"Rsqrt", "", positive, (*tensor.Tensor).Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }},
		{"Recip", "", apart(0, -0.1, -0.2, -0.3, 0.1, 0.2, 0.3), (*tensor.Tensor).Recip, func(x float64) float64 { return 1 / x }},
		{"Exp", "", anywhere, (*tensor.Tensor).Exp, math.Exp},
		{"Log", "", positive, (*tensor.Tensor).Log, math.Log},
		{"Sigmoid", "", anywhere, (*tensor.Tensor).Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		{"Tanh", "", anywhere, (*tensor.Tensor).Tanh, math.Tanh},
		{"Softplus", "", anywhere, (*tensor.Tensor).Softplus, func(x float64) float64 { return math.Log1p(math.Exp(x)) }},
		{"ReLU", "", apart(0), (*tensor.Tensor).ReLU, relu},
		{"LeakyReLU", "", apart(0), func(x *tensor.Tensor) *tensor.Tensor { return x.LeakyReLU(0.2) },
			func(x float64) float64 { return math.Max(x, slope*x) }},
		{"Clamp", "", apart(-0.5, 0.7), func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(-0.5, 0.7) },
			func(x float64) float64 { return math.Min(math.Max(x, -0.5), float64(float32(0.7))) }},
		{"Pow", "1.7", positive, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(1.7) },
			func(x float64) float64 { return math.Pow(x, p) }},
		{"Pow", "-1", positive, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(-1) },
			func(x float64) float64 { return 1 / x }},
		{"Pow", "3", anywhere, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(3) },
			func(x float64) float64 { return x * x * x }},
		{"Pow", "2", anywhere, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(2) },
			func(x float64) float64 { return x * x }},
		{"Pow", "1", anywhere, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(1) },
			func(x float64) float64 { return x }},
		{"Pow", "0", anywhere, func(x *tensor.Tensor) *tensor.Tensor { return x.Pow(0) },
			func(x float64) float64 { return 1 }},
		{"AddScalar", "", anywhere, func(x *tensor.Tensor) *tensor.Tensor { return x.AddScalar(0.75) },
			func(x float64) float64 { return x + 0.75 }},
		{"MulScalar", "", anywhere, func(x *tensor.Tensor) *tensor.Tensor { return x.MulScalar(-1.25) },
			func(x float64) float64 { return x * -1.25 }},
	} {
		for _, dim := range [][]int{{3, 7}, {2, 1, 3, 2}, {1}, {}, {0, 3}} {
			name := fmt.Sprintf("%s%v", u.name, dim)
			cases = append(cases, opCase{
				op: u.op, name: name, in: []array{u.domain(source(u.op+name), dim...)},
				run: method(u.run), want: elementwise(u.want),
			})
		}
	}
	return append(cases, broadcastCases()...)
}

// broadcastCases has every layout in which one operand repeats in the other,
// on both sides.
func broadcastCases() []opCase {
	var cases []opCase
	for _, b := range []struct {
		op   string
		run  func(x, y *tensor.Tensor) *tensor.Tensor
		want func(x, y float64) float64
	}{
		{"Add", (*tensor.Tensor).Add, func(x, y float64) float64 { return x + y }},
		{"Sub", (*tensor.Tensor).Sub, func(x, y float64) float64 { return x - y }},
		{"Mul", (*tensor.Tensor).Mul, func(x, y float64) float64 { return x * y }},
		{"Div", (*tensor.Tensor).Div, func(x, y float64) float64 { return x / y }},
	} {
		for _, l := range []struct {
			layout string
			x, y   []int
		}{
			{"same", []int{3, 4}, []int{3, 4}},
			{"scalar", []int{3, 4}, []int{}},
			{"scalar left", []int{}, []int{3, 4}},
			{"scalar of rank 2", []int{3, 4}, []int{1, 1}},
			{"both scalars", []int{}, []int{}},
			{"one element, more axes", []int{1}, []int{1, 1, 1}},
			{"row", []int{3, 4}, []int{4}},
			{"row left", []int{4}, []int{3, 4}},
			{"row of rank 2", []int{3, 4}, []int{1, 4}},
			{"row of two axes", []int{2, 3, 4}, []int{3, 4}},
			{"column", []int{3, 4}, []int{3, 1}},
			{"column left", []int{3, 1}, []int{3, 4}},
			{"column of two axes", []int{2, 3, 4}, []int{2, 3, 1}},
			{"column of the first axis", []int{2, 3, 4}, []int{2, 1, 1}},
			{"leading ones", []int{1, 1, 5}, []int{5}},
			{"general middle", []int{2, 3, 4}, []int{2, 1, 4}},
			{"general middle left", []int{2, 1, 4}, []int{2, 3, 4}},
			{"general inner", []int{2, 3, 4}, []int{3, 1}},
			{"general rank 4", []int{2, 3, 2, 2}, []int{3, 1, 2}},
			{"both repeat", []int{3, 1}, []int{1, 4}},
			{"both repeat, ranks differ", []int{3, 1}, []int{4}},
			{"both repeat, rank 3", []int{2, 1, 4}, []int{1, 3, 1}},
			{"no rows", []int{0, 4}, []int{4}},
			{"no rows, column", []int{0, 4}, []int{0, 1}},
			{"no columns", []int{3, 0}, []int{3, 1}},
			{"repeated zero times", []int{0, 4}, []int{1, 1}},
			{"one row", []int{1, 4}, []int{4}},
		} {
			r := source(b.op + l.layout)
			cases = append(cases, opCase{
				op: b.op, name: l.layout,
				// Away from 0, because the second operand may divide.
				in:  []array{normalish(r, l.x...), awayFrom(r, []float64{-0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4}, l.y...)},
				run: binary(b.run), want: pairwise(b.want),
			})
		}
		// The same tensor on both sides: two gradients meet in one operand.
		cases = append(cases, opCase{
			op: b.op, name: "with itself", in: []array{uniform(source(b.op), 0.5, 1.5, 3, 2)},
			run:  func(x []*tensor.Tensor) *tensor.Tensor { return b.run(x[0], x[0]) },
			want: func(x []array) array { return pairwise(b.want)([]array{x[0], x[0]}) },
		})
	}
	// 1030 elements exceed the block worked on at once.
	for _, dim := range [][]int{{3, 2}, {0, 3}, {1030}, {2, 1, 3}} {
		r := source("AddMul" + fmt.Sprint(dim))
		cases = append(cases, opCase{
			op: "AddMul", name: fmt.Sprint(dim), in: []array{normalish(r, dim...), normalish(r, dim...), normalish(r, dim...)},
			run: func(x []*tensor.Tensor) *tensor.Tensor { return tensor.AddMul(x[0], x[1], x[2]) },
			want: func(in []array) array {
				out := in[0].clone()
				for i := range out.v {
					out.v[i] += in[1].v[i] * in[2].v[i]
				}
				return out
			},
		})
	}
	return append(cases, opCase{
		op: "AddMul", name: "with itself", in: []array{normalish(source("AddMul"), 3, 2)},
		run: func(x []*tensor.Tensor) *tensor.Tensor { return tensor.AddMul(x[0], x[0], x[0]) },
		want: func(in []array) array {
			return build(in[0].dim, func(at []int) float64 { v := in[0].at(at...); return v + v*v })
		},
	})
}
