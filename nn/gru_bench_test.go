package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Atoms of a minibatch of molecules, forward and backward.
func BenchmarkGRUCell(b *testing.B) {
	const rows, dim = 2500, 64
	r := rng.Stream(1, "rows")
	x, h := random(r, rows, dim), random(r, rows, dim)
	cell := nn.NewGRUCell(nn.NewInit(1), nn.Dims{In: dim, Out: dim}, nn.RecurrentConfig{})
	arena := tensor.NewArena(1)
	for b.Loop() {
		tape := arena.Tape()
		p := &nn.Pass{Tape: tape, Train: true}
		x, h := tape.Variable(x), tape.Variable(h)
		wrt := []*tensor.Tensor{x, h}
		for _, w := range cell.Params() {
			wrt = append(wrt, tape.Watch(w))
		}
		tape.Grad(cell.Forward(p, x, h), wrt...)
		tape.Close()
	}
}
