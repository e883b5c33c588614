package nn_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Fixture egcn: GCNConv_OGB with and without edge weights, and the formula of
// the paper.
func TestCaseEGCN(t *testing.T) {
	for _, c := range golden.Load(t, "layers/egcn").Cases {
		t.Run(c.Name, func(t *testing.T) {
			in, edge := c.Value("x").Shape[1], c.Value("edge_attr").Shape[1]
			if strings.HasPrefix(c.Name, "paper_formula/") {
				c.Config.Only(t, "formula")
				c = renamed(c, map[string]string{"W": "weight"})
				layer := nn.NewEGCN(nn.NewInit(0), nn.ConvDims{In: in, Out: c.Params["weight"].Shape[0], Edge: edge}, nn.EGCNConfig{Form: nn.EGCNPaper})
				checkCase(t, c, layer, layer.Forward)
				return
			}
			c.Config.Only(t)
			layer := nn.NewEGCN(nn.NewInit(0), nn.ConvDims{In: in, Out: c.Value("params.linear_node.bias").Shape[0], Edge: edge}, nn.EGCNConfig{})
			checkCase(t, c, layer, layer.Forward)
		})
	}
}

// EGCNLinear, which has no fixture, is EGCNOGB where nothing is negative, and
// linear: the response to twice a change is twice the response.
func TestEGCNLinear(t *testing.T) {
	r := rng.Stream(62, "egcn")
	for trial := range 20 {
		g := multigraph(r, 1+r.IntN(6), r.IntN(12), 3, 2, trial%2 == 0, true)
		v := must(graph.Collate([]*graph.Graph{g})).View
		if trial%3 == 0 {
			v.W = random(r, g.NumEdges()).Square()
		}
		relu := nn.NewEGCN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Edge: 2}, nn.EGCNConfig{})
		linear := nn.NewEGCN(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Edge: 2}, nn.EGCNConfig{Form: nn.EGCNLinear})
		base, move := v.X, random(r, g.NumNodes, 3)
		at := func(by float32) *tensor.Tensor {
			return linear.Forward(pass(t, false), v.WithX(base.Add(move.MulScalar(by)))).Clone()
		}
		near(t, "linear", at(2).Sub(at(0)).Data(), at(1).Sub(at(0)).MulScalar(2).Data(), 1e-4)
		for _, l := range []*nn.EGCN{relu, linear} {
			for _, w := range []*tensor.Param{l.Node.Bias, l.Root} {
				w.Value = tensor.Full(20, w.Value.Shape()...) // nothing is negative
			}
		}
		near(t, "all positive", relu.Forward(pass(t, false), v).Data(), linear.Forward(pass(t, false), v).Data(), 1e-5)
	}
}
