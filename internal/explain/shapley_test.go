package explain

import (
	"context"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// toy is a game in which each player is worth its number, and pairs of neighbours are worth more than their sum.
func toy(n int) game {
	return game{n, func(_ context.Context, sets [][]bool) (out []float64, _ error) {
		for _, set := range sets {
			v := 3.0
			for i, in := range set {
				if !in {
					continue
				}
				v += float64(i)
				if i > 0 && set[i-1] {
					v += 10
				}
			}
			out = append(out, v)
		}
		return out, nil
	}}
}

// Values sum to the worth of all players minus the worth of none. Up to mostExact players they are exact. With more
// players they are within their error of the exact values. The exact value of a player includes half of what each of
// its pairs adds.
func TestShapley(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, mostExact, mostExact + 1, 30} {
		v, se, err := toy(n).shapley(t.Context(), 6000, rng.Stream(1, "test"))
		if err != nil {
			t.Fatal(err)
		}
		if (se == nil) != (n <= mostExact) {
			t.Errorf("%d players: error %v", n, se)
		}
		sum, want := 0.0, 0.0
		for i := range v {
			of := float64(i)
			if i > 0 {
				of += 5
			}
			if i < n-1 {
				of += 5
			}
			sum, want = sum+v[i], want+of
			tolerance := 1e-9
			if se != nil {
				tolerance += 5 * se[i]
				if se[i] > 1 {
					t.Errorf("%d players: standard error %v", n, se[i])
				}
			}
			if math.Abs(v[i]-of) > tolerance {
				t.Errorf("%d players: player %d has %v, want %v", n, i, v[i], of)
			}
		}
		if math.Abs(sum-want) > 1e-9 {
			t.Errorf("%d players: values sum to %v, want %v", n, sum, want)
		}
	}
	a, _, _ := toy(20).shapley(t.Context(), 200, rng.Stream(1, "test"))
	b, _, _ := toy(20).shapley(t.Context(), 200, rng.Stream(1, "test"))
	for i := range a {
		if a[i] != b[i] {
			t.Fatal("the same seed gives other values")
		}
	}
}
