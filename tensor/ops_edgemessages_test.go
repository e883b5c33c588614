package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ehgnn/ehgnn/tensor"
)

// steps has elements near multiples of 0.4, moved by shift. Sums of up to three
// terms with shifts of 0.2 in total stay 0.1 away from zero, the kink of what
// messages go through.
func steps(r *rand.Rand, shift float64, dim ...int) array {
	return build(dim, func([]int) float64 {
		return float64(float32(0.4*float64(r.IntN(7)-3) + shift + 0.03*(2*r.Float64()-1)))
	})
}

// messageParts says which optional parts a call of EdgeMessages has.
type messageParts struct{ w, self, selfW, same bool }

func (p messageParts) String() string {
	var parts []string
	for _, f := range []struct {
		on   bool
		name string
	}{{p.w, "w"}, {p.self, "self"}, {p.selfW, "selfW"}, {p.same, "self is x"}} {
		if f.on {
			parts = append(parts, f.name)
		}
	}
	return strings.Join(parts, "+")
}

// edgeMessagesCases tries every sparse structure with the optional parts.
func edgeMessagesCases() []opCase {
	var cases []opCase
	forms := sparseForms()
	for _, form := range sortedKeys(forms) {
		s := forms[form]
		for _, p := range []messageParts{{}, {w: true}, {self: true}, {w: true, self: true, selfW: true}, {selfW: true, same: true}, {w: true, same: true}} {
			if p.same && s.Rows != s.Cols {
				continue
			}
			for _, d := range []int{3, 19} {
				if d == 19 && !p.selfW {
					continue
				}
				cases = append(cases, p.opCase(form, s, d))
			}
		}
	}
	return append(cases, kindsCases()...)
}

// kindsCases have a few edges of very many entries, and undirected edges told as
// pairs.
func kindsCases() []opCase {
	n, nnz := 5, 1200
	kinds := tensor.SparseConfig{Rows: n, Cols: n, Width: nnz / n, Col: ids(nnz, n), Weight: make([]int32, nnz), NumWeights: 4,
		Coef: uniform(source("kinds"), 0.001, 0.003, nnz).tensor().Data()}
	for k := range kinds.Weight {
		kinds.Weight[k] = int32(3 * min(1, k%7)) // two weights without entries between them
	}
	pairs, entries := triangle()
	p := messageParts{w: true}
	cases := []opCase{p.opCase("kinds", kinds, 3), p.opCase("pairs", pairs, 3)}
	told := tensor.NewSparse(pairs).WithEntriesByWeight(entries)
	cases[1].run = func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.EdgeMessages(told, x[0], x[1], tensor.EdgeMessagesConfig{W: x[2]})
	}
	return cases
}

func (p messageParts) opCase(form string, s tensor.SparseConfig, d int) opCase {
	a := tensor.NewSparse(s)
	name := fmt.Sprintf("%s, %v, width %d", form, p, d)
	r := source("EdgeMessages" + name)
	in := []array{steps(r, 0, s.Cols, d), steps(r, 0.2, numWeights(s), d)}
	if p.w {
		in = append(in, normalish(r, numWeights(s)))
	}
	if p.self {
		in = append(in, normalish(r, s.Rows, d))
	}
	if p.selfW {
		in = append(in, normalish(r, s.Rows))
	}
	return opCase{op: "EdgeMessages", name: name, in: in,
		run: func(x []*tensor.Tensor) *tensor.Tensor {
			var c tensor.EdgeMessagesConfig
			at := 2
			next := func() *tensor.Tensor { at++; return x[at-1] }
			if p.w {
				c.W = next()
			}
			if p.self {
				c.Self = next()
			}
			if p.same {
				c.Self = x[0]
			}
			if p.selfW {
				c.SelfW = next()
			}
			return tensor.EdgeMessages(a, x[0], x[1], c)
		},
		want: func(x []array) array {
			out := x[0].withRows(s.Rows)
			at := 2
			next := func() array { at++; return x[at-1] }
			weight := func(int) float64 { return 1 }
			if p.w {
				w := next()
				weight = func(q int) float64 { return w.v[q] }
			}
			self := x[0]
			if p.self {
				self = next()
			}
			if p.self || p.same {
				copy(out.v, self.v)
			}
			if p.selfW {
				selfW := next()
				for i := range out.v {
					out.v[i] *= selfW.v[i/d]
				}
			}
			for _, e := range entriesOf(s) {
				for j := range d {
					out.v[e.row*d+j] += e.coef * weight(e.weight) * relu(x[0].at(e.col, j)+x[1].at(e.weight, j))
				}
			}
			return out
		}}
}

// largeEdgeMessagesCases are split among threads.
func largeEdgeMessagesCases() []largeCase {
	const n, d = largeRows, largeCols
	var cases []largeCase
	for name, a := range map[string]*tensor.Sparse{"rows": randomSparse(n, 4*n, true), "width": randomSparse(n, 4*n, false)} {
		cases = append(cases, largeCase{"EdgeMessages", name, [][]int{{n, d}, {a.NumWeights, d}, {a.NumWeights}, {n, d}, {n}},
			func(x []*tensor.Tensor) *tensor.Tensor {
				c := tensor.EdgeMessagesConfig{W: x[2], Self: x[3], SelfW: x[4]}
				return tensor.EdgeMessages(a, x[0].AddScalar(-1.6), x[1], c)
			}})
	}
	kinds := randomSparse(n, 4*n, true).SparseConfig
	kinds.Weight, kinds.NumWeights = ids(4*n, 5), 5
	a := tensor.NewSparse(kinds)
	return append(cases, largeCase{"EdgeMessages", "kinds", [][]int{{n, d}, {5, d}, {5}}, func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.EdgeMessages(a, x[0].AddScalar(-1.6), x[1], tensor.EdgeMessagesConfig{W: x[2]})
	}})
}

func edgeMessagesShapeErrors() []shapeErrorCase {
	z := tensor.New
	type C = tensor.EdgeMessagesConfig
	a := tensor.NewSparse(tensor.SparseConfig{Rows: 2, Cols: 3, Ptr: []int32{0, 1, 2}, Col: []int32{0, 2}})
	run := func(x, e *tensor.Tensor, c C) func() { return func() { tensor.EdgeMessages(a, x, e, c) } }
	const op = "EdgeMessages"
	return []shapeErrorCase{
		{op, "rows of x", run(z(2, 4), z(2, 4), C{})},
		{op, "rows of e", run(z(3, 4), z(3, 4), C{})},
		{op, "widths differ", run(z(3, 4), z(2, 5), C{})},
		{op, "x no matrix", run(z(3, 2, 2), z(2, 4), C{})},
		{op, "e no matrix", run(z(3, 4), z(2, 2, 2), C{})},
		{op, "weights", run(z(3, 4), z(2, 4), C{W: z(3)})},
		{op, "self", run(z(3, 4), z(2, 4), C{Self: z(3, 4)})},
		{op, "self weight", run(z(3, 4), z(2, 4), C{Self: z(2, 4), SelfW: z(3)})},
		{op, "self weight, alone", run(z(3, 4), z(2, 4), C{SelfW: z(2)})},
	}
}
