package model

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// autoencoders are the forms of the autoencoders of nodes and of edges.
func autoencoders() map[string]form {
	out := map[string]form{}
	for name, s := range forms() {
		if s.Tasks[0] == edgeRecon || s.Tasks[0] == nodeRecon {
			out[name] = s
		}
	}
	return out
}

// The published forms have the sizes of the published ones.
func TestAutoencoderSizes(t *testing.T) {
	for name, want := range map[string]int{
		"hypercluster": 8005, // bonds of ZINC, 8 of 50
		// GCN 28 to 32, 32 to 32; 4 seeds, four maps and the linear map of 32; GCN twice, and to 28
		"gmpool-nodes": (28+1)*32 + 4*32 + 8*(32+1)*32 + (32+1)*28,
	} {
		c := configOf(name, values{"node_dim": 28, "edge_dim": 5, "out": 5, "hidden": 32, "layers": 2, "clusters": 8, "node_clusters": 4})
		if name == "gmpool-nodes" {
			c.Out = 28
		}
		got := 0
		for _, w := range must(must(Find(name)).New(c)).Params() {
			got += w.Value.Size()
		}
		if got != want {
			t.Errorf("%s has %d parameters, want %d", name, got, want)
		}
	}
}

// heldPool pools to fixed vectors whatever the encoder says.
type heldPool struct{ rows *tensor.Tensor }

func (heldPool) Params() []*tensor.Param { return nil }

func (h heldPool) forward(*nn.Pass, graph.View) (pooled, rows *tensor.Tensor, _ pool.Attention) {
	return h.rows, h.rows, nil
}

// With what is pooled held fixed, the prediction does not depend on the features that are
// to be predicted, unless the decoder is made to see them.
func TestDecoderIsBlind(t *testing.T) {
	b := batchOf(form{}, generic(rng.Stream(1, "blind"), 9, 5))
	other := *b
	other.E = b.E.AddScalar(1)
	for _, name := range []string{"gmpool-edges", "topkpool-edges"} {
		for _, sees := range []bool{false, true} {
			m := build[*Autoencoder](name, with(valid(name), "decoder-sees-edges", sees))
			free := m.Forward(pass(t, false), b).Edge.Data()
			if slices.Equal(m.Forward(pass(t, false), &other).Edge.Data(), free) {
				t.Errorf("%s: the encoder does not see the edges", name)
			}
			m.Pool = heldPool{random(rng.Stream(2, "held"), 9, 8)}
			held := m.Forward(pass(t, false), b).Edge.Data()
			if same := slices.Equal(m.Forward(pass(t, false), &other).Edge.Data(), held); same == sees {
				t.Errorf("%s, decoder sees edges: %v; the prediction stays with other edges: %v", name, sees, same)
			}
		}
	}
}

// The model from its parts: the edge's prediction is the mean of its ends'.
func TestAutoencoderParts(t *testing.T) {
	b := batchOf(form{}, generic(rng.Stream(3, "parts"), 9, 5), generic(rng.Stream(4, "parts"), 6, 1))
	p := pass(t, false)
	m := build[*Autoencoder]("topkpool-edges", with(valid("topkpool-edges"), "conv", "egcn"))
	v := b.View
	for _, c := range m.Convs {
		v = v.WithX(c.Forward(p, v).ReLU())
	}
	kept := m.Pool.(*topNodes).Pool.Forward(p, v)
	rows := tensor.New(v.X.Shape()...)
	for i, node := range kept.Keep {
		copy(rows.Data()[node*8:], kept.View.X.Data()[8*i:8*i+8])
	}
	if len(kept.Keep) != 6 {
		t.Errorf("%d nodes are kept of two graphs, want 3 each", len(kept.Keep))
	}
	v = b.WithX(rows)
	for _, c := range m.Unconvs[:2] {
		v = v.WithX(c.Forward(p, v).ReLU())
	}
	y := m.Unconvs[2].Forward(p, v)
	ends := b.H.Ends()
	want := make([]float32, 2*b.H.NumEdges())
	for i := range want {
		want[i] = (y.Data()[2*int(ends[i/2*2])+i%2] + y.Data()[2*int(ends[i/2*2+1])+i%2]) / 2
	}
	out := m.Forward(p, b)
	near(t, "edges", out.Edge.Data(), want, 1e-5)
	near(t, "pooled vectors", out.GraphVec.Data(), kept.View.X.Data(), 0)
}

// Each edge as two arcs gives both the prediction of the edge.
func TestAutoencoderForms(t *testing.T) {
	for name, s := range autoencoders() {
		if s.EdgeClusters { // whose sums over edges double: see TestHyperClusterForms
			continue
		}
		g := formed(s, generic(rng.Stream(10, "forms"), 9, 5))[0]
		arcs := withArcs(g)
		m := must(s.New(validOf(s)))
		a, b := m.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g}))), m.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{arcs})))
		if a.Node != nil {
			near(t, name, b.Node.Data(), a.Node.Data(), 1e-4)
			continue
		}
		near(t, name, b.Edge.Data(), tensor.Gather(a.Edge, tensor.MustIndex(arcs.EdgeLabel, g.NumEdges())).Data(), 1e-4)
	}
}

// Layers of EGNN hand their normalised edge features on, the second attending.
func TestEGNNLayers(t *testing.T) {
	s := form{must(Find("gmpool-edges")), values{"conv": "egnn"}}
	b := batchOf(s, generic(rng.Stream(5, "egnn"), 8, 6))
	m := build[*Autoencoder](s.Name, validOf(s))
	first, second := m.Convs[0].(*nn.EGNN), m.Convs[1].(*nn.EGNN)
	if first.Attention || !second.Attention || !first.Neighbours || !second.Neighbours {
		t.Errorf("layers %+v and %+v", first.EGNNConfig, second.EGNNConfig)
	}
	p := pass(t, false)
	x, e, loop := first.ForwardEdges(p, b.View, nil)
	want, _, _ := second.ForwardEdges(p, b.WithX(x.ReLU()).WithE(e), loop)
	near(t, "node vectors", m.Forward(p, b).NodeVec.Data(), want.ReLU().Data(), 0)
}

// Every row divides one item over the clusters; a single cluster takes all of each.
func TestAssignments(t *testing.T) {
	b := batchOf(form{}, generic(rng.Stream(6, "assign"), 9, 5), generic(rng.Stream(7, "assign"), 6, 1))
	for _, name := range []string{"hypercluster", "gmpool-edges", "gmpool-nodes"} {
		for _, k := range []int{1, 3} {
			c := with(with(with(valid(name), "clusters", k), "node-clusters", k), "heads", 1)
			out := must(must(Find(name)).New(c)).Forward(pass(t, false), b)
			a := out.Assign
			if a == nil {
				a = out.Attention[0]
			}
			sums := a[0].SumAxis(1)
			near(t, name, sums.Data(), slices.Repeat([]float32{1}, sums.Size()), 1e-6)
			if k == 1 {
				near(t, name+" with one cluster", a[0].Data(), slices.Repeat([]float32{1}, a[0].Size()), 0)
			}
		}
	}
}

// Seeds that are drawn at a scale have it.
func TestSeedScale(t *testing.T) {
	for _, name := range []string{"hypercluster", "gmpool-nodes"} {
		c := with(with(with(valid(name), "clusters", 200), "node-clusters", 200), "seed-scale", 3.0)
		for _, w := range must(must(Find(name)).New(c)).Params() {
			if w.Name != "pool.S" {
				continue
			}
			squares := 0.0
			for _, v := range w.Value.Data() {
				squares += float64(v) * float64(v)
			}
			if got := math.Sqrt(squares / float64(w.Value.Size())); math.Abs(got-3) > 0.15 {
				t.Errorf("%s: seeds deviate by %v, want 3", name, got)
			}
		}
	}
}

// The gradient by each parameter, along a random direction, is the central difference. A
// step that crosses the bend of a ReLU says nothing, so the best of four counts.
func TestAutoencoderGradients(t *testing.T) {
	for name, s := range autoencoders() {
		t.Run(name, func(t *testing.T) {
			r := rng.Stream(9, "gradients")
			b := batchOf(s, generic(r, 9, 5), generic(r, 6, 1))
			m := must(s.New(with(validOf(s), "hidden", 16)))
			for _, w := range m.Params() { // biases of 0 stand at the bend
				for k := range w.Value.Data() {
					w.Value.Data()[k] += 0.1 * float32(r.NormFloat64())
				}
			}
			loss := func(p *nn.Pass) *tensor.Tensor { return prediction(m.Forward(p, b)).Square().Mean() }
			p := pass(t, true)
			grads := p.Tape.Grad(loss(p), watched(p, m)...)
			for i, w := range m.Params() {
				direction := random(r, w.Value.Shape()...).Data()
				slope, before := 0.0, w.Value.Clone().Data()
				length := 0.0
				for k, v := range direction {
					length += float64(v) * float64(v)
					slope += float64(v) * float64(grads[i].Data()[k])
				}
				length = math.Sqrt(length)
				at := func(step float64) float64 {
					for k, v := range direction {
						w.Value.Data()[k] = before[k] + float32(step/length)*v
					}
					y := float64(loss(pass(t, true)).Item())
					copy(w.Value.Data(), before)
					return y
				}
				off, scale := math.Inf(1), max(1, math.Abs(slope/length), at(0)) // rounding grows with the loss
				for _, step := range []float64{4e-3, 2e-3, 1e-3, 3e-4} {
					off = min(off, math.Abs((at(step)-at(-step))/(2*step)-slope/length)/scale)
				}
				if off > 1e-3 {
					t.Errorf("%s: gradient %v, off by %v", w.Name, slope/length, off)
				}
			}
		})
	}
}
