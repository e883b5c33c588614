package pool_test

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

var _ pool.Pool = (*pool.HyperDropPool)(nil)

// Equation 8 by hand: scores of the dual's convolution, the best kept per
// sample, their features as they were, their clamped scores as weights.
func TestHyperDrop(t *testing.T) {
	gs := samplesWithEdges(3)
	v := must(graph.Collate(gs)).View
	for _, keep := range []pool.Keep{{Fraction: 0.5}, {Count: 2}, {Fraction: 1}} {
		layer := must(pool.NewHyperDropPool(nn.NewInit(7).In("scoreconvs", 0), 3, pool.HyperDropPoolConfig{Keep: keep}))
		p := pass(t, true)
		res := layer.Forward(p, v)
		score := layer.Score.Forward(p, v.Dual()).Data()
		for i, s := range score {
			if got := float64(res.Score.Data()[i]); math.Abs(got-math.Tanh(float64(s))) > 1e-6 {
				t.Errorf("score %d is %v, want tanh of %v", i, got, s)
			}
		}
		if want := pool.TopK(res.Score.Data(), v.EdgeOf, keep); !slices.Equal(res.Keep, want) {
			t.Errorf("%+v: kept %v, want %v", keep, res.Keep, want)
		}
		k := res.View
		if k.X != v.X || k.VertexOf != v.VertexOf || k.H.NumVertices() != v.H.NumVertices() || k.EdgeOf.Slots() != len(gs) {
			t.Errorf("%+v: nodes changed", keep)
		}
		counts := map[bool]int{}
		for i, e := range res.Keep {
			if !slices.Equal(k.E.Data()[3*i:3*i+3], v.E.Data()[3*e:3*e+3]) || k.EdgeOf.IDs()[i] != v.EdgeOf.IDs()[e] ||
				!slices.Equal(k.H.Ends()[2*i:2*i+2], v.H.Ends()[2*e:2*e+2]) {
				t.Errorf("%+v: kept edge %d is not edge %d", keep, i, e)
			}
			s := res.Score.Data()[e]
			counts[s > 0]++
			if got := k.W.Data()[i]; got != max(s, 0) {
				t.Errorf("weight of edge %d is %v, its score %v", e, got, s)
			}
		}
		if keep.Fraction == 1 && (counts[true] == 0 || counts[false] == 0) {
			t.Errorf("scores are of one sign: %v", res.Score)
		}
		// The weight of an edge with a negative score is 0 and passes no gradient.
		byScore := p.Tape.Grad(k.W, res.Score)[0].Data()
		for i, e := range res.Keep {
			if w := k.W.Data()[i]; w > 0 && byScore[e] != 1 || w == 0 && byScore[e] != 0 {
				t.Errorf("gradient of score %d is %v at weight %v", e, byScore[e], k.W.Data()[i])
			}
		}
	}
}

// Scores train through the weights of the edges that are kept.
func TestHyperDropGradient(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	layer := must(pool.NewHyperDropPool(nn.NewInit(7), 3, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.5}}))
	p := pass(t, true)
	e := p.Tape.Variable(v.E)
	res := layer.Forward(p, v.WithE(e))
	g := p.Tape.Grad(res.View.W, e, p.Var(layer.Score.Weight))
	for i, d := range g {
		sum := 0.0
		for _, x := range d.Data() {
			sum += math.Abs(float64(x))
		}
		if !(sum > 0) || math.IsInf(sum, 0) {
			t.Errorf("gradient %d is %v", i, d)
		}
	}
	if n := layer.Params()[0].Name; n != "weight" || len(layer.Params()) != 2 {
		t.Errorf("parameters start with %s", n)
	}
}

// Samples without edges, a batch without any, a single edge: nothing fails.
func TestHyperDropDegenerate(t *testing.T) {
	r := rng.Stream(8, "drop")
	for name, gs := range map[string][]*graph.Graph{
		"no edges":  {multigraph(r, 3, 0, 3, false), multigraph(r, 1, 0, 3, false)},
		"no nodes":  {{Node: graph.Ones(0), Edge: graph.Features{Dim: 3}}},
		"one edge":  {multigraph(r, 2, 1, 3, true)},
		"self-loop": {{NumNodes: 1, Ends: []int32{0, 0}, Node: graph.Ones(1), Edge: graph.Features{Dim: 3, Dense: []float32{1, 2, 3}}}},
	} {
		v := must(graph.Collate(gs)).View
		m := v.H.NumEdges()
		res := must(pool.NewHyperDropPool(nn.NewInit(1), 3, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.5}})).Forward(pass(t, true), v)
		if len(res.Keep) != m || res.View.H.NumEdges() != m || res.Score.Size() != m || res.View.W.Size() != m {
			t.Errorf("%s: kept %v of %d edges", name, res.Keep, m)
		}
	}
}

// Twin arcs have equal scores, so that the same bonds stay in either form as
// long as the count does not split a pair.
func TestHyperDropForms(t *testing.T) {
	r := rng.Stream(9, "forms")
	layer := must(pool.NewHyperDropPool(nn.NewInit(4), 3, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.5}}))
	for range 20 {
		g := multigraph(r, 6, 2*(1+r.IntN(5)), 3, false)
		g.EdgeLabel = make([]int32, g.NumEdges())
		for e := range g.EdgeLabel {
			g.EdgeLabel[e] = int32(e)
		}
		arcs := g.Arcs()
		u := layer.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g})).View)
		d := layer.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{arcs})).View)
		near(t, "scores of arcs", d.Score.Data(), tensor.Gather(u.Score, tensor.MustIndex(arcs.EdgeLabel, g.NumEdges())).Data(), 1e-6)
		var bonds []int32
		for _, a := range d.Keep {
			bonds = append(bonds, arcs.EdgeLabel[a])
		}
		slices.Sort(bonds)
		bonds = slices.Compact(bonds)
		kept := slices.Sorted(slices.Values(u.Keep))
		if !slices.Equal(bonds, kept) || len(d.Keep) != 2*len(u.Keep) {
			t.Errorf("arcs of bonds %v kept, bonds %v", bonds, kept)
		}
	}
}

// With Sigmoid the order of edges is that of the published form, and every kept edge
// has a weight and a gradient.
func TestHyperDropSigmoid(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	plain := must(pool.NewHyperDropPool(nn.NewInit(7), 3, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.7}}))
	smooth := *plain
	smooth.Sigmoid = true
	p := pass(t, true)
	want, got := plain.Forward(p, v), smooth.Forward(p, v)
	if !slices.Equal(got.Keep, want.Keep) || !slices.Equal(got.Score.Data(), want.Score.Data()) {
		t.Errorf("kept %v by %v, want %v by %v", got.Keep, got.Score, want.Keep, want.Score)
	}
	byScore := p.Tape.Grad(got.View.W, got.Score)[0].Data()
	below := 0
	for i, e := range got.Keep {
		z := got.Score.Data()[e]
		if z < 0 {
			below++
		}
		sigmoid := 1 / (1 + math.Exp(-2*math.Atanh(float64(z))))
		if w := got.View.W.Data()[i]; math.Abs(float64(w)-sigmoid) > 1e-6 || byScore[e] != 0.5 {
			t.Errorf("score %v has weight %v and gradient %v, want %v and 0.5", z, w, byScore[e], sigmoid)
		}
	}
	if below == 0 {
		t.Error("no kept score is below 0")
	}
}

// A floor lifts low scores and lets no gradient through below it; TrainOnly keeps
// all edges in evaluation, weighted by the same scores, and changes no training.
func TestHyperDropOptions(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(3))).View
	plain := must(pool.NewHyperDropPool(nn.NewInit(7), 3, pool.HyperDropPoolConfig{Keep: pool.Keep{Fraction: 0.7}}))
	layer := *plain
	layer.Floor, layer.TrainOnly = 0.25, true
	p := pass(t, true)
	want, got := plain.Forward(p, v), layer.Forward(p, v)
	if !slices.Equal(got.Keep, want.Keep) {
		t.Errorf("kept %v in training, want %v", got.Keep, want.Keep)
	}
	byScore := p.Tape.Grad(got.View.W, got.Score)[0].Data()
	low := 0
	for i, e := range got.Keep {
		s := got.Score.Data()[e]
		if s < 0.25 {
			low++
		}
		if w := got.View.W.Data()[i]; w != max(s, 0.25) || s < 0.25 && byScore[e] != 0 || s > 0.25 && byScore[e] != 1 {
			t.Errorf("score %v has weight %v and gradient %v", s, w, byScore[e])
		}
	}
	if low == 0 || low == len(got.Keep) {
		t.Errorf("%d of %d scores are below the floor", low, len(got.Keep))
	}
	whole := layer.Forward(pass(t, false), v)
	if whole.Keep != nil || whole.View.H != v.H || whole.View.E != v.E {
		t.Errorf("evaluation keeps %v", whole.Keep)
	}
	for e, s := range got.Score.Data() {
		if w := whole.View.W.Data()[e]; w != max(s, 0.25) {
			t.Errorf("score %v has weight %v in evaluation", s, w)
		}
	}
}
