package pool_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// The readouts once more, with empty samples inside and at the end, tied maxima
// and the three side by side.
func TestCaseGlobalPools(t *testing.T) {
	names := map[string]string{"add": "sum", "mean": "mean", "max": "max", "max,mean,add": "max-mean-sum"}
	for _, c := range golden.Load(t, "pooling/global_pools").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "pool", "size", "tie_gradient")
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, nil)
			readout := must(pool.NewReadout(nn.NewInit(0), names[c.Config.String("pool", "")], vars["x"].Dim(1)))
			out := map[string]*tensor.Tensor{"out": readout.Forward(p, vars["x"], tensor.MustIndex(c.IDs("batch"), c.Config.Int("size", 0)))}
			if c.Name == "max with ties" {
				// In column 1 the four nodes of the second graph tie at 0, the value that
				// PyTorch's reduction starts from: it counts the start as a fifth and loses
				// its share of the gradient. Here the four have all of it.
				for row := 4; row < 8; row++ {
					c.Grads["x"].Floats[3*row+1] *= 5.0 / 4
				}
			}
			golden.CheckOutputs(t, c, out, 1e-6)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-6)
		})
	}
}
