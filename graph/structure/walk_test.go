package structure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// The walks at some nodes are those at all nodes, to the bit, also where steps of the graph without the edges that were
// added are kept; a node of many neighbours has estimates. The steps stay those of that graph.
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
	for _, added := range [][]int32{{0, 5}, {7, n - 1}, {n - 2, n - 3}, {3, 9, 9, n - 1}, {0, 0}, {5, 0}, {4, n - 1, 4, n - 2, n - 1, 4, 0, 7}} {
		added = base.placed(added)
		whole := &Graph{n: n, pool: par.New(1)}
		whole.join(append(placed, added...))
		pairs := make([]int, len(added)/2)
		for i := range pairs {
			pairs[i] = i
		}
		some := base.with(added, pairs)
		if some == nil {
			if !slices.Equal(base.nbr, whole.nbr) {
				t.Errorf("edges %v change nothing", added)
			}
			continue
		}
		if !slices.Equal(some.ptr, whole.ptr) || !slices.Equal(some.nbr, whole.nbr) {
			t.Fatalf("edges %v added: other neighbours than in the whole graph", added)
		}
		nodes := slices.Compact(slices.Sorted(slices.Values(added)))
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
		t.Fatal("no node has estimates")
	}
	kept := base.kept
	base.kept = nil
	if again := (&Graph{n: n, base: base}).knownSteps(); !slices.Equal(kept.begun, again.begun) || !slices.Equal(kept.stepped, again.stepped) {
		t.Error("the kept steps have changed")
	}
}
