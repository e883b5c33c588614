package tensor_test

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// reduceCases covers sums, means, maxima and the softmaxes of one axis.
func reduceCases() []opCase {
	var cases []opCase
	add := func(op, name string, in array, run func(x *tensor.Tensor) *tensor.Tensor, want func(x array) array) {
		cases = append(cases, opCase{op: op, name: name, in: []array{in}, run: method(run),
			want: func(x []array) array { return want(x[0]) }})
	}
	for _, dim := range [][]int{{3, 4}, {2, 3, 2, 2}, {1}, {}, {0, 3}} {
		x := normalish(source(fmt.Sprint("reduce", dim)), dim...)
		add("Sum", fmt.Sprint(dim), x, (*tensor.Tensor).Sum, func(x array) array { return sumTo(x) })
		if len(x.v) > 0 { // the mean of nothing is NaN: TestNaN
			add("Mean", fmt.Sprint(dim), x, (*tensor.Tensor).Mean,
				func(x array) array { return scaled(sumTo(x), 1/float64(len(x.v))) })
		}
	}
	for _, dim := range [][]int{{3, 4}, {2, 3, 4}, {2, 3, 2, 2}, {5}, {1, 4}, {4, 1}, {0, 3}, {3, 0}} {
		for axis := range dim {
			r := source(fmt.Sprint("axis", axis, dim))
			x := distinct(r, dim...)
			for _, given := range []int{axis, axis - len(dim)} {
				name := fmt.Sprintf("%d of %v", given, dim)
				sumAxis := func(x array) array { return overAxis(x, axis, total) }
				add("SumAxis", name, x, func(x *tensor.Tensor) *tensor.Tensor { return x.SumAxis(given) }, sumAxis)
				if dim[axis] == 0 {
					continue
				}
				add("MeanAxis", name, x, func(x *tensor.Tensor) *tensor.Tensor { return x.MeanAxis(given) },
					func(x array) array { return scaled(sumAxis(x), 1/float64(dim[axis])) })
				add("MaxAxis", name, x, func(x *tensor.Tensor) *tensor.Tensor { return x.MaxAxis(given) },
					func(x array) array { return overAxis(x, axis, maximum) })
			}
		}
		x := normalish(source(fmt.Sprint("softmax", dim)), dim...)
		add("Softmax", fmt.Sprint(dim), x, (*tensor.Tensor).Softmax,
			func(x array) array { return elementwise(math.Exp)([]array{logSoftmax(x)}) })
		add("LogSoftmax", fmt.Sprint(dim), x, (*tensor.Tensor).LogSoftmax, logSoftmax)
	}
	for _, s := range []struct{ from, to []int }{
		{[]int{3, 4}, []int{3, 4}}, {[]int{3, 4}, []int{}}, {[]int{3, 4}, []int{1, 1}}, {[]int{3, 4}, []int{4}},
		{[]int{3, 4}, []int{1, 4}}, {[]int{3, 4}, []int{3, 1}}, {[]int{2, 3, 4}, []int{3, 1}},
		{[]int{2, 3, 4}, []int{2, 1, 4}}, {[]int{2, 3, 4}, []int{1, 3, 1}}, {[]int{2, 3, 4}, []int{2, 1, 1}},
		{[]int{2, 3, 2, 2}, []int{3, 1, 2}}, {[]int{0, 4}, []int{4}}, {[]int{0, 4}, []int{0, 1}}, {[]int{3, 0}, []int{3, 1}},
	} {
		add("SumTo", fmt.Sprint(s.from, s.to), normalish(source(fmt.Sprint(s)), s.from...),
			func(x *tensor.Tensor) *tensor.Tensor { return x.SumTo(s.to...) },
			func(x array) array { return sumTo(x, s.to...) })
		add("Expand", fmt.Sprint(s.to, s.from), normalish(source(fmt.Sprint(s)), s.to...),
			func(x *tensor.Tensor) *tensor.Tensor { return x.Expand(s.from...) },
			func(x array) array { return build(s.from, x.repeated) })
	}
	return cases
}

// layoutCases covers what moves elements without computing.
func layoutCases() []opCase {
	var cases []opCase
	add := func(op, name string, run func(x []*tensor.Tensor) *tensor.Tensor, want func(x []array) array, dims ...[]int) {
		c := opCase{op: op, name: name, run: run, want: want}
		r := source(op + name)
		for _, dim := range dims {
			c.in = append(c.in, normalish(r, dim...))
		}
		cases = append(cases, c)
	}

	for _, s := range []struct{ from, to, args []int }{
		{[]int{3, 4}, []int{2, 6}, []int{2, 6}}, {[]int{3, 4}, []int{12}, []int{-1}}, {[]int{3, 4}, []int{2, 3, 2}, []int{2, -1, 2}},
		{[]int{3, 4}, []int{3, 4}, []int{3, -1}}, {[]int{}, []int{1, 1}, []int{1, 1}}, {[]int{1}, []int{}, nil},
		{[]int{0, 4}, []int{4, 0}, []int{4, -1}}, {[]int{0, 4}, []int{0, 2}, []int{0, 2}},
	} {
		add("Reshape", fmt.Sprint(s.from, s.args), func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Reshape(s.args...) },
			func(x []array) array { return array{dim: s.to, v: x[0].v} }, s.from)
	}

	permuted := func(x array, order []int) array {
		dim := make([]int, len(order))
		for i, a := range order {
			dim[i] = x.dim[a]
		}
		return build(dim, func(idx []int) float64 {
			from := make([]int, len(idx))
			for i, a := range order {
				from[a] = idx[i]
			}
			return x.at(from...)
		})
	}
	for _, dim := range [][]int{{3, 4}, {2, 3, 4}, {2, 3, 2, 4}, {1, 4}, {4, 1}, {0, 3}, {2, 0, 3}} {
		order := make([]int, len(dim))
		for i := range order {
			order[i] = i
		}
		n := len(dim)
		order[n-1], order[n-2] = n-2, n-1
		add("Transpose", fmt.Sprint(dim), func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Transpose() },
			func(x []array) array { return permuted(x[0], order) }, dim)
	}
	for _, s := range []struct{ dim, order []int }{
		{[]int{3, 4}, []int{1, 0}}, {[]int{3, 4}, []int{0, 1}}, {[]int{2, 3, 4}, []int{2, 0, 1}}, {[]int{2, 3, 4}, []int{1, 2, 0}},
		{[]int{2, 3, 2, 4}, []int{3, 1, 0, 2}}, {[]int{2, 1, 4}, []int{1, 0, 2}}, {[]int{5}, []int{0}}, {[]int{}, nil},
		{[]int{2, 0, 3}, []int{2, 1, 0}},
	} {
		add("Permute", fmt.Sprint(s.dim, s.order), func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Permute(s.order...) },
			func(x []array) array { return permuted(x[0], s.order) }, s.dim)
	}

	for _, s := range []struct {
		axis int
		dims [][]int
	}{
		{0, [][]int{{2, 3}, {1, 3}, {3, 3}}}, {1, [][]int{{2, 3}, {2, 1}}}, {-1, [][]int{{2, 2, 3}, {2, 2, 2}}},
		{1, [][]int{{2, 1, 3}, {2, 2, 3}}}, {0, [][]int{{2, 3}}}, {0, [][]int{{0, 3}, {2, 3}, {0, 3}}},
		{1, [][]int{{0, 3}, {0, 2}}}, {0, [][]int{{4}, {1}}},
	} {
		add("Concat", fmt.Sprint(s.axis, s.dims), func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Concat(s.axis, x...) },
			func(x []array) array { return concatenated(s.axis, x) }, s.dims...)
	}
	add("Concat", "with itself", func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Concat(1, x[0], x[1], x[0]) },
		func(x []array) array { return concatenated(1, []array{x[0], x[1], x[0]}) }, []int{2, 2}, []int{2, 1})

	for _, s := range []struct {
		dim          []int
		axis, lo, hi int
	}{
		{[]int{4, 3}, 0, 1, 3}, {[]int{4, 3}, 1, 0, 2}, {[]int{4, 3}, -1, 2, 3}, {[]int{2, 4, 3}, 1, 1, 4}, {[]int{4, 3}, 0, 2, 2},
		{[]int{4, 3}, 0, 0, 4}, {[]int{6}, 0, 5, 6}, {[]int{0, 3}, 0, 0, 0}, {[]int{0, 3}, 1, 1, 2},
	} {
		add("Slice", fmt.Sprint(s), func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Slice(s.axis, s.lo, s.hi) },
			func(x []array) array { return sliced(x[0], s.axis, s.lo, s.hi) }, s.dim)
	}
	// The parts are joined in another order, so that each matters by itself.
	add("Split", "three parts", func(x []*tensor.Tensor) *tensor.Tensor {
		p := x[0].Split(1, 2, 0, 3)
		return tensor.Concat(1, p[2], p[1], p[0].MulScalar(3))
	}, func(x []array) array {
		return concatenated(1, []array{sliced(x[0], 1, 2, 5), scaled(sliced(x[0], 1, 0, 2), 3)})
	}, []int{3, 5})
	add("Split", "first axis, a part unused", func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Split(-2, 1, 2)[1] },
		func(x []array) array { return sliced(x[0], 0, 1, 3) }, []int{3, 2})

	for _, s := range []struct {
		dim  []int
		cols []int32
	}{
		{[]int{4, 3}, []int32{2, 0, -1, 2}}, {[]int{1, 3}, []int32{1}}, {[]int{0, 3}, nil}, {[]int{2, 0}, []int32{-1, -1}},
	} {
		add("Pick", fmt.Sprint(s), func(x []*tensor.Tensor) *tensor.Tensor { return tensor.Pick(x[0], s.cols) },
			func(x []array) array {
				return build(s.dim[:1], func(idx []int) float64 {
					if c := s.cols[idx[0]]; c >= 0 {
						return x[0].at(idx[0], int(c))
					}
					return 0
				})
			}, s.dim)
	}
	return cases
}

func concatenated(axis int, parts []array) array {
	dim := append([]int(nil), parts[0].dim...)
	if axis < 0 {
		axis += len(dim)
	}
	dim[axis] = 0
	for _, p := range parts {
		dim[axis] += p.dim[axis]
	}
	return build(dim, func(idx []int) float64 {
		from := append([]int(nil), idx...)
		for _, p := range parts {
			if from[axis] < p.dim[axis] {
				return p.at(from...)
			}
			from[axis] -= p.dim[axis]
		}
		panic("index outside all parts")
	})
}

func sliced(x array, axis, lo, hi int) array {
	if axis < 0 {
		axis += len(x.dim)
	}
	dim := append([]int(nil), x.dim...)
	dim[axis] = hi - lo
	return build(dim, func(idx []int) float64 {
		from := append([]int(nil), idx...)
		from[axis] += lo
		return x.at(from...)
	})
}
