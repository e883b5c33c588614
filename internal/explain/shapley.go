package explain

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
)

// game is a cooperative game: value returns the value of each of several sets of players.
type game struct {
	players int
	value   func(ctx context.Context, sets [][]bool) ([]float64, error)
}

// mostExact is the largest number of players whose Shapley values are computed from all sets.
const mostExact = 7

// shapley divides value(all) − value(none) among the players. Up to mostExact players the Shapley values are exact and
// error is nil. For more players they are means over pairs of permutations (each with its reverse), which have the same
// sum; error is the standard error over the pairs. About budget sets are evaluated, but at least two pairs are drawn.
func (g game) shapley(ctx context.Context, budget int, random *rand.Rand) (values, err []float64, fail error) {
	if g.players <= mostExact {
		values, fail = g.exact(ctx)
		return values, nil, fail
	}
	n := g.players
	pairs := max(2, budget/(2*n))
	values, err = make([]float64, n), make([]float64, n)
	for range pairs {
		order := random.Perm(n)
		sets := make([][]bool, 0, 2*n)
		for _, backwards := range []bool{false, true} {
			set := make([]bool, n)
			for k := range n + 1 {
				if k > 0 {
					at := order[k-1]
					if backwards {
						at = order[n-k]
					}
					set[at] = true
				}
				sets = append(sets, append([]bool(nil), set...))
			}
		}
		v, fail := g.value(ctx, sets)
		if fail != nil {
			return nil, nil, fail
		}
		for k := range n {
			player := order[k]
			back := n + 1 + n - 1 - k // set before the player is added in the reverse order
			mean := (v[k+1] - v[k] + v[back+1] - v[back]) / 2
			values[player] += mean
			err[player] += mean * mean
		}
	}
	p := float64(pairs)
	for i := range values {
		values[i] /= p
		err[i] = math.Sqrt(max(err[i]/p-values[i]*values[i], 0) / (p - 1))
	}
	return values, err, nil
}

// exact evaluates all sets.
func (g game) exact(ctx context.Context) ([]float64, error) {
	n := g.players
	sets := make([][]bool, 1<<n)
	for s := range sets {
		sets[s] = make([]bool, n)
		for i := range n {
			sets[s][i] = s>>i&1 == 1
		}
	}
	v, err := g.value(ctx, sets)
	if err != nil {
		return nil, err
	}
	weight := make([]float64, n) // weight of a set with so many other players
	for k := range weight {
		weight[k] = 1 / (float64(n) * choose(n-1, k))
	}
	out := make([]float64, n)
	for s := range sets {
		for i := range n {
			if s>>i&1 == 0 {
				out[i] += weight[bits.OnesCount(uint(s))] * (v[s|1<<i] - v[s])
			}
		}
	}
	return out, nil
}

func choose(n, k int) float64 {
	out := 1.0
	for i := range k {
		out *= float64(n-i) / float64(i+1)
	}
	return out
}
