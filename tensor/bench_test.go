package tensor_test

import (
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// BenchmarkStep is one training step of a small graph network, forward and
// backward, in steady state: two layers of Affine and SpMM with learned edge
// weights and ReLU, SegmentMean, a linear layer and a likelihood loss.
func BenchmarkStep(b *testing.B) {
	for _, s := range []struct{ nodes, graphs, hidden int }{{600, 32, 32}, {5000, 128, 128}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("nodes=%d/hidden=%d/threads=%d", s.nodes, s.hidden, threads), func(b *testing.B) {
				tr := newTrainer(s.nodes, s.graphs, s.hidden, s.hidden, 6)
				arena := tensor.NewArena(threads)
				step := func() {
					tape := arena.Tape()
					tr.step(tape)
					tape.Close()
				}
				step() // fills the arena
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
				b.ReportMetric(float64(arena.Bytes())/(1<<20), "arena-MiB")
			})
		}
	}
}

// BenchmarkGrad compares a backward pass with one that can be differentiated
// again, on forty element-wise operations.
func BenchmarkGrad(b *testing.B) {
	x := tensor.Full(0.5, 600, 32)
	for name, grad := range map[string]func(tape *tensor.Tape, y, x *tensor.Tensor){
		"Grad":      func(tape *tensor.Tape, y, x *tensor.Tensor) { tape.Grad(y, x) },
		"GradGraph": func(tape *tensor.Tape, y, x *tensor.Tensor) { tape.GradGraph(y, x) },
	} {
		b.Run(name, func(b *testing.B) {
			arena := tensor.NewArena(1)
			b.ReportAllocs()
			for b.Loop() {
				tape := arena.Tape()
				v := tape.Variable(x)
				y := v
				for range 20 {
					y = y.Mul(v).AddScalar(0.5)
				}
				grad(tape, y, v)
				tape.Close()
			}
		})
	}
}

// BenchmarkSmallOps is forward and backward of a hundred operations on a few
// numbers, most of them with constants in their rules: what recording costs.
func BenchmarkSmallOps(b *testing.B) {
	arena := tensor.NewArena(1)
	step := smallOps(arena)
	step()
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
}

// smallOps returns a step whose only allocation is the slice that Grad returns.
func smallOps(arena *tensor.Arena) func() {
	x, w := tensor.Full(0.5, 4, 4), tensor.Full(0.5, 4, 4)
	slots := tensor.MustIndex([]int32{0, 0, 1, 1}, 2)
	permutation := tensor.NewSparse(tensor.SparseConfig{Rows: 4, Cols: 4, Width: 1, Col: []int32{1, 2, 0, 3}})
	return func() {
		tape := arena.Tape()
		defer tape.Close()
		v := tape.Variable(x)
		y := v
		for range 10 {
			y = tensor.Affine(y, w, nil, tensor.AffineConfig{ReLU: true}).LeakyReLU(0.1).MulScalar(2)
			y = tensor.SpMM(permutation, y, tensor.SpMMConfig{}).Clamp(0, 1).MatMul(w)
			y = tensor.Concat(1, y.Slice(1, 0, 2), y.Slice(1, 2, 4))
			y = tensor.Gather(tensor.SegmentSum(y, slots), slots).Add(tensor.SegmentSoftmax(y, slots))
			y = tensor.LayerNorm(y, nil, nil, 1e-5)
		}
		tape.Grad(y, v)
	}
}
