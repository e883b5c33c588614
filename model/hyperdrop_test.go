package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func caseHyperDrop(t *testing.T, c golden.Case) *HyperDrop {
	t.Helper()
	c.Config.Only(t, "data", "num_node_features", "num_edge_features", "num_hidden", "num_classes",
		"edge_ratio", "dropout", "num_convs", "modes", "score_gap")
	d := Dims{Node: c.Config.Int("num_node_features", 0), Edge: c.Config.Int("num_edge_features", 0), Out: c.Config.Int("num_classes", 0)}
	config := HyperDropConfig{Ratio: c.Config.Float("edge_ratio", 0)}
	config.Stack = Stack{c.Config.Int("num_hidden", 0), c.Config.Int("num_convs", 0), c.Config.Float("dropout", 0)}
	if c.Config.String("data", "") == "COLLAB" {
		config.EdgeHidden = config.Hidden / 8
	}
	return must(NewHyperDrop(nn.NewInit(0), d, config))
}

func TestCaseHyperDrop(t *testing.T) {
	for _, c := range golden.Load(t, "layers/model_hyperdrop").Cases {
		t.Run(c.Name, func(t *testing.T) {
			m := caseHyperDrop(t, c)
			p := pass(t, true)
			if c.ReferenceError != "" {
				checkFinite(t, m, caseBatch(c, nil))
				return
			}
			vars := c.Bind(t, p.Tape, m.Params())
			b := caseBatch(c, vars)
			tied := c.Config.Float("score_gap", 1) == 0
			for _, train := range []bool{true, false} {
				p.Train = train
				if !tied {
					checkHyperDrop(t, c, p, vars, m.Forward(p, b), train)
				}
				// With the kept edges given: the only way where scores tie by rounding,
				// and elsewhere the proof that this detour computes the same.
				checkHyperDrop(t, c, p, vars, keeping(m, p, b, c), train)
			}
		})
	}
}

// keeping is HyperDrop.Forward with the edges kept that the case lists.
func keeping(m *HyperDrop, p *nn.Pass, b *graph.Batch, c golden.Case) *Output {
	out := &Output{GraphVec: tensor.New(b.N, 3*m.Convs[0].(*nn.GCN).Weight.Value.Dim(0))}
	v := b.View
	for l, conv := range m.Convs {
		x := convReLU(p, conv, v)
		if l < len(m.HyperConvs) {
			v = v.WithE(convReLU(p, m.HyperConvs[l], v.Dual()))
			score := m.Drops[l].(*pool.HyperDropPool).Score.Forward(p, v.Dual()).Tanh().Reshape(-1)
			kept := c.IDs(fmt.Sprintf("outputs.perm%d", l))
			out.Drops = append(out.Drops, Drop{Score: score, Kept: kept})
			v = v.WithW(score).KeepEdges(kept)
			v = v.WithW(v.W.Clamp(0, 1))
		}
		v = v.WithX(x)
		out.GraphVec = out.GraphVec.Add(pool.MaxMeanSum(x, v.VertexOf))
	}
	out.Graph = m.Classifier.Forward(p, out.GraphVec)
	return out
}

func checkHyperDrop(t *testing.T, c golden.Case, p *nn.Pass, vars map[string]*tensor.Tensor, out *Output, train bool) {
	t.Helper()
	const tol = 1e-4
	logp := map[string]*tensor.Tensor{"out": out.Graph.LogSoftmax()}
	golden.CheckOutputs(t, c, logp, tol)
	if train { // outside training parameters are constants
		golden.CheckGrads(t, p.Tape, c, logp, vars, tol)
	}
	checkDrops(t, c, out, tol)
}

// checkDrops compares scores and kept edges with those of the case, whose edges
// are arcs.
func checkDrops(t *testing.T, c golden.Case, out *Output, tol float64) {
	t.Helper()
	// Edges are compared by their number in the batch: the two arcs of a bond have
	// equal scores, so that rounding decides which of them stands first.
	all := make([]int32, c.Value("edge_index").Shape[1])
	for e := range all {
		all[e] = int32(e)
	}
	entered, wantEntered := all, all
	for l, d := range out.Drops {
		score, kept := c.Value(fmt.Sprintf("outputs.score%d", l)), c.IDs(fmt.Sprintf("outputs.perm%d", l))
		if d.Score.Size() != len(wantEntered) {
			t.Fatalf("%d edges enter pool %d, want %d", d.Score.Size(), l, len(wantEntered))
		}
		near(t, fmt.Sprintf("score%d", l), byEdge(d.Score.Data(), entered, len(all)), byEdge(score.Floats, wantEntered, len(all)), tol)
		if strings.HasSuffix(c.Name, "/single_direction") && !slices.Equal(d.Kept, kept) {
			t.Errorf("pool %d keeps %v, want %v", l, d.Kept, kept)
		}
		entered, wantEntered = compose(entered, d.Kept), compose(wantEntered, kept)
		if got, want := slices.Sorted(slices.Values(entered)), slices.Sorted(slices.Values(wantEntered)); !slices.Equal(got, want) {
			t.Errorf("after pool %d the edges %v are left, want %v", l, got, want)
		}
	}
}

// byEdge puts values of some edges at their numbers, zeros elsewhere.
func byEdge(x []float32, ids []int32, m int) []float32 {
	out := make([]float32, m)
	for i, e := range ids {
		out[e] = x[i]
	}
	return out
}

// What the output says of edges and pools fits together.
func TestHyperDropOutput(t *testing.T) {
	r := rng.Stream(1, "output")
	b := must(graph.Collate([]*graph.Graph{multigraph(r, 5, 9, false), multigraph(r, 4, 6, true)}))
	m := built[*HyperDrop]("hyperdrop", 0, values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 2, "hidden": 8, "edge_hidden": 5, "layers": 3, "ratio": 0.6})
	out := m.Forward(pass(t, false), b)
	if !slices.Equal(out.Graph.Shape(), []int{2, 2}) || !slices.Equal(out.GraphVec.Shape(), []int{2, 24}) || !slices.Equal(out.NodeVec.Shape(), []int{9, 8}) {
		t.Errorf("shapes %v %v %v", out.Graph.Shape(), out.GraphVec.Shape(), out.NodeVec.Shape())
	}
	if out.Edge != nil || out.Aux != nil || len(out.Drops) != 2 || len(out.EdgeVecs) != 2 {
		t.Fatalf("%d pools, %d sets of edge vectors", len(out.Drops), len(out.EdgeVecs))
	}
	if out.Drops[0].Entered != nil || out.EdgeVecs[0].IDs != nil || !slices.Equal(out.EdgeVecs[0].Rows.Shape(), []int{15, 5}) {
		t.Error("not all edges enter the first pool")
	}
	first := out.Drops[0].Kept
	if !slices.Equal(out.Drops[1].Entered, first) || !slices.Equal(out.EdgeVecs[1].IDs, first) || out.EdgeVecs[1].Rows.Dim(0) != len(first) {
		t.Error("the second pool does not see what the first kept")
	}
	// ceil(0.6·9), ceil(0.6·6), and again.
	if len(first) != 6+4 || len(out.Drops[1].Kept) != 4+3 {
		t.Errorf("kept %v, then %v", first, out.Drops[1].Kept)
	}
	keep := pool.Keep{Fraction: 0.6}
	if want := pool.TopK(out.Drops[0].Score.Data(), b.EdgeOf, keep); !slices.Equal(first, want) {
		t.Errorf("kept %v, the scores say %v", first, want)
	}
	// Deeper pools, too, name edges by their number in the batch: row i of the
	// vectors belongs to edge IDs[i], which entered as Kept of the pool before.
	deep := built[*HyperDrop]("hyperdrop", 0, values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 2, "hidden": 8, "layers": 5, "ratio": 0.8}).Forward(pass(t, false), b)
	left := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	for l, d := range deep.Drops {
		if l > 0 && (!slices.Equal(d.Entered, left) || !slices.Equal(deep.EdgeVecs[l].IDs, left)) {
			t.Errorf("pool %d sees edges %v, want %v", l, d.Entered, left)
		}
		left = compose(left, d.Kept)
	}
	// A fraction of 1 drops no edge and only weighs them.
	all := built[*HyperDrop]("hyperdrop", 0, values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 2, "hidden": 8, "layers": 2, "ratio": 1.0}).Forward(pass(t, false), b)
	if len(all.Drops[0].Kept) != 15 {
		t.Errorf("a fraction of 1 keeps %d of 15 edges", len(all.Drops[0].Kept))
	}
	// One layer has no edge layer.
	if one := built[*HyperDrop]("hyperdrop", 0, values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 2, "hidden": 8, "layers": 1, "ratio": 1.0}).Forward(pass(t, false), b); len(one.Drops) != 0 {
		t.Error("one layer drops edges")
	}
}

// Edges as bonds or as pairs of arcs: the same predictions and gradients where
// no pair is split, here with counts that halve evenly twice.
func TestHyperDropForms(t *testing.T) {
	r := rng.Stream(2, "forms")
	m := built[*HyperDrop]("hyperdrop", 3, values{"node_dim": nodeDim, "edge_dim": edgeDim, "out": 3, "hidden": 8, "layers": 3, "ratio": 0.5})
	for range 10 {
		var bonds, arcs []*graph.Graph
		var edgeOf []int32
		for _, edges := range []int{8, 0, 4, 12} {
			g := multigraph(r, 3+r.IntN(5), edges, false)
			bonds, arcs = append(bonds, g), append(arcs, withArcs(g))
		}
		u, d := must(graph.Collate(bonds)), must(graph.Collate(arcs))
		for i, e := range d.EdgeLabels { // the edge of the batch behind each arc
			base := map[int32]int32{0: 0, 2: 8, 3: 12}[d.EdgeOf.IDs()[i]]
			edgeOf = append(edgeOf, base+e)
		}
		pu, pd := pass(t, true), pass(t, true)
		u.E, d.E = pu.Tape.Variable(u.E), pd.Tape.Variable(d.E)
		a, b := m.Forward(pu, u), m.Forward(pd, d)
		near(t, "logits", b.Graph.Data(), a.Graph.Data(), 1e-4)
		up := random(r, 4, 3)
		gu := pu.Tape.Grad(a.Graph.Mul(up), append(watched(pu, m), u.E)...)
		gd := pd.Tape.Grad(b.Graph.Mul(up), append(watched(pd, m), d.E)...)
		last := len(gu) - 1
		for i, w := range m.Params() {
			near(t, "gradient of "+w.Name, gd[i].Data(), gu[i].Data(), 1e-4)
		}
		both := tensor.SegmentSum(gd[last], tensor.MustIndex(edgeOf, 24)) // of the two arcs
		near(t, "gradient of edge features", both.Data(), gu[last].Data(), 1e-4)
	}
}

// The kin of HyperDrop are types of their own, which differ in what they keep and in the
// readout; the summed readout without edge layers is that of HyperDrop with one layer.
func TestHyperDropKin(t *testing.T) {
	g := generic(rng.Stream(12, "kin"), 12, 8)
	b := must(graph.Collate([]*graph.Graph{g}))
	of := small().but(values{"layers": 3, "dropout": 0.0})
	m := built[*HyperDrop]("hyperdrop", 1, of)
	all := built[*EHGNN]("ehgnn", 1, of)
	drawn := built[*RandDrop]("randdrop", 1, of)
	plain := built[*GCNSummed]("gcn-summed", 1, of)
	gmt := built[*HyperDropGMT]("hyperdrop-gmt", 1, of)

	edges := g.NumEdges()
	kept := func(m Model) (sizes []int) {
		for _, d := range m.Forward(pass(t, true), b).Drops {
			sizes = append(sizes, len(d.Kept))
		}
		return sizes
	}
	half := (edges + 1) / 2
	quarter := (half + 1) / 2
	for name, c := range map[string]struct {
		m    Model
		want []int
	}{"hyperdrop": {m, []int{half, quarter}}, "ehgnn": {all, []int{edges, edges}}, "randdrop": {drawn, []int{half, quarter}},
		"gcn-summed": {plain, nil}, "hyperdrop-gmt": {gmt, []int{half, quarter}}} {
		if got := kept(c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s keeps %v of %d edges, want %v", name, got, edges, c.want)
		}
	}
	if _, ok := drawn.Drops[0].(*pool.RandDropPool); !ok {
		t.Errorf("randdrop has the pool %T", drawn.Drops[0])
	}
	for i, w := range m.Params() { // one seed, one name: the same weights
		near(t, w.Name, all.Params()[i].Value.Data(), w.Value.Data(), 0)
		near(t, w.Name, drawn.Params()[i].Value.Data(), w.Value.Data(), 0)
	}
	p := pass(t, false)
	xs, v, _ := gmt.Trunk.Forward(p, b)
	want, _ := gmt.GMT.Forward(p, v.WithX(tensor.Concat(1, xs...)))
	near(t, "GMT of all layers", gmt.Forward(p, b).GraphVec.Data(), want.Data(), 0)

	one := of.but(values{"layers": 1})
	near(t, "one layer", built[*GCNSummed]("gcn-summed", 1, one).Forward(p, b).Graph.Data(),
		built[*HyperDrop]("hyperdrop", 1, one).Forward(p, b).Graph.Data(), 0)
}
