package tensor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// productCases covers the dense products, plain, batched and fused.
func productCases() []opCase {
	var cases []opCase
	dims := func(a, b int, trans bool) []int {
		if trans {
			return []int{b, a}
		}
		return []int{a, b}
	}
	for _, s := range [][3]int{{3, 4, 2}, {1, 5, 3}, {3, 1, 2}, {1, 1, 1}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {5, 7, 9}} {
		m, k, n := s[0], s[1], s[2]
		for _, f := range []struct {
			op     string
			run    func(x, y *tensor.Tensor) *tensor.Tensor
			tx, ty bool
		}{
			{"MatMul", (*tensor.Tensor).MatMul, false, false},
			{"MatMulT", (*tensor.Tensor).MatMulT, false, true},
			{"TMatMul", (*tensor.Tensor).TMatMul, true, false},
		} {
			name := fmt.Sprint(s)
			r := source(f.op + name)
			cases = append(cases, opCase{op: f.op, name: name, run: binary(f.run),
				in:   []array{normalish(r, dims(m, k, f.tx)...), normalish(r, dims(k, n, f.ty)...)},
				want: func(x []array) array { return product(x[0], x[1], f.tx, f.ty) }})
		}
		for _, batch := range []int{0, 1, 3} {
			for _, t := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
				name := fmt.Sprint(batch, s, t)
				r := source("BatchMatMul" + name)
				cases = append(cases, opCase{op: "BatchMatMul", name: name,
					in: []array{
						normalish(r, append([]int{batch}, dims(m, k, t[0])...)...),
						normalish(r, append([]int{batch}, dims(k, n, t[1])...)...),
					},
					run:  binary(func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.BatchMatMul(x, y, t[0], t[1]) }),
					want: func(x []array) array { return product(x[0], x[1], t[0], t[1]) }})
			}
		}
		for flags := range 8 {
			c := tensor.AffineConfig{TransW: flags&1 != 0, ReLU: flags&2 != 0}
			cases = append(cases, affineCase(m, k, n, c, flags&4 != 0))
		}
	}
	cases = append(cases, sparseRowsCases()...)
	cases = append(cases, repeatCases()...)
	r := source("a square")
	return append(cases,
		opCase{op: "MatMul", name: "with itself", in: []array{normalish(r, 3, 3)},
			run:  func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MatMul(x[0]) },
			want: func(x []array) array { return product(x[0], x[0], false, false) }},
		opCase{op: "MatMulT", name: "with itself", in: []array{normalish(r, 3, 2)},
			run:  func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MatMulT(x[0]) },
			want: func(x []array) array { return product(x[0], x[0], false, true) }},
		opCase{op: "Affine", name: "bias of a column", in: []array{normalish(r, 3, 2), normalish(r, 2, 4), normalish(r, 4, 1)},
			run: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.Affine(x[0], x[1], x[2], tensor.AffineConfig{})
			},
			want: func(x []array) array {
				return affine([]array{x[0], x[1], {dim: []int{4}, v: x[2].v}}, tensor.AffineConfig{})
			}},
		opCase{op: "Affine", name: "bias of rank 2", in: []array{normalish(r, 3, 2), normalish(r, 2, 4), normalish(r, 1, 4)},
			run: func(x []*tensor.Tensor) *tensor.Tensor {
				return tensor.Affine(x[0], x[1], x[2], tensor.AffineConfig{})
			},
			want: func(x []array) array { return affine(x, tensor.AffineConfig{}) }})
}

func affineCase(m, k, n int, c tensor.AffineConfig, bias bool) opCase {
	name := fmt.Sprintf("[%d %d %d] %+v bias %v", m, k, n, c, bias)
	r := source("Affine" + name)
	w := []int{k, n}
	if c.TransW {
		w = []int{n, k}
	}
	in := []array{normalish(r, m, k), normalish(r, w...)}
	if bias {
		in = append(in, normalish(r, n))
	} else if k == 0 {
		// Without inner size and bias the sum is 0, where ReLU has its kink.
		c.ReLU = false
	}
	return opCase{op: "Affine", name: name, in: in,
		run: func(x []*tensor.Tensor) *tensor.Tensor {
			var b *tensor.Tensor
			if bias {
				b = x[2]
			}
			return tensor.Affine(x[0], x[1], b, c)
		},
		want: func(x []array) array { return affine(x, c) }}
}

func affine(x []array, c tensor.AffineConfig) array {
	out := product(x[0], x[1], false, c.TransW)
	if len(x) > 2 {
		out = pairwise(func(a, b float64) float64 { return a + b })([]array{out, x[2]})
	}
	if c.ReLU {
		out = elementwise(relu)([]array{out})
	}
	return out
}

// repeatCases are products of the result of Repeat.
func repeatCases() []opCase {
	r := source("Repeat")
	var cases []opCase
	for form, f := range indexForms {
		ix := tensor.MustIndex(f.ids, f.slots)
		x := normalish(r, f.slots, 4)
		add := func(op, name string, run func(x, w *tensor.Tensor) *tensor.Tensor, want func(x, w array) array, w ...int) {
			cases = append(cases, opCase{op: op, name: "repeated rows, " + form + name, in: []array{x, normalish(r, w...)},
				run:  func(x []*tensor.Tensor) *tensor.Tensor { return run(tensor.Repeat(x[0], ix), x[1]) },
				want: func(x []array) array { return want(x[0].gather(f.ids), x[1]) }})
		}
		add("MatMul", "", (*tensor.Tensor).MatMul, func(x, w array) array { return product(x, w, false, false) }, 4, 3)
		add("MatMulT", "", (*tensor.Tensor).MatMulT, func(x, w array) array { return product(x, w, false, true) }, 3, 4)
		add("TMatMul", "", (*tensor.Tensor).TMatMul, func(x, w array) array { return product(x, w, true, false) }, len(f.ids), 3)
		for _, c := range []tensor.AffineConfig{{}, {TransW: true, ReLU: true}} {
			w := []int{4, 3}
			if c.TransW {
				w = []int{3, 4}
			}
			add("Affine", fmt.Sprintf(" %+v", c), func(x, w *tensor.Tensor) *tensor.Tensor { return tensor.Affine(x, w, nil, c) },
				func(x, w array) array { return affine([]array{x, w}, c) }, w...)
		}
	}
	return cases
}

// Products of the result of Repeat are, to the bit, those of the same rows made by
// Gather, and remember the repetition.
func TestRepeat(t *testing.T) {
	r := source("TestRepeat")
	const rows, places, d = 37, 500, 67
	ids := make([]int32, places)
	for i := range ids {
		ids[i] = int32(r.IntN(rows))
	}
	ix := tensor.MustIndex(ids, rows)
	normal := func(dims ...int) *tensor.Tensor { return normalish(r, dims...).tensor() }
	x, w, bias := normal(rows, d), normal(d, 50), normal(50)
	c := tensor.AffineConfig{ReLU: true}
	got, want := tensor.Affine(tensor.Repeat(x, ix), w, bias, c), tensor.Affine(tensor.Gather(x, ix), w, bias, c)
	if !slices.Equal(got.Data(), want.Data()) {
		t.Error("an affine map of repeated rows differs from that of the rows written out")
	}
	if y, by := got.Repeated(); by != ix || y.Dim(0) != rows {
		t.Errorf("its result is not of repeated rows")
	}
	if y, by := want.Repeated(); y != nil || by != nil {
		t.Errorf("a plain result is of repeated rows")
	}
	if !slices.Equal(tensor.Repeat(x, ix).MatMul(w).Data(), tensor.Gather(x, ix).MatMul(w).Data()) {
		t.Error("a product of repeated rows differs from that of the rows written out")
	}
	mustPanic(t, "inner sizes", func() { tensor.Repeat(x, ix).MatMul(bias.Reshape(50, 1)) })
	mustPanic(t, "bias", func() { tensor.Affine(tensor.Repeat(x, ix), w, x, c) })
}

// Distinct rows are found whatever the form of their entries.
func TestDistinct(t *testing.T) {
	c := tensor.SparseConfig{Rows: 9, Cols: 4, Ptr: []int32{0, 1, 2, 2, 3, 4, 4, 5, 6, 7}, Col: []int32{2, 1, 2, 2, 1, 2, 2}}
	if rows, _ := tensor.SparseRows(tensor.NewSparse(c)).Distinct(); rows != nil {
		t.Errorf("%d distinct rows of nine, fewer than four to each", rows.Dim(0))
	}
	// The same four times over.
	for i := range 3 * 9 {
		row := c.Col[c.Ptr[i]:c.Ptr[i+1]]
		c.Col, c.Ptr = append(c.Col, row...), append(c.Ptr, c.Ptr[len(c.Ptr)-1]+int32(len(row)))
	}
	c.Rows *= 4
	for _, coef := range []bool{false, true} {
		c := c
		want := []int32{0, 1, 2, 0, 0, 2, 1, 0, 0}
		if coef {
			c.Coef = slices.Repeat([]float32{1, 1, 1, 1, 1, 1, -1}, 4)
			want[8] = 3
		}
		x := tensor.SparseRows(tensor.NewSparse(c))
		rows, of := x.Distinct()
		if rows == nil {
			t.Fatal("no distinct rows")
		}
		if want = slices.Repeat(want, 4); !slices.Equal(of.IDs(), want) {
			t.Errorf("rows are %v, want %v", of.IDs(), want)
		}
		if !slices.Equal(tensor.Gather(rows, of).Data(), x.Data()) || rows.SparseEntries() < 0 {
			t.Errorf("distinct rows %v", rows.Data())
		}
		if again, _ := x.Distinct(); again != rows {
			t.Error("found anew")
		}
		if rows, _ := x.Reweigh(tensor.Full(2, x.SparseEntries())).Distinct(); rows != nil {
			t.Error("weighted rows are distinct by their entries alone")
		}
	}
	if rows, _ := tensor.New(8, 2).Distinct(); rows != nil {
		t.Error("of a dense constant")
	}
}

// sparseRowsCases are products with constants in sparse form: ones with an empty
// row and a repeated entry; the same with coefficients; and with weights by
// Reweigh, once and twice.
func sparseRowsCases() []opCase {
	c := tensor.SparseConfig{Rows: 5, Cols: 4, Ptr: []int32{0, 2, 4, 4, 6, 7}, Col: []int32{0, 2, 1, 1, 0, 3, 2}}
	ones := tensor.SparseRows(tensor.NewSparse(c))
	c.Coef = []float32{1, -2, 0.5, 3, 2, -1, 0.25}
	some := tensor.SparseRows(tensor.NewSparse(c))
	w := tensor.FromSlice([]float32{2, 0, 1, -1, 3, 0.5, 0}, 7)
	return slices.Concat(sparseProducts("sparse", ones), sparseProducts("with coefficients", some),
		sparseProducts("reweighed", ones.Reweigh(w)), sparseProducts("reweighed twice", some.Reweigh(w).Reweigh(w)))
}

func sparseProducts(kind string, sparse *tensor.Tensor) []opCase {
	dense := array{dim: []int{5, 4}}
	for _, v := range sparse.Data() {
		dense.v = append(dense.v, float64(v))
	}
	r := source("SparseRows")
	y := func(dims ...int) []array { return []array{normalish(r, dims...)} }
	cases := []opCase{
		{op: "MatMul", name: kind + " left", in: y(4, 3), run: method(sparse.MatMul),
			want: func(x []array) array { return product(dense, x[0], false, false) }},
		{op: "MatMul", name: kind + " right", in: y(3, 5), run: method(func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(sparse) }),
			want: func(x []array) array { return product(x[0], dense, false, false) }},
		{op: "MatMulT", name: kind + " left", in: y(3, 4), run: method(sparse.MatMulT),
			want: func(x []array) array { return product(dense, x[0], false, true) }},
		{op: "TMatMul", name: kind + " left", in: y(5, 3), run: method(sparse.TMatMul),
			want: func(x []array) array { return product(dense, x[0], true, false) }},
		{op: "TMatMul", name: kind + " right", in: y(5, 3), run: method(func(x *tensor.Tensor) *tensor.Tensor { return x.TMatMul(sparse) }),
			want: func(x []array) array { return product(x[0], dense, true, false) }},
		{op: "MatMul", name: kind + ", as a variable", in: []array{dense, y(4, 3)[0]},
			run:  func(x []*tensor.Tensor) *tensor.Tensor { return x[0].MatMul(x[1]) },
			want: func(x []array) array { return product(x[0], x[1], false, false) }},
	}
	for _, c := range []tensor.AffineConfig{{}, {TransW: true}, {TransW: true, ReLU: true}} {
		w := y(4, 3)
		if c.TransW {
			w = y(3, 4)
		}
		cases = append(cases, opCase{op: "Affine", name: fmt.Sprint(kind, " ", c), in: append(w, y(3)...),
			run:  binary(func(w, bias *tensor.Tensor) *tensor.Tensor { return tensor.Affine(sparse, w, bias, c) }),
			want: func(x []array) array { return affine(append([]array{dense}, x...), c) }})
	}
	return cases
}

// entry is one entry of a sparse matrix as the oracle sees it.
type entry struct {
	row, col, weight int
	coef             float64
}

func entriesOf(c tensor.SparseConfig) []entry {
	var out []entry
	add := func(row, k int) {
		e := entry{row: row, col: k, weight: k, coef: 1}
		if c.Col != nil {
			e.col = int(c.Col[k])
		}
		if c.Weight != nil {
			e.weight = int(c.Weight[k])
		}
		if c.Coef != nil {
			e.coef = float64(c.Coef[k])
		}
		out = append(out, e)
	}
	for i := range c.Rows {
		if c.Ptr == nil {
			for k := i * c.Width; k < (i+1)*c.Width; k++ {
				add(i, k)
			}
			continue
		}
		for k := c.Ptr[i]; k < c.Ptr[i+1]; k++ {
			add(i, int(k))
		}
	}
	return out
}

// numWeights is how many weights a product with the matrix takes.
func numWeights(c tensor.SparseConfig) int {
	if c.Weight != nil {
		return c.NumWeights
	}
	return len(entriesOf(c))
}

// sparseForms are the structures that SpMM and SDDMM are tried with.
func sparseForms() map[string]tensor.SparseConfig {
	r := source("coefficients")
	coef := func(n int) []float32 { return uniform(r, 0.3, 1.2, n).tensor().Data() }
	symmetric := coef(3)
	a, b, c := symmetric[0], symmetric[1], symmetric[2]
	return map[string]tensor.SparseConfig{
		// Parallel entries, an empty row, an unused column.
		"rows":            {Rows: 4, Cols: 5, Ptr: []int32{0, 3, 3, 4, 7}, Col: []int32{1, 1, 4, 0, 2, 4, 1}},
		"coef":            {Rows: 4, Cols: 5, Ptr: []int32{0, 3, 3, 4, 7}, Col: []int32{1, 1, 4, 0, 2, 4, 1}, Coef: coef(7)},
		"identity":        {Rows: 3, Cols: 5, Ptr: []int32{0, 2, 2, 5}, Coef: coef(5)},
		"width":           {Rows: 3, Cols: 4, Width: 2, Col: []int32{0, 3, 1, 1, 2, 0}, Coef: coef(6)},
		"width, identity": {Rows: 3, Cols: 6, Width: 2},
		// Weight 3 is used by no entry, weight 1 by three.
		"shared weights": {Rows: 4, Cols: 5, Ptr: []int32{0, 3, 3, 4, 7}, Col: []int32{1, 1, 4, 0, 2, 4, 1},
			Weight: []int32{1, 0, 1, 2, 1, 4, 0}, NumWeights: 5},
		"shared weights, coef": {Rows: 4, Cols: 5, Ptr: []int32{0, 3, 3, 4, 7}, Col: []int32{1, 1, 4, 0, 2, 4, 1},
			Weight: []int32{1, 0, 1, 2, 1, 4, 0}, NumWeights: 5, Coef: coef(7)},
		"shared weights, width": {Rows: 3, Cols: 4, Width: 2, Col: []int32{0, 3, 1, 1, 2, 0},
			Weight: []int32{0, 1, 0, 1, 1, 0}, NumWeights: 2},
		// The path 0-1-2 with a loop at 0; both directions of an edge share its
		// coefficient and weight.
		"symmetric": {Rows: 3, Cols: 3, Ptr: []int32{0, 2, 4, 5}, Col: []int32{0, 1, 0, 2, 1}, Coef: []float32{a, b, b, c, c},
			Weight: []int32{0, 1, 1, 2, 2}, NumWeights: 3, Symmetric: true},
		"no entries": {Rows: 2, Cols: 3, Ptr: []int32{0, 0, 0}, Col: []int32{}},
		"no rows":    {Rows: 0, Cols: 3, Ptr: []int32{0}, Col: []int32{}},
		"no columns": {Rows: 2, Cols: 0, Ptr: []int32{0, 0, 0}, Col: []int32{}},
		"one by one": {Rows: 1, Cols: 1, Ptr: []int32{0, 1}, Col: []int32{0}},
	}
}

// sparseCases tries every structure with every subset of the optional parts.
func sparseCases() []opCase {
	var cases []opCase
	forms := sparseForms()
	for _, form := range sortedKeys(forms) {
		s := forms[form]
		a := tensor.NewSparse(s)
		for parts := range 32 {
			p := spmmParts{w: parts&1 != 0, self: parts&2 != 0, selfW: parts&4 != 0, bias: parts&8 != 0, relu: parts&16 != 0}
			if p.selfW && !p.self || p.relu && !p.bias {
				continue // a bias keeps empty rows off ReLU's kink
			}
			cases = append(cases, p.opCase(form, a, s, 3))
		}
		// Another rank, one column, and a width that is no multiple of a
		// register's.
		p := spmmParts{w: true, self: true, selfW: true, bias: true}
		cases = append(cases, p.opCase(form, a, s, 1), p.opCase(form, a, s, 11))
		for _, tail := range [][]int{{}, {3}, {2, 2}} {
			name := fmt.Sprint(form, tail)
			r := source("SDDMM" + name)
			cases = append(cases, opCase{op: "SDDMM", name: name,
				in:   []array{normalish(r, append([]int{s.Rows}, tail...)...), normalish(r, append([]int{s.Cols}, tail...)...)},
				run:  binary(func(g, x *tensor.Tensor) *tensor.Tensor { return tensor.SDDMM(a, g, x) }),
				want: func(x []array) array { return sddmm(s, x[0], x[1]) }})
			c := opCase{op: "SpMM", name: "of shape " + name,
				in:   []array{normalish(r, append([]int{s.Cols}, tail...)...), normalish(r, append([]int{s.Rows}, tail...)...)},
				run:  binary(func(x, self *tensor.Tensor) *tensor.Tensor { return tensor.SpMM(a, x, tensor.SpMMConfig{Self: self}) }),
				want: func(x []array) array { return spmm(s, x, spmmParts{self: true}) }}
			cases = append(cases, c)
		}
	}
	return cases
}

// spmmParts says which optional parts a call of SpMM has.
type spmmParts struct{ w, self, selfW, bias, relu bool }

func (p spmmParts) String() string {
	var parts []string
	for _, f := range []struct {
		on   bool
		name string
	}{{p.w, "w"}, {p.self, "self"}, {p.selfW, "selfW"}, {p.bias, "bias"}, {p.relu, "relu"}} {
		if f.on {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(parts, "+")
}

func (p spmmParts) opCase(form string, a *tensor.Sparse, s tensor.SparseConfig, d int) opCase {
	name := fmt.Sprintf("%s, %v, width %d", form, p, d)
	r := source("SpMM" + name)
	in := []array{normalish(r, s.Cols, d)}
	if p.w {
		in = append(in, normalish(r, numWeights(s)))
	}
	if p.self {
		in = append(in, normalish(r, s.Rows, d))
	}
	if p.selfW {
		in = append(in, normalish(r, s.Rows))
	}
	if p.bias {
		in = append(in, normalish(r, d))
	}
	return opCase{op: "SpMM", name: name, in: in,
		run: func(x []*tensor.Tensor) *tensor.Tensor {
			c := tensor.SpMMConfig{ReLU: p.relu}
			next := x[1:]
			for _, f := range []struct {
				on bool
				to **tensor.Tensor
			}{{p.w, &c.W}, {p.self, &c.Self}, {p.selfW, &c.SelfW}, {p.bias, &c.Bias}} {
				if f.on {
					*f.to, next = next[0], next[1:]
				}
			}
			return tensor.SpMM(a, x[0], c)
		},
		want: func(x []array) array { return spmm(s, x, p) }}
}

func spmm(s tensor.SparseConfig, x []array, p spmmParts) array {
	dense, next := x[0], x[1:]
	take := func(on bool) (a array) {
		if on {
			a, next = next[0], next[1:]
		}
		return a
	}
	w, self, selfW, bias := take(p.w), take(p.self), take(p.selfW), take(p.bias)
	out := dense.withRows(s.Rows)
	_, d := out.rows()
	for i := range out.v {
		if p.self {
			f := 1.0
			if p.selfW {
				f = selfW.v[i/d]
			}
			out.v[i] = f * self.v[i]
		}
		if p.bias {
			out.v[i] += bias.v[i%d]
		}
	}
	for _, e := range entriesOf(s) {
		f := e.coef
		if p.w {
			f *= w.v[e.weight]
		}
		for j := range d {
			out.v[e.row*d+j] += f * dense.v[e.col*d+j]
		}
	}
	if p.relu {
		return elementwise(relu)([]array{out})
	}
	return out
}

func sddmm(s tensor.SparseConfig, g, x array) array {
	out := array{dim: []int{numWeights(s)}, v: make([]float64, numWeights(s))}
	d := size(x.dim[1:])
	for _, e := range entriesOf(s) {
		for j := range d {
			out.v[e.weight] += e.coef * g.v[e.row*d+j] * x.v[e.col*d+j]
		}
	}
	return out
}
