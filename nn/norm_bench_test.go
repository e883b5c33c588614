package nn_test

import (
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// BenchmarkNorm is a norm with the gradients of input, weight and bias.
func BenchmarkNorm(b *testing.B) {
	const d = 128
	layer, batch := nn.NewLayerNorm(nn.NewInit(0), d), nn.NewBatchNorm(nn.NewInit(0), d)
	for _, c := range []struct {
		name         string
		norm         nn.Rowwise
		weight, bias *tensor.Param
	}{{"layer", layer, layer.Weight, layer.Bias}, {"batch", batch, batch.Weight, batch.Bias}} {
		for _, rows := range []int{1000, 5000, 20000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, rows), func(b *testing.B) {
				arena := tensor.NewArena(0)
				x := random(rng.Stream(1, "norm"), rows, d)
				for b.Loop() {
					p := &nn.Pass{Tape: arena.Tape(), Train: true}
					v := p.Tape.Variable(x)
					y := c.norm.Forward(p, v)
					p.Tape.Grad(y, v, p.Var(c.weight), p.Var(c.bias))
					p.Tape.Close()
				}
			})
		}
	}
}
