package columns

import (
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// Looking up neighbours in a list of marks gives the same bits as merging or searching sorted lists. The graph has hubs
// with more than mostSteps neighbours, loops and parallel edges.
func TestMeeting(t *testing.T) {
	const nodes = 2000
	r := rand.New(rand.NewPCG(3, 4))
	g := &Graph{Nodes: nodes, Classes: 2, Directed: true}
	end := func() int32 { // nodes with lower numbers have more edges
		x := r.Float64()
		return int32(x * x * x * nodes)
	}
	for v := range int32(3) { // hubs
		for u := range int32(nodes) {
			g.Ends = append(g.Ends, v, u, u, (v+1)%3)
		}
	}
	for len(g.Ends) < 40_000 {
		g.Ends = append(g.Ends, end(), end())
	}
	known := make([]bool, len(g.Ends)/2)
	for e := range known {
		known[e] = r.IntN(10) > 0
		g.Label = append(g.Label, float32(r.IntN(2)))
	}
	k, err := newKnown(g, known, par.New(1))
	if err != nil {
		t.Fatal(err)
	}
	p := k.twoStep()
	var row [2][16]float64
	look, merge := p.writer(row[0][:], nodes), p.writer(row[1][:], 1)
	found := 0
	for range 5000 {
		d := described{source: end(), target: end()}
		look(d)
		merge(d)
		if row[0] != row[1] {
			t.Fatalf("from %d to %d: %v by marks, %v by merged lists", d.source, d.target, row[0], row[1])
		}
		if row[0][3] > 0 {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("%d of 5000 pairs have a node in between", found)
	}
}
