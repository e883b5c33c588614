package pool_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseDeepSet(t *testing.T) {
	for _, c := range golden.Load(t, "layers/deepset").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t)
			phi, rho := c.Value("params.phi.weight"), c.Value("params.rho.weight")
			set := pool.NewDeepSet(nn.NewInit(0), pool.DeepSetDims{In: phi.Shape[1], Hidden: phi.Shape[0], Out: rho.Shape[0]})
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, set.Params())
			of := must(tensor.NewIndex(c.IDs("batch"), int(c.Value("num_graphs").Ints[0])))
			sum := tensor.SegmentSum(set.Phi.ForwardReLU(p, vars["x"]), of)
			out := map[string]*tensor.Tensor{"pooled": sum, "out": set.Forward(p, vars["x"], of)}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}
