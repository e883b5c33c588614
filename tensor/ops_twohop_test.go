package tensor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// randomHops makes a matrix over n rows by way of k middle rows, each row with
// two of them; with samples, those of its own sample, of which there are as many
// among the middle rows.
func randomHops(n, k int, samples *tensor.Index) *tensor.Hops {
	r := source("hops")
	down := tensor.SparseConfig{Rows: n, Cols: k, Width: 2, Col: make([]int32, 2*n), Coef: uniform(r, 0.3, 1.2, 2*n).tensor().Data()}
	for i := range down.Col {
		down.Col[i] = int32(r.IntN(k))
		if samples != nil {
			ptr, _ := sortedIndex(k, samples.Slots()).Segments()
			lo, hi := ptr[samples.IDs()[i/2]], ptr[samples.IDs()[i/2]+1]
			down.Col[i] = lo + int32(r.IntN(int(hi-lo)))
		}
	}
	up := tensor.NewSparse(down).T().SparseConfig
	up.Coef = slices.Clone(up.Coef)
	for i := range up.Coef {
		up.Coef[i] += 0.25
	}
	up.Weight, up.NumWeights = nil, 0
	return &tensor.Hops{Up: tensor.NewSparse(up), Down: tensor.NewSparse(down), Self: uniform(r, 0.3, 1.2, n).tensor()}
}

func twoHopCases() []opCase {
	rows, middle := []int32{0, 0, 0, 2, 2, 2, 2, 3}, []int32{0, 0, 1, 2, 2, 3}
	samples := map[string]tensor.HopsConfig{
		"":           {},
		"by samples": {Rows: tensor.MustIndex(rows, 4), Middle: tensor.MustIndex(middle, 4)},
	}
	full := randomHops(8, 6, nil)
	within := &tensor.Hops{Down: tensor.NewSparse(tensor.SparseConfig{Rows: 8, Cols: 6, Width: 2, Coef: full.Down.Coef,
		Col: []int32{0, 1, 1, 1, 0, 1, 3, 4, 4, 3, 3, 3, 4, 4, 5, 5}})}
	up := within.Down.T().SparseConfig
	up.Weight, up.NumWeights = nil, 0
	within.Up = tensor.NewSparse(up)
	// Coefficients of a symmetric matrix: the mean over two hyperedges and itself.
	even := tensor.SparseConfig{Rows: 3, Cols: 2, Width: 2, Col: []int32{0, 1, 0, 0, 1, 1}, Coef: []float32{0.25, 0.25, 0.25, 0.25, 0.25, 0.25}}
	evenUp := tensor.NewSparse(even).T().SparseConfig
	evenUp.Weight, evenUp.NumWeights = nil, 0
	symmetric := &tensor.Hops{Up: tensor.NewSparse(evenUp), Down: tensor.NewSparse(even), Symmetric: true}
	var cases []opCase
	for _, c := range []struct {
		name string
		hops *tensor.Hops
		cfg  tensor.HopsConfig
	}{
		{"self", full, samples[""]}, {"no self, by samples", within, samples["by samples"]}, {"symmetric", symmetric, samples[""]},
		{"no rows", randomHops(0, 2, nil), samples[""]},
	} {
		for _, d := range []int{0, 1, 3, 19} {
			for _, bias := range []bool{false, true} {
				name := fmt.Sprintf("%s, width %d, bias %v", c.name, d, bias)
				r := source("TwoHop" + name)
				in := []array{normalish(r, c.hops.Up.Cols, d)}
				if bias {
					in = append(in, normalish(r, d))
				}
				cases = append(cases, opCase{op: "TwoHop", name: name, in: in,
					run: func(x []*tensor.Tensor) *tensor.Tensor {
						cfg := c.cfg
						if bias { // which keeps rows off ReLU's kink
							cfg.Bias, cfg.ReLU = x[1], true
						}
						return tensor.TwoHop(c.hops, x[0], cfg)
					},
					want: func(x []array) array { return twoHop(c.hops, x, bias) }})
			}
		}
	}
	return cases
}

func twoHop(h *tensor.Hops, x []array, bias bool) array {
	parts := spmmParts{self: h.Self != nil, selfW: h.Self != nil, bias: bias, relu: bias}
	in := []array{spmm(h.Up.SparseConfig, x[:1], spmmParts{})}
	if h.Self != nil {
		self := array{dim: []int{h.Self.Size()}}
		for _, v := range h.Self.Data() {
			self.v = append(self.v, float64(v))
		}
		in = append(in, x[0], self)
	}
	return spmm(h.Down.SparseConfig, append(in, x[1:]...), parts)
}

// TestTranspose checks that a given transpose is used and that its shape must fit.
func TestTranspose(t *testing.T) {
	c := tensor.SparseConfig{Rows: 2, Cols: 3, Ptr: []int32{0, 1, 2}, Col: []int32{2, 0}}
	want := tensor.NewSparse(tensor.SparseConfig{Rows: 3, Cols: 2, Ptr: []int32{0, 1, 1, 2}, Col: []int32{1, 0}})
	if got := tensor.NewSparse(c).WithTranspose(func() *tensor.Sparse { return want }).T(); got != want {
		t.Error("the given transpose is not used")
	}
	wrong := tensor.NewSparse(tensor.SparseConfig{Rows: 2, Cols: 2, Ptr: []int32{0, 1, 2}, Col: []int32{1, 0}})
	a := tensor.NewSparse(c).WithTranspose(func() *tensor.Sparse { return wrong })
	mustPanic(t, "a transpose of another shape", func() { a.T() })
}

// triangle is the graph 0-1-2 with a node apart, and its entries by weight.
func triangle() (c tensor.SparseConfig, entries func() (ptr, row, col []int32)) {
	c = tensor.SparseConfig{Rows: 4, Cols: 4, Ptr: []int32{0, 2, 4, 6, 6}, Col: []int32{1, 2, 0, 2, 1, 0},
		Weight: []int32{0, 2, 0, 1, 1, 2}, NumWeights: 3, Symmetric: true}
	return c, func() (ptr, row, col []int32) {
		return []int32{0, 2, 4, 6}, []int32{0, 1, 1, 2, 2, 0}, []int32{1, 0, 2, 1, 0, 2}
	}
}

// TestEntriesByWeight compares given entries by weight with those found by sorting.
func TestEntriesByWeight(t *testing.T) {
	c, entries := triangle()
	r := source("pairs")
	g, x := normalish(r, 4, 5).tensor(), normalish(r, 4, 5).tensor()
	want := tensor.SDDMM(tensor.NewSparse(c), g, x).Data()
	got := tensor.SDDMM(tensor.NewSparse(c).WithEntriesByWeight(entries), g, x).Data()
	for i := range want {
		if d := got[i] - want[i]; d > 1e-6 || d < -1e-6 {
			t.Errorf("weight %d: %v, expected %v", i, got[i], want[i])
		}
	}
	c.NumWeights = 4
	mustPanic(t, "a list without one of the weights", func() { tensor.SDDMM(tensor.NewSparse(c).WithEntriesByWeight(entries), g, x) })
	c.Coef = make([]float32, len(c.Col))
	mustPanic(t, "a list without coefficients", func() { tensor.NewSparse(c).WithEntriesByWeight(entries) })
	mustPanic(t, "a coefficient for some entries", func() { tensor.NewSparse(c).WithCoef(c.Coef[1:]) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s is accepted", what)
		}
	}()
	f()
}
