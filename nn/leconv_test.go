package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseLEConv(t *testing.T) {
	for _, c := range golden.Load(t, "layers/le_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t)
			w := c.Value("params.lin1.weight")
			checkWeightedCase(t, c, nn.NewLEConv(nn.NewInit(0), nn.ConvDims{In: w.Shape[1], Out: w.Shape[0]}, nn.LEConvConfig{}))
		})
	}
}

// checkWeightedCase is checkNeighbourCase for a layer that takes edge weights.
func checkWeightedCase(t *testing.T, c golden.Case, layer nn.Conv) {
	t.Helper()
	p := pass(t, true)
	vars := c.Bind(t, p.Tape, layer.Params())
	v := neighbourCaseView(c, vars).WithW(vars["edge_weight"])
	out := map[string]*tensor.Tensor{"out": layer.Forward(p, v)}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
}

// With Loops every node has exactly one self-loop: of weight 1 where it had none,
// else with the weight of its last one.
func TestLEConvLoops(t *testing.T) {
	r := rng.Stream(31, "leconv")
	for trial := range 40 {
		g := multigraph(r, 1+r.IntN(6), r.IntN(12), 3, 1, trial%2 == 0, true)
		v := must(graph.Collate([]*graph.Graph{g})).View
		w := random(r, g.NumEdges())
		var ends []int32
		var weights []float32
		loop := make([]float32, g.NumNodes)
		for u := range loop {
			loop[u] = 1
		}
		for e := range g.NumEdges() {
			a, b := g.Ends[2*e], g.Ends[2*e+1]
			if a == b {
				loop[a] = w.Data()[e]
				continue
			}
			ends, weights = append(ends, a, b), append(weights, w.Data()[e])
		}
		for u := range int32(g.NumNodes) {
			ends, weights = append(ends, u, u), append(weights, loop[u])
		}
		explicit := graph.View{X: v.X, H: must(graph.NewPairs(g.NumNodes, ends, g.Directed))}
		plain := nn.NewLEConv(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2}, nn.LEConvConfig{})
		looped := nn.NewLEConv(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2}, nn.LEConvConfig{Loops: true})
		blind := nn.NewLEConv(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2}, nn.LEConvConfig{Loops: true, Unweighted: true})
		want := plain.Forward(pass(t, false), explicit).Data()
		near(t, "loops", looped.Forward(pass(t, false), v).Data(), want, 1e-5)
		near(t, "weights ignored", blind.Forward(pass(t, false), v.WithW(w)).Data(), want, 1e-5)
		explicit.W = tensor.FromSlice(weights, len(weights))
		near(t, "weighted loops", looped.Forward(pass(t, false), v.WithW(w)).Data(), plain.Forward(pass(t, false), explicit).Data(), 1e-5)
		if t.Failed() {
			t.Fatalf("trial %d: edges %v, weights %v", trial, g.Ends, w)
		}
	}
}

func TestLEConvNeedsPairs(t *testing.T) {
	g := multigraph(rng.Stream(32, "dual"), 3, 4, 2, 2, false, false)
	v := must(graph.Collate([]*graph.Graph{g})).View
	layer := nn.NewLEConv(nn.NewInit(0), nn.ConvDims{In: 2, Out: 1}, nn.LEConvConfig{})
	mustPanic(t, "LEConv on a dual", func() { layer.Forward(pass(t, false), v.Dual()) })
	mustPanic(t, "LEConv of another width", func() { layer.Forward(pass(t, false), v.WithX(tensor.New(3, 3))) })
}
