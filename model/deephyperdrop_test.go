package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// caseNodeBatch is the one graph of a case, in the authors' directed form.
func caseNodeBatch(c golden.Case, x *tensor.Tensor) *graph.Batch {
	src, dst := c.Pair("edge_index")
	var ends []int32
	for e := range src {
		ends = append(ends, src[e], dst[e])
	}
	return oneGraph(x, ends)
}

// oneGraph is a batch of one directed graph.
func oneGraph(x *tensor.Tensor, ends []int32) *graph.Batch {
	n := x.Dim(0)
	b := &graph.Batch{N: 1}
	b.X, b.E = x, tensor.New(len(ends)/2, 0)
	b.H = must(graph.NewPairs(n, ends, true))
	b.VertexOf = tensor.MustIndex(make([]int32, n), 1)
	b.EdgeOf = tensor.MustIndex(make([]int32, len(ends)/2), 1)
	return b
}

// withoutLoops is b without its self-loops.
func withoutLoops(b *graph.Batch) *graph.Batch {
	var ends []int32
	for e, all := 0, b.H.Ends(); e < len(all); e += 2 {
		if all[e] != all[e+1] {
			ends = append(ends, all[e], all[e+1])
		}
	}
	return oneGraph(b.X, ends)
}

// looped is a random graph as DeepHyperDrop wants it: both arcs of every edge, and
// a self-loop at every node.
func looped(n, edges int, name string) *graph.Batch {
	r := rng.Stream(7, name)
	var ends []int32
	for range edges {
		if u, v := r.Int32N(int32(n)), r.Int32N(int32(n)); u != v {
			ends = append(ends, u, v, v, u)
		}
	}
	for v := range int32(n) {
		ends = append(ends, v, v)
	}
	return oneGraph(random(r, n, nodeDim), ends)
}

func TestCaseDeepHyperDrop(t *testing.T) {
	const tol = 1e-4
	for _, c := range golden.Load(t, "layers/model_hyperdrop_node").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "data", "num_node_features", "num_edge_features", "num_hidden", "num_edge_hidden",
				"num_classes", "edge_ratio", "dropout", "num_convs", "mode", "score_gap")
			m := asCode(must(NewDeepHyperDrop(nn.NewInit(0), Dims{Node: c.Config.Int("num_node_features", 0), Out: c.Config.Int("num_classes", 0)},
				DeepHyperDropConfig{Stack: Stack{c.Config.Int("num_hidden", 0), c.Config.Int("num_convs", 0), c.Config.Float("dropout", 0)},
					EdgeHidden: c.Config.Int("num_edge_hidden", 0), Ratio: c.Config.Float("edge_ratio", 0)})))
			if c.ReferenceError != "" {
				checkFiniteNodes(t, m, caseNodeBatch(c, c.Tensor("x")))
				return
			}
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, m.Params())
			b := caseNodeBatch(c, vars["x"])
			train := c.Config.String("mode", "") == "train"
			p.Train = train
			out := m.Forward(p, b)
			logp := map[string]*tensor.Tensor{"out": out.Node.LogSoftmax()}
			golden.CheckOutputs(t, c, logp, tol)
			if !train {
				// Parameters are constants in evaluation. Training that keeps all edges is
				// the same function, with gradients.
				for _, d := range m.Drops {
					d.(*pool.HyperDropPool).Keep.Fraction = 1
				}
				p.Train = true
				logp["out"] = m.Forward(p, b).Node.LogSoftmax()
				golden.CheckOutputs(t, c, logp, tol)
			}
			golden.CheckGrads(t, p.Tape, c, logp, vars, tol)
			for i, d := range out.Drops {
				golden.CheckOutputs(t, c, map[string]*tensor.Tensor{fmt.Sprintf("score%d", i): d.Score}, tol)
				perm := fmt.Sprintf("outputs.perm%d", i)
				if train != (d.Kept != nil) || train && !slices.Equal(d.Kept, c.IDs(perm)) {
					t.Errorf("drop %d keeps %v, training %v", i, d.Kept, train)
				}
			}
			if c.Has(fmt.Sprintf("outputs.score%d", len(out.Drops))) {
				t.Errorf("%d drops, the case has more", len(out.Drops))
			}
		})
	}
}

// asCode lets a model sum neighbours without degrees before its first drop, as the
// authors' code does.
func asCode(m *DeepHyperDrop) *DeepHyperDrop {
	m.First = func(v graph.View) graph.View { return v.WithW(nil) }
	return m
}

// deepDims are the widths of the models of the experiment, deepStack its settings.
var deepDims = Dims{Node: nodeDim, Out: 3}

func deepStack(layers int) Stack { return Stack{Hidden: 8, Layers: layers} }

// deep is a small configuration.
func deep(layers int, v Variant) DeepHyperDropConfig {
	return DeepHyperDropConfig{Stack: deepStack(layers), EdgeHidden: 4, Ratio: 0.8, Variant: v}
}

// deepHyperDrop builds a model of the experiment.
func deepHyperDrop(c DeepHyperDropConfig) *DeepHyperDrop {
	return must(NewDeepHyperDrop(nn.NewInit(3), deepDims, c))
}

// deepGCN builds a baseline of the experiment.
func deepGCN(c DeepGCNConfig) *DeepGCN { return must(NewDeepGCN(nn.NewInit(3), deepDims, c)) }

// dropEdge builds the baseline that keeps a share of the edges.
func dropEdge(layers int, ratio float64) *DeepGCN {
	return must(NewDropEdge(nn.NewInit(3), deepDims, DropEdgeConfig{DeepGCNConfig{Stack: deepStack(layers)}, ratio}))
}

// deepModels builds every model of the experiment.
func deepModels(layers int) map[string]Model {
	return map[string]Model{
		"hyperdrop":         deepHyperDrop(deep(layers, Published)),
		"hyperdrop as code": asCode(deepHyperDrop(deep(layers, Published))),
		"hyperdrop loops":   deepHyperDrop(deep(layers, Loops)),
		"hyperdrop hold":    deepHyperDrop(deep(layers, Hold)),
		"randdrop":          deepHyperDrop(deep(layers, Random)),
		"gcn":               deepGCN(DeepGCNConfig{Stack: deepStack(layers)}),
		"batchnorm":         deepGCN(DeepGCNConfig{Stack: deepStack(layers), BatchNorm: true}),
		"dropedge":          dropEdge(layers, 0.8),
	}
}

// checkFiniteNodes is checkFinite for predictions per node.
func checkFiniteNodes(t *testing.T, m Model, b *graph.Batch) {
	t.Helper()
	for _, train := range []bool{true, false} {
		p := pass(t, train)
		out, ok := forward(t, m, p, b)
		if !ok {
			continue
		}
		if y := out.Node; y.Dim(0) != b.H.NumVertices() || !finite(y) {
			t.Errorf("training %v: prediction %v for %d nodes", train, y, b.H.NumVertices())
		}
		if train {
			for i, g := range p.Tape.Grad(out.Node.Square(), watched(p, m)...) {
				if !finite(g) {
					t.Errorf("gradient of %s is %v", m.Params()[i].Name, g)
				}
			}
		}
	}
}

func TestDeepDegenerate(t *testing.T) {
	r := rng.Stream(8, "deep")
	for name, b := range map[string]*graph.Batch{
		"no nodes":        oneGraph(tensor.New(0, nodeDim), nil),
		"no edges":        oneGraph(random(r, 4, nodeDim), nil),
		"one node":        oneGraph(random(r, 1, nodeDim), []int32{0, 0}),
		"one edge":        oneGraph(random(r, 3, nodeDim), []int32{0, 1}),
		"only self-loops": oneGraph(random(r, 3, nodeDim), []int32{0, 0, 1, 1, 2, 2}),
		"equal nodes":     oneGraph(tensor.Full(1, 3, nodeDim), []int32{0, 1, 1, 0, 1, 2, 2, 1, 0, 0, 1, 1, 2, 2}),
		"parallel loops":  oneGraph(random(r, 2, nodeDim), []int32{0, 0, 0, 0, 0, 1, 1, 0}),
		"ordinary":        looped(9, 14, "ordinary"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, layers := range []int{1, 2, 3, 8} {
				for kind, m := range deepModels(layers) {
					t.Run(fmt.Sprint(kind, layers), func(t *testing.T) { checkFiniteNodes(t, m, b) })
				}
			}
		})
	}
}

// With Loops the layers are those of GCN on the graph without loops, in which the
// scores weigh the edges and each node's own message has weight 1.
func TestDeepLoops(t *testing.T) {
	b := withoutLoops(looped(10, 15, "own"))
	ends := b.H.Ends()
	m := deepHyperDrop(deep(3, Loops))
	out := m.Forward(pass(t, false), b)
	scores := out.Drops[0].Score.Data()

	const n = 10
	x := b.X
	for l, conv := range m.Convs {
		var a [n][n]float64 // W+I, then between the roots of its degrees
		var degree [n]float64
		for v := range n {
			a[v][v], degree[v] = 1, 1
		}
		for e := range scores {
			w := 1.0
			if l == 2 {
				w = min(max(float64(scores[e]), deepFloor), 1)
			}
			a[ends[2*e+1]][ends[2*e]] += w
			degree[ends[2*e+1]] += w
		}
		g := conv.(*nn.GCN)
		y := x.MatMulT(g.Weight.Value)
		d := y.Dim(1)
		next := tensor.New(n, d)
		for v := range n {
			for u := range n {
				for j := range d {
					next.Data()[v*d+j] += float32(a[v][u] / math.Sqrt(degree[u]*degree[v]) * float64(y.Data()[u*d+j]))
				}
			}
		}
		if x = next.Add(g.Bias.Value); l < 2 {
			x = x.ReLU()
		}
	}
	near(t, "logits", out.Node.Data(), x.Data(), 1e-4)
}

// With Hold a node that no kept edge leads to leaves a layer as it came in, others as
// with Loops; the same edges are dropped in evaluation as in training.
func TestDeepHold(t *testing.T) {
	b := withoutLoops(looped(12, 18, "hold"))
	ends := b.H.Ends()
	c := deep(7, Hold)
	c.Ratio = 0.3
	m := deepHyperDrop(c)
	// The vectors before layers 2 to 6, each as the model's last.
	var before []*tensor.Tensor
	var out *Output
	for layers := 3; layers <= 7; layers++ {
		short := *m
		short.Convs = m.Convs[:layers]
		short.HyperConvs, short.Drops = m.HyperConvs[:layers-1], m.Drops[:layers-1]
		out = short.Forward(pass(t, false), b)
		before = append(before, out.NodeVec.Clone())
	}
	trained := m.Forward(pass(t, true), b)
	kept := make([]int32, b.H.NumEdges())
	for e := range kept {
		kept[e] = int32(e)
	}
	var held []int // by drop
	for i, d := range out.Drops {
		if !slices.Equal(d.Kept, trained.Drops[i].Kept) {
			t.Errorf("drop %d keeps %v in evaluation and %v in training", i, d.Kept, trained.Drops[i].Kept)
		}
		kept = compose(kept, d.Kept)
		reached := make([]bool, 12)
		for _, e := range kept {
			reached[ends[2*e+1]] = true
		}
		held = append(held, 0)
		for v, r := range reached {
			if !r {
				held[i]++
			}
			for l := 4 * i; l < min(4*i+4, 4); l++ { // layers 2 to 5 follow the first drop
				was, is := before[l].Data()[8*v:8*v+8], before[l+1].Data()[8*v:8*v+8]
				if slices.Equal(was, is) == r && slices.Max(was) > 0 {
					t.Errorf("layer %d moves node %d: %v, an edge leads to it: %v", l+2, v, !r, r)
				}
			}
		}
	}
	if len(held) != 2 || held[0] == 0 || held[1] <= held[0] || held[1] == 12 {
		t.Fatalf("drops leave %v of 12 nodes alone, expected some of them", held)
	}
	// While an edge leads to every node nothing is held: the layers are those of Loops.
	c.Ratio = 1
	hold := deepHyperDrop(c)
	c.Variant = Loops
	loops := deepHyperDrop(c)
	ring := []int32{}
	for v := range int32(5) {
		ring = append(ring, v, (v+1)%5)
	}
	whole := oneGraph(random(rng.Stream(7, "ring"), 5, nodeDim), ring)
	near(t, "all kept", hold.Forward(pass(t, true), whole).Node.Data(), loops.Forward(pass(t, true), whole).Node.Data(), 1e-6)
}

// The gain multiplies the weights that the node layers begin with, and no others.
func TestDeepInitGain(t *testing.T) {
	build := func(name string, gain float64) Model {
		return built[Model](name, 3, values{"node_dim": nodeDim, "out": 3, "hidden": 8, "edge_hidden": 4, "layers": 4, "ratio": 0.8, "init_gain": gain})
	}
	for _, name := range []string{"deep-gcn", "deep-gcn-batchnorm", "deep-dropedge", "deep-hyperdrop", "deep-hyperdrop-loops", "deep-hyperdrop-hold", "deep-randdrop"} {
		plain, one, two := build(name, 0).Params(), build(name, 1).Params(), build(name, 2).Params()
		for i, p := range plain {
			want := slices.Clone(p.Value.Data())
			if !slices.Equal(one[i].Value.Data(), want) {
				t.Errorf("%s: a gain of 1 changes %s", name, p.Name)
			}
			if strings.HasPrefix(p.Name, "convs.") {
				for j := range want {
					want[j] *= 2
				}
			}
			near(t, name+": "+p.Name, two[i].Value.Data(), want, 1e-6)
		}
	}
}

// Where drops lie, what they keep in training and in evaluation, and how the
// output names edges.
func TestDeepDrops(t *testing.T) {
	b := looped(12, 20, "drops")
	edges := b.H.NumEdges()
	for layers, want := range map[int]int{1: 0, 2: 0, 3: 1, 6: 1, 7: 2, 10: 2, 11: 3, 64: 16} {
		for _, variant := range []Variant{Published, Random} {
			m := deepHyperDrop(deep(layers, variant))
			for _, train := range []bool{true, false} {
				p := pass(t, train)
				out := m.Forward(p, b)
				if len(out.Drops) != want || want > 0 && len(out.EdgeVecs) != 4*want-2 {
					t.Fatalf("%d layers have %d drops and %d sets of edge vectors, want %d and %d", layers, len(out.Drops), len(out.EdgeVecs), want, 4*want-2)
				}
				left := make([]int32, edges)
				for e := range left {
					left[e] = int32(e)
				}
				for i, d := range out.Drops {
					if !train {
						if d.Kept != nil || d.Entered != nil || d.Score.Size() != edges {
							t.Errorf("drop %d drops in evaluation", i)
						}
						continue
					}
					if got, want := len(d.Kept), (pool.Keep{Fraction: 0.8}).Of(len(left)); got != want || d.Score.Size() != len(left) {
						t.Errorf("drop %d keeps %d of %d edges, want %d of %d", i, got, d.Score.Size(), want, len(left))
					}
					if i > 0 && !slices.Equal(d.Entered, left) {
						t.Errorf("edges %v enter drop %d, want %v", d.Entered, i, left)
					}
					left = compose(left, d.Kept)
				}
			}
		}
	}
}

// Up to two layers, normalised HyperDrop is a GCN, on the graph with its loops in
// the list as on that without; as in the authors' code it is a sum over neighbours.
func TestDeepWithoutDrop(t *testing.T) {
	b := looped(10, 15, "plain")
	bare := withoutLoops(b)
	for layers := range 2 {
		g := deepGCN(DeepGCNConfig{Stack: deepStack(layers + 1)})
		h := deepHyperDrop(deep(layers+1, Published))
		want := g.Forward(pass(t, false), b).Node.Data()
		near(t, "GCN without loops in the list", g.Forward(pass(t, false), bare).Node.Data(), want, 1e-5)
		near(t, "HyperDrop without drop", h.Forward(pass(t, false), b).Node.Data(), want, 1e-5)
	}
	m := asCode(deepHyperDrop(deep(1, Published)))
	conv := m.Convs[0].(*nn.GCN)
	x := b.X.MatMulT(conv.Weight.Value)
	sum := tensor.New(10, 3)
	for e, ends := 0, b.H.Ends(); e < len(ends); e += 2 {
		for j := range 3 {
			sum.Data()[int(ends[e+1])*3+j] += x.Data()[int(ends[e])*3+j]
		}
	}
	near(t, "as code", m.Forward(pass(t, false), b).Node.Data(), sum.Data(), 1e-5)
}

// DropEdge thins out the graph in training only; BatchNorm stands between layers;
// dropout before every convolution, features included.
func TestDeepGCNOptions(t *testing.T) {
	b := looped(40, 200, "options")
	differ := func(what string, m Model, want bool) {
		t.Helper()
		a, e := m.Forward(pass(t, true), b).Node.Data(), m.Forward(pass(t, false), b).Node.Data()
		if slices.Equal(a, e) == want {
			t.Errorf("%s: training differs from evaluation: %v, want %v", what, !want, want)
		}
	}
	differ("gcn", deepGCN(DeepGCNConfig{Stack: deepStack(1)}), false)
	differ("dropedge", dropEdge(1, 0.8), true)
	wet := deep(1, Published)
	wet.Dropout = 0.5
	differ("dropout", deepGCN(DeepGCNConfig{Stack: wet.Stack}), true)
	differ("dropout", deepHyperDrop(wet), true)
	if m := deepGCN(DeepGCNConfig{Stack: deepStack(4), BatchNorm: true}); len(m.Norms) != 3 || len(m.Params()) != 4*2+3*4 {
		t.Errorf("%d norms, %d parameters", len(m.Norms), len(m.Params()))
	}
	// With all edges dropped, only the loops that GCN adds are left: a linear map.
	m := dropEdge(1, 0.5)
	m.Drop.Rate = 1
	near(t, "all edges dropped", m.Forward(pass(t, true), b).Node.Data(), b.X.MatMulT(m.Convs[0].(*nn.GCN).Weight.Value).Data(), 1e-5)
}

func TestDeepErrors(t *testing.T) {
	for _, c := range []struct {
		setting string
		value   any
	}{{"hidden", 0}, {"layers", 0}, {"out", 0}, {"dropout", math.NaN()}, {"init_gain", math.NaN()}} {
		for _, s := range ofTask(nodeClass) {
			if !slices.Contains(s.Options(), strings.ReplaceAll(c.setting, "_", "-")) && c.setting != "out" {
				continue // the model does not read it
			}
			m, err := s.New(with(valid(s.Name), c.setting, c.value))
			if m != nil || err == nil || !strings.HasPrefix(err.Error(), "model: "+s.Name+": "+c.setting) {
				t.Errorf("%s, bad %s: %v", s.Name, c.setting, err)
			}
		}
	}
	for _, bad := range []float64{0, -1, 1.5, math.NaN()} {
		for _, name := range []string{"deep-hyperdrop", "deep-dropedge"} {
			if m, err := must(Find(name)).New(with(valid(name), "ratio", bad)); m != nil || err == nil || !strings.HasPrefix(err.Error(), "model: "+name+": ratio: ") {
				t.Errorf("%s, ratio %v: %v", name, bad, err)
			}
		}
	}
	if m, err := NewDeepHyperDrop(nn.NewInit(0), deepDims, deep(3, 7)); m != nil || err == nil || !strings.Contains(err.Error(), "variant is 7, expected 0 to 3") {
		t.Errorf("variant 7: %v", err)
	}
}

// Training is the same to the bit on one thread and on two.
func TestDeepThreads(t *testing.T) {
	b := looped(500, 2500, "threads")
	for kind, m := range deepModels(7) {
		var first [][]float32
		for _, threads := range []int{1, 2} {
			tape := tensor.NewArena(threads).Tape()
			p := &nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, "pass")}
			y := m.Forward(p, b).Node
			for i, x := range append(tape.Grad(y.Square(), watched(p, m)...), y) {
				if threads == 1 {
					first = append(first, x.Clone().Data())
				} else if !slices.Equal(x.Data(), first[i]) {
					t.Errorf("%s: result %d differs between one thread and two", kind, i)
				}
			}
			tape.Close()
		}
	}
}

// Every model of the experiment learns the communities of a graph from few labels
// at a modest depth.
func TestDeepLearning(t *testing.T) {
	const n, per = 60, 20
	r := rng.Stream(9, "learning")
	var ends []int32
	class := make([]int32, n)
	x := random(r, n, nodeDim)
	for v := range int32(n) {
		class[v] = v / per
		x.Data()[int(v)*nodeDim+int(class[v])] += 1
		ends = append(ends, v, v)
		for range 3 {
			if u := class[v]*per + r.Int32N(per); u != v {
				ends = append(ends, u, v, v, u)
			}
		}
	}
	b := oneGraph(x, ends)
	seen := slices.Clone(class)
	for v := range seen {
		if v%per >= 4 {
			seen[v] = loss.Ignore
		}
	}
	labels := must(loss.NewLabels(seen, 3, nil))
	for kind, m := range deepModels(4) {
		opt := must(optim.New(optim.Config{}, m.Params()))
		arena := tensor.NewArena(1)
		for step := range 150 {
			p := &nn.Pass{Tape: arena.Tape(), Train: true, Rand: rng.Stream(1, "step", step)}
			l := loss.CrossEntropy(m.Forward(p, b).Node, labels)
			var wrt []*tensor.Tensor
			for _, w := range opt.Params() {
				wrt = append(wrt, p.Tape.Watch(w))
			}
			opt.Step(0.01, p.Tape.Grad(l, wrt...))
			p.Tape.Close()
		}
		right := 0
		y := m.Forward(pass(t, false), b).Node.Data()
		for v, c := range class {
			row := y[v*3 : v*3+3]
			if row[c] == slices.Max(row) {
				right++
			}
		}
		t.Logf("%s: %d of %d nodes", kind, right, n)
		if right < 51 {
			t.Errorf("%s: %d of %d nodes are right after training", kind, right, n)
		}
	}
}

// Both arcs of every edge, by source and target; parallel edges stay. The one form
// keeps the loops that are there and gives one to every other node, the other has none.
func TestDeepForms(t *testing.T) {
	ends := []int32{2, 0, 1, 1, 0, 2, 3, 2}
	undirected := &graph.Graph{NumNodes: 5, Ends: ends, Node: graph.Ones(5), Edge: graph.Features{Dim: 1, Dense: []float32{1, 2, 3, 4}},
		EdgeLabel: []int32{1, 2, 3, 4}, EdgeTargets: []float32{1, 2, 3, 4}, NodeLabel: []int32{0, 1, 2, 3, 4}}
	for _, form := range []struct {
		name string
		of   func(*graph.Graph) (*graph.Graph, error)
		want []int32
	}{
		{"ArcsAndLoops", ArcsAndLoops, []int32{0, 0, 0, 2, 0, 2, 1, 1, 2, 0, 2, 0, 2, 2, 2, 3, 3, 2, 3, 3, 4, 4}},
		{"ArcsAlone", ArcsAlone, []int32{0, 2, 0, 2, 2, 0, 2, 0, 2, 3, 3, 2}},
	} {
		t.Run(form.name, func(t *testing.T) {
			for _, g := range []*graph.Graph{undirected, undirected.Arcs()} {
				got := must(form.of(g))
				if !got.Directed || !slices.Equal(got.Ends, form.want) || got.NumNodes != 5 || !slices.Equal(got.NodeLabel, g.NodeLabel) {
					t.Errorf("ends %v of %+v\nwant %v", got.Ends, got, form.want)
				}
				if got.Edge.Width() != 1 || len(got.Edge.Code) != len(form.want)/2 || got.EdgeLabel != nil || got.EdgeTargets != nil {
					t.Errorf("edges %+v", got.Edge)
				}
				if again := must(form.of(got)); !slices.Equal(again.Ends, form.want) {
					t.Errorf("twice: %v", again.Ends)
				}
			}
			if !slices.Equal(undirected.Ends, ends) || undirected.Directed || len(undirected.EdgeLabel) != 4 {
				t.Error("the graph has changed")
			}
			if g := must(form.of(&graph.Graph{})); g.NumEdges() != 0 {
				t.Errorf("no nodes have %d edges", g.NumEdges())
			}
		})
	}
}

// The rows of the registry are the models of their names.
func TestDeepRegistry(t *testing.T) {
	of := small().but(values{"layers": 4, "ratio": 0.75})
	for name, want := range map[string]struct {
		norms int
		rate  float64
	}{"deep-gcn": {}, "deep-gcn-batchnorm": {norms: 3}, "deep-dropedge": {rate: 0.25}} {
		if m := built[*DeepGCN](name, 1, of); len(m.Norms) != want.norms || m.Drop.Rate != want.rate {
			t.Errorf("%s has %d norms and drops %v of the edges, want %+v", name, len(m.Norms), m.Drop.Rate, want)
		}
	}
	for name, want := range map[string]Variant{"deep-hyperdrop": Published, "deep-hyperdrop-loops": Loops, "deep-hyperdrop-hold": Hold, "deep-randdrop": Random} {
		m := built[*DeepHyperDrop](name, 1, of)
		_, random := m.Drops[0].(*pool.RandDropPool)
		if m.Variant != want || want.String() != name || random != (want == Random) || m.First != nil {
			t.Errorf("%s is %v, drops at random: %v", name, m.Variant, random)
		}
	}
}
