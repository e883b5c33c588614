package kernel

import (
	"fmt"
	"slices"
	"testing"
)

// FuzzRanks: exact, with ties, zeros of both signs, infinities and NaN.
func FuzzRanks(f *testing.F) {
	fuzz(f, func(c *check) {
		n := c.size(600)
		x := c.input(n)
		if n > 1 && c.bool() { // ties
			for i := range x {
				x[i] = x[i%max(n/3, 1)]
			}
		}
		c.describe("%d numbers", n)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			switch a, b := x[i], x[j]; {
			case a != a && b != b, a == b:
				return 0
			case b != b, a > b:
				return -1
			}
			return 1
		})
		want := make([]float32, n)
		for rank, i := range order {
			want[i] = float32(rank)
		}
		c.levels(func(a *attempt) []float32 {
			ranks, out := make([]int32, n), a.out(n)
			Ranks(ranks, x)
			for i, r := range ranks {
				out[i] = float32(r)
			}
			return out
		}, func(what string, got []float32) { sameBits(c.T, what, got, want) })
	})
}

// BenchmarkRanks uses scores that differ in all digits, and scores that differ only by rounding, as
// the scores of edges without features do.
func BenchmarkRanks(b *testing.B) {
	for _, n := range []int{64, 128, 256, 512, 2500, 20000} {
		for _, spread := range []float32{1, 1e-5} {
			x, dst := randn(newRand(1), n), make([]int32, n)
			for i, v := range x {
				x[i] = 0.5 + spread*v
			}
			b.Run(fmt.Sprintf("n=%d/spread=%g", n, spread), func(b *testing.B) {
				for range b.N {
					Ranks(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/number")
			})
		}
	}
}
