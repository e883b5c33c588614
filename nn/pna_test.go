package nn_test

import (
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// PyTorch Geometric's layer with one tower: results, gradients, and δ after the call.
func TestCasePNA(t *testing.T) {
	for _, c := range golden.Load(t, "layers/pna_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "training")
			c := renamed(c, map[string]string{"pre_nns.0.0.weight": "pre.weight", "pre_nns.0.0.bias": "pre.bias",
				"post_nns.0.0.weight": "post.weight", "post_nns.0.0.bias": "post.bias"})
			layer := nn.NewPNA(nn.NewInit(0), nn.ConvDims{In: 3, Out: 2, Edge: 3})
			p := pass(t, c.Config.Bool("training", true))
			vars := c.Bind(t, p.Tape, layer.Params())
			if !p.Train { // where parameters are constants
				for name := range vars {
					if strings.HasPrefix(name, "params.") {
						vars[name] = nil
					}
				}
			}
			out := map[string]*tensor.Tensor{"out": layer.Forward(p, neighbourCaseView(c, vars))}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
			golden.Close(t, "δ after the call", layer.LogDegree.Value.Data(), []int{1}, c.Outputs["after.log_degree"], 1e-6)
		})
	}
}

// An undirected edge is two arcs, with and without features of edges.
func TestPNAForms(t *testing.T) {
	r := rng.Stream(41, "pna")
	for trial := range 40 {
		u := must(graph.Collate([]*graph.Graph{sample(r, false)})).View
		arcs, _ := u.Arcs()
		d := nn.ConvDims{In: nodeWidth, Out: 4, Edge: edgeWidth}
		if trial%2 == 0 {
			d.Edge = 0
		}
		layer := nn.NewPNA(nn.NewInit(1), d)
		near(t, "arcs", layer.Forward(pass(t, true), arcs).Data(), layer.Forward(pass(t, true), u).Data(), 1e-5)
	}
}

// δ is that of the batch in training, and otherwise what batches have left.
func TestPNADelta(t *testing.T) {
	view := func(ends ...int32) graph.View {
		h := must(graph.NewPairs(4, ends, true))
		return graph.View{X: random(rng.Stream(1, "x"), 4, 3), H: h}
	}
	layer := nn.NewPNA(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2})
	delta := func(want float64) {
		t.Helper()
		near(t, "δ", layer.LogDegree.Value.Data(), []float32{float32(want)}, 1e-6)
	}
	few, many := view(0, 1), view(0, 1, 0, 1, 0, 1, 2, 3)
	a, b := math.Log(2)/4, (math.Log(4)+math.Log(2))/4
	layer.Forward(pass(t, false), few)
	delta(0)
	layer.Forward(pass(t, true), few)
	delta(a)
	layer.Forward(pass(t, true), view())
	delta(a)
	layer.Forward(pass(t, true), many)
	delta(0.9*a + 0.1*b)
	kept := layer.Forward(pass(t, false), few).Clone()
	delta(0.9*a + 0.1*b)
	layer.LogDegree.Value.Data()[0] = float32(a)
	if other := layer.Forward(pass(t, false), few); close(other.Data(), kept.Data()) {
		t.Error("δ has no effect")
	}
	near(t, "in training", layer.Forward(pass(t, true), few).Data(), layer.Forward(pass(t, false), few).Data(), 1e-6)
}

func close(a, b []float32) bool {
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-6 {
			return false
		}
	}
	return true
}

// Views for which a layer of graphs is not defined are shape errors.
func TestPNARefuses(t *testing.T) {
	v := must(graph.Collate([]*graph.Graph{multigraph(rng.Stream(42, "pna"), 4, 5, nodeWidth, edgeWidth, true, false)})).View
	pna := nn.NewPNA(nn.NewInit(1), nn.ConvDims{In: nodeWidth, Out: 2, Edge: edgeWidth})
	ends := nn.NewEndsLinear(nn.NewInit(1), nn.EndsDims{Node: nodeWidth, Edge: edgeWidth, Out: 2})
	for name, layer := range map[string]nn.Conv{"PNA": pna, "EndsLinear": ends} {
		mustPanic(t, name+" on a dual", func() { layer.Forward(pass(t, false), v.Dual()) })
		mustPanic(t, name+" without edge features", func() { layer.Forward(pass(t, false), v.WithE(nil)) })
		mustPanic(t, name+" with wider edge features", func() { layer.Forward(pass(t, false), v.WithE(tensor.New(5, edgeWidth+1))) })
		mustPanic(t, name+" with wider nodes", func() { layer.Forward(pass(t, false), v.WithX(tensor.New(4, nodeWidth+1))) })
	}
}
