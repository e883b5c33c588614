package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseDeepSet(t *testing.T) {
	for _, c := range golden.Load(t, "layers/deepset").Cases {
		t.Run(c.Name, func(t *testing.T) {
			known(t, c.Config)
			phi, rho := c.Value("params.phi.weight"), c.Value("params.rho.weight")
			set := nn.NewDeepSet(nn.NewInit(0), phi.Shape[1], phi.Shape[0], rho.Shape[0], nn.DeepSetConfig{})
			p := pass(t, true)
			vars := bind(t, p, c, set.Params())
			of := must(tensor.NewIndex(c.IDs("batch"), int(c.Value("num_graphs").Ints[0])))
			out := map[string]*tensor.Tensor{"pooled": set.Pool(p, vars["x"], of),
				"out": set.Forward(p, graph.View{X: vars["x"], VertexOf: of})}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}

// The head of two maps, and a set of edges: neither their order nor what they
// join matters.
func TestDeepSetOfEdges(t *testing.T) {
	r := rng.Stream(31, "sets")
	set := nn.NewDeepSet(nn.NewInit(1), edgeWidth, 4, 3, nn.DeepSetConfig{Head: true})
	if names := set.Params(); len(names) != 6 || names[2].Name != "rho.0.weight" || names[4].Name != "rho.2.weight" {
		t.Fatalf("parameters are %v", names)
	}
	g := multigraph(r, 5, 7, nodeWidth, edgeWidth, false, true)
	moved := permuted(g, r.Perm(5), r.Perm(7))
	for i := range moved.Ends {
		moved.Ends[i] = int32(r.IntN(5))
	}
	p := pass(t, true)
	a := set.Forward(p, must(graph.Collate([]*graph.Graph{g})).View.Dual())
	b := set.Forward(p, must(graph.Collate([]*graph.Graph{moved})).View.Dual())
	near(t, "moved", b.Data(), a.Data(), 1e-5)
	rho := set.Rho.(nn.Sequence)
	z := set.Pool(p, must(graph.Collate([]*graph.Graph{g})).E, tensor.MustIndex(make([]int32, 7), 1))
	near(t, "head", a.Data(), rho[2].Forward(p, rho[0].Forward(p, z).ReLU()).Data(), 1e-6)
}
