package model

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// hubGraph draws edges between nodes, the first of which have most of them. A third of the labels is not known.
func hubGraph(nodes, edges int, directed bool) *graph.Graph {
	r := rng.Stream(5, "hubs", nodes, edges)
	g := &graph.Graph{NumNodes: nodes, Directed: directed, Label: graph.NoLabel, Observed: &graph.ObservedLabels{}}
	for range edges {
		g.Ends = append(g.Ends, int32(r.IntN(1+r.IntN(nodes))), int32(r.IntN(1+r.IntN(nodes))))
		g.Observed.Label = append(g.Observed.Label, []float32{0, 1, graph.Masked}[r.IntN(3)])
	}
	return g
}

func mustCollate(t testing.TB, g *graph.Graph) *graph.Batch {
	t.Helper()
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// dualAuto is a model of one network whose messages take some hops, hardly trained, for a graph of two classes without features.
func dualAuto(t testing.TB, g *graph.Graph, hops int) *Auto {
	t.Helper()
	m := &Auto{Config: AutoConfig{Quality: QualityFast}, dims: Dims{Out: 2}}
	rows := NewEdgeRows(mustCollate(t, g), m.Layout(), 1)
	var edges []int32
	for e, v := range g.Observed.Label {
		if v != v {
			edges = append(edges, int32(e))
		}
	}
	of := rows.Rows(edges)
	x, err := rows.Block(t.Context(), g.Observed.Label, of)
	if err != nil {
		t.Fatal(err)
	}
	n, err := rows.Neighbours(g.Observed.Label, of, true)
	if err != nil {
		t.Fatal(err)
	}
	part := tabular.Rows{Static: tabular.Block{X: x.Data, Cols: x.Width}, Around: n}
	targets := tabular.Targets{Classes: make([]int32, x.Rows)}
	targets.Classes[0] = 1
	fitted, err := tabular.Train(t.Context(), tabular.Data{Static: part.Static, Targets: targets, Valid: part, ValidTargets: targets,
		Around: func(int, int8) (*tabular.Neighbours, error) { return n, nil }}, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Units: 8, MaxEpochs: 1, MaxSteps: 2, Hops: hops})
	if err != nil {
		t.Fatal(err)
	}
	l, arrays, err := (&Network{Model: fitted}).Learner(lists.Range[int32](x.Width))
	if err != nil {
		t.Fatal(err)
	}
	l.Weight = 1
	m.Config.Learners = []Learner{l}
	m.params = learnerParams(nn.Init{}, m.Config.Learners)
	if err := m.Fill([]map[string][]float32{arrays}); err != nil {
		t.Fatal(err)
	}
	return m
}

// beside predicts edges by their ends beside a graph, new ones at nodes of higher numbers.
func beside(t testing.TB, m *Auto, g *BesideGraph, labels *FittedLabels, ends []int32) []float32 {
	t.Helper()
	nodes := slices.Compact(slices.Sorted(slices.Values(ends)))
	b := mustCollate(t, &graph.Graph{NumNodes: len(nodes), Directed: g.directed, Label: graph.NoLabel,
		Ends: lists.Map(ends, func(v int32) int32 { return int32(slices.Index(nodes, v)) })})
	node := lists.Map(nodes, func(v int32) int32 {
		if int(v) >= g.nodes {
			return -1
		}
		return v
	})
	return outputsOf(m.Beside(g, slices.Repeat([]*FittedLabels{labels}, len(ends)/2), node), b)
}

func outputsOf(m Model, b *graph.Batch) []float32 {
	return slices.Clone(m.Forward(&nn.Pass{Tape: tensor.NewArena(2).Tape()}, b).Edge.Data())
}

// Edges beside a graph are predicted to the bit as in it, by networks of several hops at nodes with more edges than are read, and
// whatever was predicted before.
func TestBesideHubs(t *testing.T) {
	for _, directed := range []bool{true, false} {
		for _, hops := range []int{1, 2, 3} {
			if testing.Short() && directed == (hops == 2) { // half of the cases
				continue
			}
			g := hubGraph(60, 500, directed)
			m := dualAuto(t, g, hops)
			kept := NewBesideGraph(g.NumNodes, g.Ends, directed)
			m.ReadNeighbours(kept, mustCollate(t, g), 2)
			labels, err := m.FitLabels(t.Context(), kept, g.Observed.Label, 2)
			if err != nil {
				t.Fatal(err)
			}
			n := int32(g.NumNodes)
			for _, ends := range [][]int32{{0, 1}, {50, 57}, {0, n}, {n, n + 1}, {0, 1}, {30, 30, 2, 0, 0, 2, n, 3, n, n + 1}, {50, 57}, {n, 40}} {
				whole := *g
				whole.NumNodes, whole.Ends = g.NumNodes+2, slices.Concat(g.Ends, ends)
				whole.Observed = &graph.ObservedLabels{Label: slices.Concat(g.Observed.Label, slices.Repeat([]float32{graph.Masked}, len(ends)/2))}
				want := outputsOf(m, mustCollate(t, &whole))[2*len(g.Ends)/2:]
				if got := beside(t, m, kept, labels, ends); !slices.Equal(got, want) {
					t.Errorf("directed %v, %d hops, edges %v: %v beside the graph, %v in it", directed, hops, ends, got, want)
				}
			}
		}
	}
}

// The time of one edge beside a graph with hubs, by hops.
func BenchmarkBesideHubs(b *testing.B) {
	g := hubGraph(2000, 20_000, true)
	for _, hops := range []int{2, 3} {
		m := dualAuto(b, g, hops)
		kept := NewBesideGraph(g.NumNodes, g.Ends, true)
		m.ReadNeighbours(kept, mustCollate(b, g), 1)
		labels, err := m.FitLabels(b.Context(), kept, g.Observed.Label, 1)
		if err != nil {
			b.Fatal(err)
		}
		r := rng.Stream(6, "asked")
		b.Run(map[int]string{2: "two", 3: "three"}[hops], func(b *testing.B) {
			for b.Loop() {
				beside(b, m, kept, labels, []int32{int32(r.IntN(2000)), int32(r.IntN(2000))})
			}
		})
	}
}
