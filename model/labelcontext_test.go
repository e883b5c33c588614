package model_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/inittest"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// contextGraph draws a multigraph with loops, parallel and reverse edges, of which one in six has
// no label; the others' are shown and scored. Edges of one pair of nodes are a group.
func contextGraph(seed uint64, directed, timed bool, classes int) graph.Graph {
	r := rng.Stream(seed, "context graph")
	n, m := 7, 30
	g := graph.Graph{NumNodes: n, Ends: make([]int32, 2*m), Directed: directed, Label: graph.NoLabel, Node: graph.Ones(n), Observed: &graph.ObservedLabels{}}
	for i := range g.Ends {
		g.Ends[i] = int32(r.IntN(n))
	}
	x := make([]float32, 2*m)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	g.Edge = graph.Features{Dense: x, Dim: 2}
	for e := range m {
		a, b := g.Ends[2*e], g.Ends[2*e+1]
		g.Observed.Group = append(g.Observed.Group, min(a, b)*int32(n)+max(a, b))
		if timed {
			g.Observed.Time = append(g.Observed.Time, float64(r.IntN(10)))
		}
		switch none := e%6 == 5; {
		case none && classes > 0:
			g.EdgeLabel, g.Observed.Label = append(g.EdgeLabel, graph.NoLabel), append(g.Observed.Label, graph.Masked)
		case none:
			g.EdgeTargets, g.Observed.Label = append(g.EdgeTargets, graph.Masked), append(g.Observed.Label, graph.Masked)
		case classes > 0:
			c := int32(r.IntN(classes))
			g.EdgeLabel, g.Observed.Label = append(g.EdgeLabel, c), append(g.Observed.Label, float32(c))
		default:
			v := float32(r.NormFloat64())
			g.EdgeTargets, g.Observed.Label = append(g.EdgeTargets, v), append(g.Observed.Label, v)
		}
	}
	return g
}

// relabel gives some edges other labels.
func relabel(g graph.Graph, classes int, which func(e int) bool) graph.Graph {
	s := *g.Observed
	s.Label = slices.Clone(s.Label)
	g.Observed, g.EdgeLabel, g.EdgeTargets = &s, slices.Clone(g.EdgeLabel), slices.Clone(g.EdgeTargets)
	for e := range s.Label {
		if !which(e) || s.Label[e] != s.Label[e] {
			continue
		}
		if classes > 0 {
			g.EdgeLabel[e] = (g.EdgeLabel[e] + 1) % int32(classes)
			s.Label[e] = float32(g.EdgeLabel[e])
		} else {
			g.EdgeTargets[e]++
			s.Label[e]++
		}
	}
	return g
}

// pass is a forward pass over one graph.
func pass(t *testing.T, m model.Model, g graph.Graph, train bool, step int) (rows [][]float32, learn []int32) {
	t.Helper()
	checked, err := graph.New(g)
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.Collate([]*graph.Graph{checked})
	if err != nil {
		t.Fatal(err)
	}
	tape := tensor.NewArena(2).Tape()
	defer tape.Close()
	out := m.Forward(&nn.Pass{Tape: tape, Train: train, Rand: rng.Stream(5, "step", step)}, b)
	d := out.Edge.Dim(1)
	for e := range checked.NumEdges() {
		rows = append(rows, slices.Clone(out.Edge.Data()[e*d:(e+1)*d]))
	}
	return rows, slices.Clone(out.Learn)
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestLabelContextLeak: whatever an edge's own label is, and those of its group and, in time,
// those of later edges, what a model predicts of it is the same to the bit: in training, where
// it is learned from, and in use, where its label is shown to others.
func TestLabelContextLeak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for _, name := range []string{"ehgnn-roles", "ehgnn-edge", "ehgnn-joint-edge", "mlp-edge", "gin-edge", "pna-edge", "linegraph-edge", "attention-edge"} {
		spec, err := model.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, labels := range []model.LabelContextConfig{{Classes: 3}, {Classes: 3, Vectors: 4}, {}} {
			classes := labels.Classes
			for _, directed := range []bool{true, false} {
				for _, timed := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s classes %d vectors %d directed %v timed %v", name, classes, labels.Vectors, directed, timed), func(t *testing.T) {
						c := spec.Config()
						c.Node, c.Edge, c.Out, c.Seed = 1, 2, max(classes, 1), 1
						c.Default("hidden", 8)
						c.Default("layers", 2)
						labels.Directed, labels.Hide = directed, 0.3
						c.Context = &labels
						m, err := spec.New(c)
						if err != nil {
							t.Fatal(err)
						}
						inittest.Weights(m)
						for seed := range seeds {
							g := contextGraph(seed, directed, timed, classes)
							checkLeak(t, m, g, classes, timed, int(seed))
						}
					})
				}
			}
		}
	}
}

func checkLeak(t *testing.T, m model.Model, g graph.Graph, classes int, timed bool, step int) {
	t.Helper()
	hides := func(e int) func(f int) bool { // edges whose labels the prediction of e must not know
		return func(f int) bool {
			if timed {
				return g.Observed.Time[f] >= g.Observed.Time[e]
			}
			return g.Observed.Group[f] == g.Observed.Group[e]
		}
	}
	trained, learn := pass(t, m, g, true, step)
	for _, e := range learn {
		other := relabel(g, classes, hides(int(e)))
		if after, _ := pass(t, m, other, true, step); !sameBits(trained[e], after[e]) {
			t.Fatalf("training: edge %d is learned from with its label, %v and %v", e, trained[e], after[e])
		}
	}
	used, _ := pass(t, m, g, false, step) // after all passes of training, which move the mean degree of PNA
	shows := false
	for e := range used {
		after, _ := pass(t, m, relabel(g, classes, hides(e)), false, step)
		if !sameBits(used[e], after[e]) {
			t.Fatalf("use: edge %d is predicted with its label, %v and %v", e, used[e], after[e])
		}
		for f := range used {
			shows = shows || !sameBits(used[f], after[f])
		}
	}
	if !shows {
		t.Error("no label changes any prediction")
	}
}

// TestLabelContextRefuses settings out of range.
func TestLabelContextRefuses(t *testing.T) {
	spec, err := model.Find("ehgnn-roles")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []model.LabelContextConfig{{Classes: -1, Hide: 0.2}, {Classes: 1 << 25, Hide: 0.2}, {Classes: 2, Vectors: -1, Hide: 0.2}, {Vectors: 4, Hide: 0.2}, {Classes: 2}, {Classes: 2, Hide: 1}, {Classes: 2, Hide: math.NaN()}} {
		c := spec.Config()
		c.Node, c.Edge, c.Out = 1, 1, 2
		c.Default("hidden", 4)
		c.Context = &bad
		if _, err := spec.New(c); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
