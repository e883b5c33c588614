package tensor_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

// headsCases tries every sparse structure with several heads.
func headsCases() []opCase {
	var cases []opCase
	forms := sparseForms()
	for _, form := range sortedKeys(forms) {
		s := forms[form]
		a := tensor.NewSparse(s)
		for _, shape := range [][2]int{{1, 3}, {3, 2}, {4, 1}, {2, 0}} {
			heads, width := shape[0], shape[0]*shape[1]
			name := fmt.Sprintf("%s, %d heads of %d", form, heads, shape[1])
			r := source("heads" + name)
			cases = append(cases,
				opCase{op: "SpMMHeads", name: name, in: []array{normalish(r, s.Cols, width), normalish(r, numWeights(s), heads)},
					run:  binary(func(x, w *tensor.Tensor) *tensor.Tensor { return tensor.SpMMHeads(a, x, w) }),
					want: func(x []array) array { return spmmHeads(s, x[0], x[1], heads) }},
				opCase{op: "SDDMMHeads", name: name, in: []array{normalish(r, s.Rows, width), normalish(r, s.Cols, width)},
					run:  binary(func(g, x *tensor.Tensor) *tensor.Tensor { return tensor.SDDMMHeads(a, g, x, heads) }),
					want: func(x []array) array { return sddmmHeads(s, x[0], x[1], heads) }})
		}
	}
	return cases
}

func spmmHeads(s tensor.SparseConfig, x, w array, heads int) array {
	out := x.withRows(s.Rows)
	_, width := out.rows()
	for _, e := range entriesOf(s) {
		for j := range width {
			out.v[e.row*width+j] += e.coef * w.at(e.weight, j/(width/heads)) * x.at(e.col, j)
		}
	}
	return out
}

func sddmmHeads(s tensor.SparseConfig, g, x array, heads int) array {
	out := array{dim: []int{numWeights(s), heads}, v: make([]float64, numWeights(s)*heads)}
	_, width := g.rows()
	for _, e := range entriesOf(s) {
		for j := range width {
			out.v[e.weight*heads+j/(width/heads)] += e.coef * g.at(e.row, j) * x.at(e.col, j)
		}
	}
	return out
}

// largeHeadsCases are split among threads.
func largeHeadsCases() []largeCase {
	const heads, width = 3, 36
	var cases []largeCase
	for name, a := range map[string]*tensor.Sparse{"rows": randomSparse(largeRows, 4*largeRows, true), "width": randomSparse(largeRows, 4*largeRows, false)} {
		n := []int{largeRows, width}
		cases = append(cases,
			largeCase{"SpMMHeads", name, [][]int{n, {a.NumWeights, heads}},
				binary(func(x, w *tensor.Tensor) *tensor.Tensor { return tensor.SpMMHeads(a, x, w) })},
			largeCase{"SDDMMHeads", name, [][]int{n, n},
				binary(func(g, x *tensor.Tensor) *tensor.Tensor { return tensor.SDDMMHeads(a, g, x, heads) })})
	}
	return cases
}

func headsShapeErrors() []shapeErrorCase {
	z := tensor.New
	a := tensor.NewSparse(tensor.SparseConfig{Rows: 2, Cols: 3, Ptr: []int32{0, 1, 2}, Col: []int32{0, 2}})
	return []shapeErrorCase{
		{"SpMMHeads", "rows of x", func() { tensor.SpMMHeads(a, z(2, 4), z(2, 2)) }},
		{"SpMMHeads", "x no matrix", func() { tensor.SpMMHeads(a, z(3, 2, 2), z(2, 2)) }},
		{"SpMMHeads", "rows of w", func() { tensor.SpMMHeads(a, z(3, 4), z(3, 2)) }},
		{"SpMMHeads", "w no matrix", func() { tensor.SpMMHeads(a, z(3, 4), z(2)) }},
		{"SpMMHeads", "heads that do not divide", func() { tensor.SpMMHeads(a, z(3, 4), z(2, 3)) }},
		{"SpMMHeads", "no heads", func() { tensor.SpMMHeads(a, z(3, 4), z(2, 0)) }},
		{"SDDMMHeads", "rows of g", func() { tensor.SDDMMHeads(a, z(3, 4), z(3, 4), 2) }},
		{"SDDMMHeads", "rows of x", func() { tensor.SDDMMHeads(a, z(2, 4), z(2, 4), 2) }},
		{"SDDMMHeads", "widths differ", func() { tensor.SDDMMHeads(a, z(2, 4), z(3, 2), 2) }},
		{"SDDMMHeads", "g no matrix", func() { tensor.SDDMMHeads(a, z(2, 2, 2), z(3, 4), 2) }},
		{"SDDMMHeads", "heads that do not divide", func() { tensor.SDDMMHeads(a, z(2, 4), z(3, 4), 3) }},
		{"SDDMMHeads", "no heads", func() { tensor.SDDMMHeads(a, z(2, 4), z(3, 4), 0) }},
	}
}
