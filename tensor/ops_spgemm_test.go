package tensor_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// spgemmForms are triples of structures whose shapes make a product, with
// repeated entries, empty rows, shared weights and coefficients among them.
func spgemmForms() map[string][3]tensor.SparseConfig {
	f := sparseForms()
	square := tensor.SparseConfig{Rows: 5, Cols: 4, Ptr: []int32{0, 1, 3, 3, 6, 7}, Col: []int32{2, 0, 3, 1, 2, 1, 3}}
	pattern := tensor.SparseConfig{Rows: 4, Cols: 4, Ptr: []int32{0, 3, 4, 4, 7}, Col: []int32{0, 2, 2, 1, 3, 0, 1}}
	shared := pattern
	shared.Weight, shared.NumWeights, shared.Coef = []int32{0, 1, 0, 2, 2, 4, 1}, 5, []float32{0.5, 1, 2, 1.5, 0.25, 1, 3}
	full := *tensor.NewSparse(f["rows"]).Product(tensor.NewSparse(square))
	sym := tensor.NewSparse(f["symmetric"])
	return map[string][3]tensor.SparseConfig{
		"plain":          {f["rows"], square, pattern},
		"whole product":  {f["rows"], square, full.SparseConfig},
		"coefficients":   {f["coef"], square, pattern},
		"shared weights": {f["shared weights, coef"], square, shared},
		"symmetric":      {f["symmetric"], f["symmetric"], sym.Product(sym).SparseConfig},
		"widths":         {f["width"], {Rows: 4, Cols: 4, Width: 1}, {Rows: 3, Cols: 4, Width: 2, Col: []int32{0, 1, 3, 3, 2, 0}}},
		"no entries":     {f["no entries"], {Rows: 3, Cols: 2, Width: 1, Col: []int32{0, 1, 1}}, {Rows: 2, Cols: 2, Width: 1, Col: []int32{0, 1}}},
		"no inner size":  {f["no columns"], {Rows: 0, Cols: 2, Ptr: []int32{0}, Col: []int32{}}, {Rows: 2, Cols: 2, Width: 1, Col: []int32{0, 1}}},
	}
}

func spgemmCases() []opCase {
	var cases []opCase
	forms := spgemmForms()
	for _, name := range sortedKeys(forms) {
		s := forms[name]
		a, b, c := tensor.NewSparse(s[0]), tensor.NewSparse(s[1]), tensor.NewSparse(s[2])
		r := source("SpGEMM" + name)
		av, bv := normalish(r, numWeights(s[0])), normalish(r, numWeights(s[1]))
		ones := func(n int) array { return build([]int{n}, func([]int) float64 { return 1 }) }
		cases = append(cases,
			opCase{op: "SpGEMM", name: name, in: []array{av, bv},
				run:  binary(func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.SpGEMM(a, b, c, x, y) }),
				want: func(x []array) array { return spgemm(s, x[0], x[1]) }},
			opCase{op: "SpGEMM", name: name + ", left weights", in: []array{av},
				run:  func(x []*tensor.Tensor) *tensor.Tensor { return tensor.SpGEMM(a, b, c, x[0], nil) },
				want: func(x []array) array { return spgemm(s, x[0], ones(numWeights(s[1]))) }},
			opCase{op: "SpGEMM", name: name + ", right weights", in: []array{bv},
				run:  func(x []*tensor.Tensor) *tensor.Tensor { return tensor.SpGEMM(a, b, c, nil, x[0]) },
				want: func(x []array) array { return spgemm(s, ones(numWeights(s[0])), x[0]) }})
	}
	return cases
}

func spgemm(s [3]tensor.SparseConfig, av, bv array) array {
	out := array{dim: []int{numWeights(s[2])}, v: make([]float64, numWeights(s[2]))}
	for _, c := range entriesOf(s[2]) {
		for _, a := range entriesOf(s[0]) {
			for _, b := range entriesOf(s[1]) {
				if a.row == c.row && a.col == b.row && b.col == c.col {
					out.v[c.weight] += c.coef * a.coef * av.v[a.weight] * b.coef * bv.v[b.weight]
				}
			}
		}
	}
	return out
}

func largeSpGEMMCases() []largeCase {
	a, b := randomSparse(700, 6*700, true), randomSparse(700, 5*700, false)
	c := a.Product(b)
	return []largeCase{{"SpGEMM", "", [][]int{{a.NumWeights}, {b.NumWeights}},
		binary(func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.SpGEMM(a, b, c, x, y) })}}
}

func spgemmShapeErrors() []shapeErrorCase {
	z := tensor.New
	at := func(rows, cols int) *tensor.Sparse {
		return tensor.NewSparse(tensor.SparseConfig{Rows: rows, Cols: cols, Width: 1, Col: make([]int32, rows)})
	}
	return []shapeErrorCase{
		{"SpGEMM", "inner sizes", func() { tensor.SpGEMM(at(2, 3), at(4, 5), at(2, 5), nil, nil) }},
		{"SpGEMM", "rows of the pattern", func() { tensor.SpGEMM(at(2, 3), at(3, 5), at(3, 5), nil, nil) }},
		{"SpGEMM", "columns of the pattern", func() { tensor.SpGEMM(at(2, 3), at(3, 5), at(2, 4), nil, nil) }},
		{"SpGEMM", "weights left", func() { tensor.SpGEMM(at(2, 3), at(3, 5), at(2, 5), z(3), nil) }},
		{"SpGEMM", "weights right", func() { tensor.SpGEMM(at(2, 3), at(3, 5), at(2, 5), nil, z(2)) }},
	}
}

// The structure of a product has each place once, columns rising.
func TestProductStructure(t *testing.T) {
	for name, s := range spgemmForms() {
		p := tensor.NewSparse(s[0]).Product(tensor.NewSparse(s[1]))
		var want [][2]int
		for _, a := range entriesOf(s[0]) {
			for _, b := range entriesOf(s[1]) {
				if a.col == b.row {
					want = append(want, [2]int{a.row, b.col})
				}
			}
		}
		slices.SortFunc(want, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
		want = slices.Compact(want)
		var got [][2]int
		for _, e := range entriesOf(p.SparseConfig) {
			got = append(got, [2]int{e.row, e.col})
		}
		if !slices.Equal(got, want) || p.Rows != s[0].Rows || p.Cols != s[1].Cols {
			t.Errorf("%s: entries %v, want %v", name, got, want)
		}
	}
	defer func() {
		if _, ok := recover().(*tensor.ShapeError); !ok {
			t.Error("no panic with *tensor.ShapeError")
		}
	}()
	f := sparseForms()
	tensor.NewSparse(f["rows"]).Product(tensor.NewSparse(f["rows"]))
}
