package tensor_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

func columnNormCases() []opCase {
	var cases []opCase
	// 40 rows exceed the 32 worked on at once.
	for _, dim := range [][2]int{{3, 4}, {1, 3}, {40, 2}, {3, 0}, {2, 17}} {
		n, d := dim[0], dim[1]
		name := fmt.Sprint(dim)
		r := source("ColumnNorm" + name)
		x := normalish(r, n, d)
		cases = append(cases,
			opCase{op: "ColumnVariance", name: name, in: []array{x, normalish(r, d)},
				run: binary(tensor.ColumnVariance),
				want: func(in []array) array {
					return build([]int{d}, func(at []int) float64 {
						sum := 0.0
						for i := range n {
							c := in[0].v[i*d+at[0]] - in[1].v[at[0]]
							sum += c * c
						}
						return sum / float64(n)
					})
				}},
			opCase{op: "ColumnNorm", name: name, in: []array{x, normalish(r, d), normalish(r, d), normalish(r, d)},
				run: func(x []*tensor.Tensor) *tensor.Tensor { return tensor.ColumnNorm(x[0], x[1], x[2], x[3]) },
				want: func(in []array) array {
					return build([]int{n, d}, func(at []int) float64 {
						j := at[1]
						return (in[0].v[at[0]*d+j]-in[1].v[j])*in[2].v[j] + in[3].v[j]
					})
				}})
	}
	return append(cases, opCase{op: "ColumnNorm", name: "no rows", in: []array{{dim: []int{0, 3}}, normalish(source("x"), 3), normalish(source("y"), 3), normalish(source("z"), 3)},
		run:  func(x []*tensor.Tensor) *tensor.Tensor { return tensor.ColumnNorm(x[0], x[1], x[2], x[3]) },
		want: func(in []array) array { return array{dim: []int{0, 3}} }})
}
