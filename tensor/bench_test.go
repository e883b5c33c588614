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
