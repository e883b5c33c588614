package nn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// attentionCases need attention over hyperedges: TestCaseHyperAttention has them.
// A case of any other name is checked.
var attentionCases = []string{
	"attention_h1_concat/generic", "attention_h2_concat/generic", "attention_h2_avg/generic",
	"attention_h1_concat/more_hyperedges",
	"attention_h1_concat/dual_raw", "attention_h2_concat/dual_raw", "attention_h2_avg/dual_raw",
	"attention_h1_concat/dual_loops", "attention_h1_concat/empty", "attention_h1_concat/one",
}

func TestCaseHyperConv(t *testing.T) {
	left := slices.Clone(attentionCases)
	for _, c := range golden.Load(t, "layers/hypergraph_conv").Cases {
		if i := slices.Index(left, c.Name); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "bias")
			vertex, edge := c.Pair("hyperedge_index")
			n, m := c.Value("x").Shape[0], 0
			for _, e := range edge {
				m = max(m, int(e)+1)
			}
			if c.Has("hyperedge_weight") {
				m = c.Value("hyperedge_weight").Len()
			}
			w := c.Value("params.weight")
			layer := nn.NewHyperConv(nn.NewInit(0), nn.ConvDims{In: w.Shape[0], Out: w.Shape[1]}, nn.HyperConvConfig{NoBias: !c.Config.Bool("bias", true)})
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			v := graph.View{X: vars["x"], W: vars["hyperedge_weight"], H: must(graph.NewIncidence(n, m, vertex, edge))}
			out := map[string]*tensor.Tensor{"out": layer.Forward(p, v)}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
			near(t, "with ReLU", layer.ForwardReLU(p, v).Data(), out["out"].ReLU().Data(), 1e-6)
		})
	}
	if len(left) > 0 {
		t.Errorf("cases listed as not covered do not exist: %q", left)
	}
}

// hyperMatrix is D⁻¹·H·W·B⁻¹·Hᵀ from the definition; w is nil for ones. Loops,
// where asked for, are one more hyperedge of weight 1 per vertex.
func hyperMatrix(h *graph.Incidence, w []float32, loops bool) [][]float64 {
	n, m := h.NumVertices(), h.NumEdges()
	vertex, edge := h.List()
	weight := func(e int32) float64 {
		if w == nil {
			return 1
		}
		return float64(w[e])
	}
	size := make([]float64, m)
	for _, e := range edge {
		size[e]++
	}
	a := make([][]float64, n)
	for v := range a {
		a[v] = make([]float64, n)
		degree := 0.0
		if loops {
			degree, a[v][v] = 1, 1
		}
		for i, u := range vertex {
			if int(u) != v {
				continue
			}
			degree += weight(edge[i])
			for j, x := range vertex {
				if edge[j] == edge[i] {
					a[v][x] += weight(edge[i]) / size[edge[i]]
				}
			}
		}
		for u := range a[v] {
			if degree != 0 {
				a[v][u] /= degree
			} else {
				a[v][u] = 0
			}
		}
	}
	return a
}

func randomHypergraph(r *rand.Rand) *graph.Incidence {
	n, m := 1+r.IntN(6), 1+r.IntN(6)
	var vertex, edge []int32
	for range r.IntN(14) {
		vertex, edge = append(vertex, int32(r.IntN(n))), append(edge, int32(r.IntN(m)))
	}
	return must(graph.NewIncidence(n, m, vertex, edge))
}

func TestHyperConvAgainstDense(t *testing.T) {
	r := rng.Stream(4, "hyper")
	for trial := range 120 {
		h := randomHypergraph(r)
		if trial%3 == 0 {
			g := multigraph(r, 1+r.IntN(5), r.IntN(8), 1, 1, true, true)
			h = must(graph.NewPairs(g.NumNodes, g.Ends, true)).WithLoops(graph.LoopsNone)
		}
		if trial%2 == 0 {
			h = h.Dual()
		}
		in, out := 1+r.IntN(4), 1+r.IntN(4)
		layer := nn.NewHyperConv(nn.NewInit(uint64(trial)), nn.ConvDims{In: in, Out: out}, nn.HyperConvConfig{NoBias: trial%5 == 0})
		var bias *tensor.Tensor
		if layer.Bias != nil {
			layer.Bias.Value = random(r, out)
			bias = layer.Bias.Value
		}
		v := graph.View{X: random(r, h.NumVertices(), in), H: h}
		theta := layer.Weight.Value.Transpose()
		check := func(what string, v graph.View, a [][]float64) {
			t.Helper()
			for _, train := range []bool{true, false} {
				near(t, what, layer.Forward(pass(t, train), v).Data(), applied(a, v.X, theta, bias), 1e-5)
			}
		}
		check("plain", v, hyperMatrix(h, nil, false))
		check("with loops", v.WithLoops(graph.LoopsKeep), hyperMatrix(h, nil, true))
		w := tensor.New(h.NumEdges())
		for e := range w.Data() {
			w.Data()[e] = float32(r.IntN(4)) / 2 // zeros, too
		}
		check("weighted", v.WithW(w), hyperMatrix(h, w.Data(), false))
		// A weight turns the loops of a view off.
		check("weighted, loops asked for", v.WithW(w).WithLoops(graph.LoopsKeep), hyperMatrix(h, w.Data(), false))
		for e := range w.Data() {
			w.Data()[e] = -0.5 - r.Float32()
		}
		check("negative weights", v.WithW(w), hyperMatrix(h, w.Data(), false))
		if t.Failed() {
			t.Fatalf("trial %d", trial)
		}
	}
}

// As TestGCNWidening: a layer that widens against one that does not.
func TestHyperConvWidening(t *testing.T) {
	r := rng.Stream(5, "widening")
	const in, out = 2, 5
	for _, loops := range []graph.Loops{graph.LoopsNone, graph.LoopsKeep, graph.LoopsReplaceSingletons} {
		v := must(graph.Collate([]*graph.Graph{multigraph(r, 6, 9, 1, in, false, true)})).View.Dual().WithLoops(loops)
		narrow := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: in, Out: out}, nn.HyperConvConfig{})
		square := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: out, Out: out}, nn.HyperConvConfig{})
		narrow.Bias.Value = random(r, out)
		square.Bias.Value = narrow.Bias.Value
		square.Weight.Value = tensor.Concat(0, narrow.Weight.Value, tensor.New(out-in, out))
		up := random(r, 9, out)
		p := pass(t, true)
		x := p.Tape.Variable(v.X)
		wide := p.Tape.Variable(tensor.Concat(1, v.X, tensor.New(9, out-in)))
		a, b := narrow.ForwardReLU(p, v.WithX(x)), square.ForwardReLU(p, v.WithX(wide))
		near(t, "output", a.Data(), b.Data(), 1e-6)
		ga := gradients(p, a, up, x, p.Var(narrow.Weight), p.Var(narrow.Bias))
		gb := gradients(p, b, up, wide, p.Var(square.Weight), p.Var(square.Bias))
		near(t, "gradient of x", ga[0].Data(), gb[0].Slice(1, 0, in).Data(), 1e-5)
		near(t, "gradient of the weight", ga[1].Data(), gb[1].Slice(0, 0, in).Data(), 1e-5)
		near(t, "gradient of the bias", ga[2].Data(), gb[2].Data(), 1e-5)
	}
}

// A vertex without hyperedges, and one whose hyperedges all weigh nothing, get
// the bias, with finite gradients.
func TestHyperConvIsolated(t *testing.T) {
	h := must(graph.NewIncidence(3, 2, []int32{0, 1}, []int32{0, 1}))
	layer := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: 2, Out: 2}, nn.HyperConvConfig{})
	layer.Bias.Value = tensor.FromSlice([]float32{3, 4}, 2)
	p := pass(t, true)
	x, w := p.Tape.Variable(tensor.Full(1, 3, 2)), p.Tape.Variable(tensor.FromSlice([]float32{1, 0}, 2))
	for name, v := range map[string]graph.View{"plain": {X: x, H: h}, "weighted": {X: x, H: h, W: w}} {
		out := layer.Forward(p, v)
		near(t, name, out.Data()[4:], []float32{3, 4}, 0)
		if v.W != nil {
			near(t, "weightless", out.Data()[2:4], []float32{3, 4}, 0)
		}
		for i, g := range p.Tape.Grad(out.Square(), x, w, p.Var(layer.Weight)) {
			for _, d := range g.Data() {
				if d-d != 0 {
					t.Errorf("%s: gradient %d is %v", name, i, g)
					break
				}
			}
		}
	}
}
