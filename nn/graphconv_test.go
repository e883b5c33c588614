package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseGraphConv(t *testing.T) {
	for _, c := range golden.Load(t, "layers/graph_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			known(t, c.Config)
			w := c.Value("params.lin_rel.weight")
			checkWeightedCase(t, c, nn.NewGraphConv(nn.NewInit(0), w.Shape[1], w.Shape[0]))
		})
	}
}

// checkWeightedCase is checkNeighbourCase for a layer that takes edge weights.
func checkWeightedCase(t *testing.T, c golden.Case, layer nn.Conv) {
	t.Helper()
	p := pass(t, true)
	vars := bind(t, p, c, layer.Params())
	v := neighbourCaseView(c, vars).WithW(vars["edge_weight"])
	out := map[string]*tensor.Tensor{"out": layer.Forward(p, v)}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
}
