package tensor_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

func neighbourMaxCases() []opCase {
	var cases []opCase
	forms := sparseForms()
	for _, form := range sortedKeys(forms) {
		s := forms[form]
		a := tensor.NewSparse(s)
		for _, d := range []int{0, 1, 3, 19} {
			name := fmt.Sprintf("%s, width %d", form, d)
			cases = append(cases, opCase{op: "NeighbourMax", name: name, in: []array{distinct(source("NeighbourMax"+name), s.Cols, d)},
				run: method(func(x *tensor.Tensor) *tensor.Tensor { return tensor.NeighbourMax(a, x) }),
				want: func(x []array) array {
					sent, rows := array{dim: []int{0, d}}, []int32{}
					for _, e := range entriesOf(s) {
						sent.v = append(sent.v, x[0].v[e.col*d:(e.col+1)*d]...)
						sent.dim[0]++
						rows = append(rows, int32(e.row))
					}
					return segmentReduce(sent, rows, s.Rows, largest)
				}})
		}
	}
	return cases
}

// largeNeighbourMaxCases are split among threads.
func largeNeighbourMaxCases() []largeCase {
	var cases []largeCase
	for name, a := range map[string]*tensor.Sparse{
		"rows": randomSparse(largeRows, 4*largeRows, true), "width": randomSparse(largeRows, 4*largeRows, false)} {
		cases = append(cases, largeCase{"NeighbourMax", name, [][]int{{largeRows, largeCols}},
			method(func(x *tensor.Tensor) *tensor.Tensor { return tensor.NeighbourMax(a, x) })})
	}
	return cases
}

func neighbourMaxShapeErrors() []shapeErrorCase {
	a := tensor.NewSparse(tensor.SparseConfig{Rows: 2, Cols: 3, Ptr: []int32{0, 1, 2}, Col: []int32{0, 2}})
	return []shapeErrorCase{
		{"NeighbourMax", "rows", func() { tensor.NeighbourMax(a, tensor.New(2, 4)) }},
		{"NeighbourMax", "no matrix", func() { tensor.NeighbourMax(a, tensor.New(3)) }},
	}
}
