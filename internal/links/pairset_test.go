package links

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
)

func TestPairSet(t *testing.T) {
	var s pairSet
	in := map[[2]int32]bool{}
	r := stream(3)
	for range 20_000 {
		p := [2]int32{int32(r.intn(100)), int32(r.intn(100))}
		if s.has(p) != in[p] {
			t.Fatalf("has %v is %v, want %v", p, s.has(p), in[p])
		}
		if s.add(p) == in[p] {
			t.Fatalf("add %v is %v, want %v", p, in[p], !in[p])
		}
		in[p] = true
	}
	if largest := [2]int32{math.MaxInt32, math.MaxInt32}; s.has(largest) || !s.add(largest) || !s.has(largest) {
		t.Error("the pair of the largest nodes is not added")
	}
}

// cutAt cuts where a stable sort does, also among equal keys and keys with the same first bits.
func TestCutAt(t *testing.T) {
	r := stream(4)
	for _, c := range []struct {
		name string
		key  func() uint64
	}{
		{"any keys", r.next},
		{"three keys", func() uint64 { return uint64(r.intn(3)) << 60 }},
		{"keys that share their first bits", func() uint64 { return 7<<48 | uint64(r.intn(50)) }},
		{"the largest key", func() uint64 { return math.MaxUint64 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := make([]uint64, 200)
			for i := range key {
				key[i] = c.key()
			}
			order := lists.Range[int](len(key))
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
			for _, n := range []int{0, 1, 30, 199, 200} {
				at := cutAt(key, n)
				got := lists.Filter(lists.Range[int](len(key)), func(i int) bool { return at.above(key, i) })
				want := slices.Sorted(slices.Values(order[:n]))
				if !slices.Equal(got, want) {
					t.Errorf("the first %d are %v, want %v", n, got, want)
				}
			}
		})
	}
}

// A table of places has the same content as a map, also after it grew and was used again.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var p places
	for _, n := range []int{10, 3000, 200} {
		p.reset()
		want := map[int32]int32{}
		for range n {
			v := r.Int32N(1 << 20)
			if r.IntN(3) == 0 {
				v %= int32(n) // many repetitions
			}
			at, known := want[v]
			if !known {
				at = int32(len(want))
				want[v] = at
			}
			if got, isNew := p.meet(v); got != at || isNew == known {
				t.Fatalf("node %d has place %d, new %v; want %d, %v", v, got, isNew, at, !known)
			}
		}
		for v := range int32(4000) {
			at, known := want[v]
			if !known {
				at = -1
			}
			if got := p.find(v); got != at {
				t.Errorf("node %d is found at %d, want %d", v, got, at)
			}
		}
		if len(p.nodes) != len(want) {
			t.Errorf("%d nodes, want %d", len(p.nodes), len(want))
		}
	}
}
