package nn_test

import (
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// BenchmarkLayerNorm is a norm with the gradients of input, weight and bias.
func BenchmarkLayerNorm(b *testing.B) {
	const d = 128
	for _, rows := range []int{1000, 5000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			l := nn.NewLayerNorm(nn.NewInit(0), d)
			arena := tensor.NewArena(0)
			x := random(rng.Stream(1, "norm"), rows, d)
			for b.Loop() {
				p := &nn.Pass{Tape: arena.Tape(), Train: true}
				v := p.Tape.Variable(x)
				y := l.Forward(p, v)
				p.Tape.Grad(y, v, p.Var(l.Weight), p.Var(l.Bias))
				p.Tape.Close()
			}
		})
	}
}
