package structure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// The walks at some nodes are those at all nodes, to the bit, also where steps of the graph without the edges that were
// added are kept; a node of many neighbours has estimates.
func TestWalksOfSomeNodes(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(1, 2))
	var ends []int32
	for v := int32(1); v < n-4; v++ {
		ends = append(ends, 0, v, v, 1+r.Int32N(n-5))
	}
	base, err := New(n, ends, true, par.New(2))
	if err != nil {
		t.Fatal(err)
	}
	placed, estimated := slices.Clip(base.placed(ends)), false
	for _, added := range [][]int32{{0, 5}, {7, n - 1}, {n - 2, n - 3}, {3, 9, 9, n - 1}, {0, 0}, {5, 0}} {
		added = base.placed(added)
		with := func(base *Graph, threads int) *Graph {
			g := &Graph{n: n, pool: par.New(threads), base: base, added: slices.Compact(slices.Sorted(slices.Values(added)))}
			g.join(append(placed, added...))
			return g
		}
		whole, some := with(nil, 1), with(base, 2)
		nodes := some.added
		want, got := make([]float32, steps), make([]float32, steps)
		all, few := whole.walks(nil), some.walks(nodes)
		for _, v := range nodes {
			q := &query{ends: [2]int32{v, v}}
			all(want, q, 0)
			few(got, q, 0)
			if !slices.Equal(got, want) {
				t.Errorf("edges %v added: node %d has %v, all nodes have %v", added, v, got, want)
			}
		}
		estimated = estimated || whole.drawn != nil
	}
	if !estimated || base.kept == nil {
		t.Error("no node has estimates")
	}
}
