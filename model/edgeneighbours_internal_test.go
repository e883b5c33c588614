package model

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Neighbours are listed by the nodes that an edge shares with them, never itself; a network on them is taken back from its arrays, and
// refused where edges are described otherwise.
func TestNeighbours(t *testing.T) {
	for _, directed := range []bool{true, false} {
		r := rng.Stream(4, "neighbours")
		const nodes, edges = 12, 40
		g := &graph.Graph{NumNodes: nodes, Directed: directed, Label: graph.NoLabel, Observed: &graph.ObservedLabels{}}
		for range edges {
			g.Ends = append(g.Ends, int32(r.IntN(nodes)), int32(r.IntN(nodes)))
			g.Observed.Label = append(g.Observed.Label, graph.Masked)
		}
		g.Observed.Label[3], g.Observed.Label[8] = 1, 0
		b, err := graph.Collate([]*graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		layout := EdgeLayout{Classes: 2}
		rows := NewEdgeRows(b, layout, 1)
		all := rows.Rows([]int32{0, 1, 2, 5})
		n, err := rows.Neighbours(g.Observed.Label, all, true)
		if err != nil {
			t.Fatal(err)
		}
		ends := func(i int32) (s, t int32) { return rows.ends[2*i], rows.ends[2*i+1] }
		shares := []func(s, t, from, to int32) bool{
			func(s, _, from, _ int32) bool { return from == s }, func(s, _, _, to int32) bool { return to == s },
			func(_, t, _, to int32) bool { return to == t }, func(_, t, from, _ int32) bool { return from == t },
			func(s, t, from, to int32) bool { return from == s && to == t }, func(s, t, from, to int32) bool { return from == t && to == s },
		}
		if !directed {
			shares = []func(s, t, from, to int32) bool{shares[0], shares[3], shares[4]}
		}
		if len(n.Lists) != len(shares) {
			t.Fatalf("directed %v: %d lists, expected %d", directed, len(n.Lists), len(shares))
		}
		for _, i := range all {
			s, u := ends(i)
			for q, l := range n.Lists {
				var want []int32
				for j := range int32(len(rows.ends) / 2) {
					if from, to := ends(j); shares[q](s, u, from, to) {
						want = append(want, j)
					}
				}
				if got := l(i); !slices.Equal(got, want) {
					t.Errorf("directed %v, edge %d, list %d: %v, expected %v", directed, i, q, got, want)
				}
			}
		}
		x, err := rows.Block(context.Background(), g.Observed.Label, all)
		if err != nil {
			t.Fatal(err)
		}
		part := tabular.Rows{Static: tabular.Block{X: x.Data, Cols: x.Width}, Around: n}
		targets := tabular.Targets{Classes: make([]int32, x.Rows)}
		targets.Classes[0] = 1
		fitted, err := tabular.Train(context.Background(), tabular.Data{Static: part.Static, Targets: targets, Valid: part, ValidTargets: targets,
			Around: func(int, int8) (*tabular.Neighbours, error) { return n, nil }}, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Units: 4, MaxEpochs: 1})
		if err != nil {
			t.Fatal(err)
		}
		network := &Network{Model: fitted}
		columns := make([]int32, x.Width)
		for i := range columns {
			columns[i] = int32(i)
		}
		l, arrays, err := network.Learner(columns)
		if err != nil || l.Kind != LearnerDual {
			t.Fatalf("kind %s, error %v", l.Kind, err)
		}
		l.Weight = 1
		m := &Auto{Config: AutoConfig{Quality: QualityFast, Learners: []Learner{l}}, dims: Dims{Out: 2}}
		for _, a := range l.Arrays {
			m.params = append(m.params, fitted.Params()[slices.IndexFunc(l.Arrays, func(b ArrayShape) bool { return a.Name == b.Name })])
		}
		if err := m.Fill([]map[string][]float32{arrays}); err != nil {
			t.Error(err)
		}
		forwardEdges(t, m, b)
		if err := network.checkStates(EdgeLayout{Classes: 3}); err == nil || !strings.Contains(err.Error(), "states") {
			t.Errorf("states of three classes: error %v", err)
		}
		other := n.Lists
		if n.Lists = append(slices.Clone(other), other...); directed {
			n.Lists = other[:undirectedLists]
		}
		if _, err := network.At(&Place{around: map[bool]*tabular.Neighbours{true: n}}); err == nil || !strings.Contains(err.Error(), "train again") {
			t.Errorf("lists of edges of the other direction: error %v", err)
		}
		n.Lists = other
		m.Config.Learners[0].Kind = LearnerNetwork
		if err := m.Ready(); err == nil {
			t.Error("a network that reads neighbours is taken for one that does not")
		}
	}
}

// forwardEdges compares predictions for some edges alone, to the bit, with those for all; others have none.
func forwardEdges(t *testing.T, m *Auto, b *graph.Batch) {
	t.Helper()
	predict := func(forward func(p *nn.Pass) *Output) (out []float32) {
		out = slices.Clone(forward(&nn.Pass{Tape: tensor.NewArena(1).Tape()}).Edge.Data())
		return out
	}
	all := predict(func(p *nn.Pass) *Output { return m.Forward(p, b) })
	some := []int32{2, 5, 11}
	got := predict(func(p *nn.Pass) *Output { return m.ForwardEdges(p, b, some) })
	for e := range int32(b.H.NumEdges()) {
		want := []float32{0, 0}
		if slices.Contains(some, e) {
			want = all[2*e:][:2]
		}
		if !slices.Equal(got[2*e:][:2], want) {
			t.Errorf("edge %d: %v alone, expected %v", e, got[2*e:][:2], want)
		}
	}
}
