package links

import (
	"cmp"
	"math"
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

// The cut is where a stable sort has it, also among equal keys and keys that share their first bits.
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
