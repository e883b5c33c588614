package structure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// The core numbers with one more pair of neighbours are those of the whole graph, made anew.
func TestCoresBeside(t *testing.T) {
	risen := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 4 + r.IntN(40)
		var ends []int32
		for range r.IntN(5 * n) {
			u := r.IntN(n)
			ends = append(ends, int32(u), int32(r.IntN(u+1))) // older nodes have more neighbours, and some are loops
		}
		g, err := New(n, ends, false, par.New(1))
		if err != nil {
			t.Fatal(err)
		}
		pair := []int32{int32(r.IntN(n)), int32(r.IntN(n))}
		with := g.with(pair, []int{0})
		if with == nil {
			continue
		}
		want := with.coresOfAll()
		if got := with.coreNumbers(); !slices.Equal(got, want) {
			t.Fatalf("graph %d with %v: core numbers %v, want %v; without %v", seed, pair, got, want, g.coreNumbers())
		}
		if !slices.Equal(want, g.coreNumbers()) {
			risen++
		}
	}
	if risen < 50 {
		t.Errorf("core numbers rise in %d graphs, expected 50 or more", risen)
	}
}
