package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// matrix is a small dense matrix: what the oracles of this package compute in.
type matrix [][]float64

func zeros(rows, cols int) matrix {
	a := make(matrix, rows)
	for i := range a {
		a[i] = make([]float64, cols)
	}
	return a
}

// dense adds up the entries of a sparse matrix, each times factor(entry).
func dense(s *tensor.Sparse, factor func(k int) float64) matrix {
	a := zeros(s.Rows, s.Cols)
	for i := range s.Rows {
		lo, hi := i*s.Width, (i+1)*s.Width
		if s.Ptr != nil {
			lo, hi = int(s.Ptr[i]), int(s.Ptr[i+1])
		}
		for k := lo; k < hi; k++ {
			j, f := k, 1.0
			if s.Col != nil {
				j = int(s.Col[k])
			}
			if s.Coef != nil {
				f = float64(s.Coef[k])
			}
			if factor != nil {
				f *= factor(k)
			}
			a[i][j] += f
		}
	}
	return a
}

func (a matrix) transpose(cols int) matrix {
	t := zeros(cols, len(a))
	for i, row := range a {
		for j, v := range row {
			t[j][i] = v
		}
	}
	return t
}

func (a matrix) mul(b matrix, cols int) matrix {
	out := zeros(len(a), cols)
	for i, row := range a {
		for k, v := range row {
			for j := range cols {
				out[i][j] += v * b[k][j]
			}
		}
	}
	return out
}

func near(t *testing.T, what string, got, want matrix, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Errorf("%s: row %d has %d columns, want %d", what, i, len(got[i]), len(want[i]))
			return
		}
		for j := range want[i] {
			if !(math.Abs(got[i][j]-want[i][j]) <= tol) {
				t.Errorf("%s: element %d,%d is %v, want %v", what, i, j, got[i][j], want[i][j])
				return
			}
		}
	}
}

// incidence is H, counting multiplicity, from a hyperedge list.
func incidence(n, m int, vertex, edge []int32) matrix {
	h := zeros(n, m)
	for i := range vertex {
		h[vertex[i]][edge[i]]++
	}
	return h
}

// meanOperator is D⁻¹·H·B⁻¹·Hᵀ from the definition, after the loops convention
// has changed H: singletons (columns with one entry) emptied, a column of its
// own for every vertex.
func meanOperator(h matrix, m int, loops graph.Loops) matrix {
	n := len(h)
	wide := m
	if loops != graph.LoopsNone {
		wide += n
	}
	all := zeros(n, wide)
	for e := range m {
		size := 0.0
		for v := range n {
			size += h[v][e]
		}
		if loops == graph.LoopsReplaceSingletons && size == 1 {
			continue
		}
		for v := range n {
			all[v][e] = h[v][e]
		}
	}
	for v := range n {
		if loops != graph.LoopsNone {
			all[v][m+v] = 1
		}
	}
	op := zeros(n, n)
	for v := range n {
		degree := 0.0
		for e := range wide {
			degree += all[v][e]
		}
		for e := range wide {
			if all[v][e] == 0 {
				continue
			}
			size := 0.0
			for u := range n {
				size += all[u][e]
			}
			for u := range n {
				op[v][u] += all[v][e] * all[u][e] / size / degree
			}
		}
	}
	return op
}

// hyperOperator is the same matrix as the package computes it.
func hyperOperator(p *tensor.Hops) matrix {
	op := dense(p.Down, nil).mul(dense(p.Up, nil), p.Up.Cols)
	if p.Self != nil {
		for i, s := range p.Self.Data() {
			op[i][i] += float64(s)
		}
	}
	return op
}

// randomGraph is a multigraph of up to 7 nodes and 11 edges: self-loops,
// parallel edges, isolated nodes, no edges and no nodes all turn up.
func randomGraph(r *rand.Rand, directed bool) *graph.Graph {
	n := r.IntN(8)
	m := 0
	if n > 0 {
		m = r.IntN(12)
	}
	g := graph.Graph{NumNodes: n, Directed: directed, Label: int32(r.IntN(3))}
	for range 2 * m {
		g.Ends = append(g.Ends, int32(r.IntN(n)))
	}
	g.Node = randomFeatures(r, n, 2, 3)
	g.Edge = randomFeatures(r, m, 1, 2)
	return must(graph.New(g))
}

// randomFeatures has two categorical columns when there are codes for both.
func randomFeatures(r *rand.Rand, rows, dim, codes int) graph.Features {
	f := graph.Features{Dim: dim, Codes: []int{codes}}
	if codes > 1 {
		f.Codes = []int{codes - 1, 1}
	}
	for range rows * dim {
		f.Dense = append(f.Dense, r.Float32())
	}
	for range rows {
		for _, k := range f.Codes {
			f.Code = append(f.Code, int32(r.IntN(k+1)-1))
		}
	}
	return f
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mustPanic runs f and reports whether it panicked with *tensor.ShapeError.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if _, ok := recover().(*tensor.ShapeError); !ok {
			t.Errorf("%s: no panic with *tensor.ShapeError", what)
		}
	}()
	f()
}
