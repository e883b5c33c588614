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

// hyperCase is the view of a fixture of hypergraph convolution, without loops
// but those listed.
func hyperCase(c golden.Case, vars map[string]*tensor.Tensor) graph.View {
	vertex, edge := c.Pair("hyperedge_index")
	m := 0
	for _, e := range edge {
		m = max(m, int(e)+1)
	}
	for _, name := range []string{"hyperedge_weight", "hyperedge_attr"} {
		if c.Has(name) {
			m = c.Value(name).Shape[0]
		}
	}
	return graph.View{X: vars["x"], E: vars["hyperedge_attr"], W: vars["hyperedge_weight"],
		H: must(graph.NewIncidence(c.Value("x").Shape[0], m, vertex, edge))}
}

func hyperAttentionOf(t *testing.T, c golden.Case, form nn.HyperAttentionForm) *nn.HyperAttention {
	t.Helper()
	c.Config.Only(t, "use_attention", "attention_mode", "heads", "concat")
	config := nn.HyperAttentionConfig{Form: form, Average: !c.Config.Bool("concat", true)}
	d := nn.ConvDims{In: c.Value("x").Shape[1], Out: c.Value("params.att").Shape[2] / 2, Heads: c.Config.Int("heads", 1)}
	if !config.Average {
		d.Out *= d.Heads
	}
	return must(nn.NewHyperAttention(nn.NewInit(0), d, config))
}

func checkHyper(t *testing.T, c golden.Case, layer nn.Conv) {
	t.Helper()
	p := pass(t, true)
	vars := c.Bind(t, p.Tape, layer.Params())
	out := map[string]*tensor.Tensor{"out": layer.Forward(p, hyperCase(c, vars))}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
}

// Fixture hypergraph_conv: attention as in the authors' code. Where that code
// fails, because a hyperedge's number is not a vertex, the layer says so.
func TestCaseHyperAttention(t *testing.T) {
	seen := 0
	for _, c := range golden.Load(t, "layers/hypergraph_conv").Cases {
		if !strings.HasPrefix(c.Name, "attention_") {
			continue // TestCaseHyperConv
		}
		seen++
		t.Run(c.Name, func(t *testing.T) {
			if c.ReferenceError != "" {
				layer := must(nn.NewHyperAttention(nn.NewInit(0), nn.ConvDims{In: c.Value("x").Shape[1], Out: 3}, nn.HyperAttentionConfig{Form: nn.AttendAuthors}))
				v := hyperCase(c, map[string]*tensor.Tensor{"x": c.Tensor("x")})
				mustPanic(t, "a hyperedge without a vertex of its number", func() { layer.Forward(pass(t, true), v) })
				return
			}
			checkHyper(t, c, hyperAttentionOf(t, c, nn.AttendAuthors))
		})
	}
	if seen != len(attentionCases) {
		t.Errorf("%d cases with attention, want %d", seen, len(attentionCases))
	}
}

// Fixture hypergraph_conv_pyg: attention over vertices and over hyperedges, and
// HyperConv with weights in the degrees only.
func TestCaseHyperConvPyG(t *testing.T) {
	for _, c := range golden.Load(t, "layers/hypergraph_conv_pyg").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c = renamed(c, map[string]string{"lin.weight": "weight", "theta.weight": "weight"})
			c = transposed(c, "weight")
			if c.Config.Bool("use_attention", false) {
				form := map[string]nn.HyperAttentionForm{"node": nn.AttendVertices, "edge": nn.AttendHyperedges}
				checkHyper(t, c, hyperAttentionOf(t, c, form[c.Config.String("attention_mode", "")]))
				return
			}
			c.Config.Only(t, "bias", "source")
			w := c.Value("params.weight").Shape
			checkHyper(t, c, nn.NewHyperConv(nn.NewInit(0), nn.ConvDims{In: w[0], Out: w[1]}, nn.HyperConvConfig{NoBias: !c.Config.Bool("bias", true), DegreeOnly: true}))
		})
	}
}

// Weights of ones are no weights, for both libraries' reading of them.
func TestHyperAttentionWeights(t *testing.T) {
	r := rng.Stream(41, "attention")
	for range 20 {
		h := randomHypergraph(r)
		v := graph.View{X: random(r, h.NumVertices(), 3), E: random(r, h.NumEdges(), 3), H: h}
		for _, only := range []bool{false, true} {
			layer := must(nn.NewHyperAttention(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Heads: 2}, nn.HyperAttentionConfig{DegreeOnly: only}))
			near(t, "ones", layer.Forward(pass(t, false), v.WithW(tensor.Full(1, h.NumEdges()))).Data(),
				layer.Forward(pass(t, false), v).Data(), 1e-5)
		}
		// D is the sum of the weights: twice the weights are no weights in the
		// authors' reading, half of the result in the other.
		layer := must(nn.NewHyperAttention(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2}, nn.HyperAttentionConfig{}))
		want := layer.Forward(pass(t, false), v)
		twice := v.WithW(tensor.Full(2, h.NumEdges()))
		near(t, "twos", layer.Forward(pass(t, false), twice).Data(), want.Data(), 1e-5)
		layer.DegreeOnly = true
		near(t, "twos in the degrees", layer.Forward(pass(t, false), twice).Data(), want.MulScalar(0.5).Data(), 1e-5)
	}
}

// Loops are hyperedges with their vertex's features: the convention of the view
// does what the same hyperedges written out do.
func TestHyperAttentionLoops(t *testing.T) {
	r := rng.Stream(42, "loops")
	for range 40 {
		h := randomHypergraph(r)
		n, m := h.NumVertices(), h.NumEdges()
		x, e := random(r, n, 3), random(r, m, 3)
		vertex, edge := h.List()
		size := make([]int, m)
		for _, k := range edge {
			size[k]++
		}
		for _, loops := range []graph.Loops{graph.LoopsKeep, graph.LoopsReplaceSingletons} {
			var vs, es []int32
			for i := range vertex {
				if loops == graph.LoopsKeep || size[edge[i]] > 1 {
					vs, es = append(vs, vertex[i]), append(es, edge[i])
				}
			}
			for i := range int32(n) {
				vs, es = append(vs, i), append(es, int32(m)+i)
			}
			explicit := graph.View{X: x, E: tensor.Concat(0, e, x), H: must(graph.NewIncidence(n, m+n, vs, es))}
			for _, form := range []nn.HyperAttentionForm{nn.AttendHyperedges, nn.AttendVertices} {
				layer := must(nn.NewHyperAttention(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Heads: 2}, nn.HyperAttentionConfig{Form: form}))
				near(t, "with loops", layer.Forward(pass(t, false), graph.View{X: x, E: e, H: h.WithLoops(loops)}).Data(),
					layer.Forward(pass(t, false), explicit).Data(), 1e-5)
			}
		}
	}
}

// What attention reports adds up to 1 over what it is divided over, and is
// dropped out in training only.
func TestForwardAttention(t *testing.T) {
	r := rng.Stream(43, "report")
	v := must(graph.Collate([]*graph.Graph{multigraph(r, 6, 9, 3, 3, false, true)})).View.Dual()
	for form, over := range map[nn.HyperAttentionForm]func(a nn.Attention) []int32{
		nn.AttendHyperedges: func(a nn.Attention) []int32 { return a.Vertex },
		nn.AttendVertices:   func(a nn.Attention) []int32 { return a.Edge },
	} {
		layer := must(nn.NewHyperAttention(nn.NewInit(1), nn.ConvDims{In: 3, Out: 4, Heads: 2}, nn.HyperAttentionConfig{Form: form, Dropout: 0.5}))
		y, a := layer.ForwardAttention(pass(t, false), v)
		near(t, "output", layer.Forward(pass(t, false), v).Data(), y.Data(), 0)
		if len(a.Vertex) != 2*9+9 || a.Weight.Dim(0) != len(a.Vertex) || a.Weight.Dim(1) != 2 {
			t.Fatalf("weights %v for %d incidences, want 27 by 2", a.Weight.Shape(), len(a.Vertex))
		}
		for h := range 2 {
			sum := map[int32]float32{}
			for k, s := range over(a) {
				sum[s] += a.Weight.Data()[2*k+h]
			}
			for s, x := range sum {
				near(t, "sum of attention", []float32{x}, []float32{1}, 1e-6)
				_ = s
			}
		}
		dropped, _ := layer.ForwardAttention(pass(t, true), v)
		if dropped.Data()[0] == y.Data()[0] {
			t.Error("dropout changes nothing in training")
		}
	}
}
