package links

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// ranked returns a graph that is dense enough for pageRanks, with isolated nodes and two separate
// pairs of nodes.
func ranked(t *testing.T) (*Data, *Columns) {
	t.Helper()
	r := rng.Stream(3, "links", "pagerank")
	const nodes = 700
	table := Table{Kind: Undirected, Ends: []int32{nodes - 4, nodes - 3, nodes - 2, nodes - 1}}
	for i := range nodes {
		table.IDs = append(table.IDs, fmt.Sprint(i))
	}
	for range 25_000 {
		u, v := r.IntN(nodes-10), r.IntN(nodes-10)*r.IntN(nodes-10)/nodes // some nodes have many neighbours
		table.Ends = append(table.Ends, int32(u), int32(v))
	}
	d, err := NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	c := NewColumns(GraphOf(d.Kind, d.Hash, d.Pairs), nil)
	if c.ranks == nil {
		t.Fatalf("%d edges are too few for pageRanks", len(c.Graph.Both.Adj))
	}
	return d, c
}

func TestPageRanks(t *testing.T) {
	_, c := ranked(t)
	push := NewPush(c.Graph.Both, c.Graph.Nodes, c.Eps)
	for s := int32(0); s < int32(c.Graph.Nodes); s += 9 {
		got := c.ranks.from(s)
		push.From(s)
		for v := range int32(c.Graph.Nodes) {
			p, want := float64(got[v*rankedSources]), push.At(v)
			if math.Abs(p-want) > 2*c.Eps*max(1, float64(c.Graph.Both.Degree(v))) {
				t.Fatalf("p_%d(%d) is %v, by push %v", s, v, p, want)
			}
		}
	}
}

// The values of all sources are the same to the bit, whichever goroutine asks first.
func TestPageRanksAtOnce(t *testing.T) {
	_, c := ranked(t)
	n := int32(c.Graph.Nodes)
	again := newPageRanks(c.Graph.Both, int(n), c.Eps)
	var all sync.WaitGroup
	for worker := range int32(5) {
		all.Go(func() {
			for i := range n {
				s := (i + worker*131) % n
				if !slices.Equal(c.ranks.from(s), again.from(s)) {
					t.Errorf("source %d has other values", s)
				}
			}
		})
	}
	all.Wait()
}

// Hard negatives are defined by Push: they do not depend on how the columns are computed.
func TestHardNegativesOfPush(t *testing.T) {
	d, c := ranked(t)
	byPush := NewColumns(c.Graph, nil)
	byPush.ranks = nil
	known := NewKnown(d)
	got, want := NewHard(d, known, c.NewWorker(), 5), NewHard(d, known, byPush.NewWorker(), 5)
	for v := int32(0); v < int32(d.Nodes()); v += 9 {
		list, hard := got.List(v, false, 50)
		wanted, wantedHard := want.List(v, false, 50)
		if !slices.Equal(list, wanted) || hard != wantedHard {
			t.Fatalf("node %d has the negatives %v, %d of them hard, expected %v, %d", v, list, hard, wanted, wantedHard)
		}
	}
}
