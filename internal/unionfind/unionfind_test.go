package unionfind_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/unionfind"
)

// TestSets compares random joins, in two orders, with sets computed by their definition.
func TestSets(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := r.IntN(20)
		pairs := make([][2]int32, 0, n)
		for range n {
			pairs = append(pairs, [2]int32{r.Int32N(int32(n)), r.Int32N(int32(n))})
		}
		want := make([]int32, n) // the smallest number that can be reached
		for i := range want {
			want[i] = int32(i)
		}
		for range n {
			for _, p := range pairs {
				least := min(want[p[0]], want[p[1]])
				want[p[0]], want[p[1]] = least, least
			}
		}
		for range 2 {
			s := unionfind.New(n)
			for _, p := range pairs {
				s.Union(p[0], p[1])
			}
			of, count := s.Number()
			next := int32(0)
			for i := range int32(n) {
				if s.Find(i) != want[i] || of[i] != of[want[i]] {
					t.Fatalf("seed %d: %d is in the set of %d, number %d, expected that of %d", seed, i, s.Find(i), of[i], want[i])
				}
				if want[i] == i {
					if of[i] != next {
						t.Fatalf("seed %d: the set of %d is number %d, expected %d", seed, i, of[i], next)
					}
					next++
				}
			}
			if int(next) != count {
				t.Fatalf("seed %d: %d sets, expected %d", seed, count, next)
			}
			slices.Reverse(pairs)
		}
	}
}
