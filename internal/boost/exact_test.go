package boost_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// exact grows one tree for the squared loss by trying every split of every leaf.
type exact struct {
	rows    [][]float32
	y       []float64
	l2      float64
	minRows int
}

type exactLeaf struct {
	rows        []int
	gain        float64
	left, right []int
}

func (e *exact) sum(rows []int) (s float64) {
	for _, r := range rows {
		s += e.y[r]
	}
	return s
}

func (e *exact) score(rows []int) float64 {
	s := e.sum(rows)
	return s * s / (float64(len(rows)) + e.l2)
}

// leaf finds the best split of rows.
func (e *exact) leaf(rows []int) exactLeaf {
	best := exactLeaf{rows: rows}
	for c := range e.rows[0] {
		for _, at := range rows {
			for _, missingLeft := range []bool{false, true} {
				for _, t := range []float32{e.rows[at][c], float32(math.Inf(1))} {
					var left, right []int
					for _, r := range rows {
						v := e.rows[r][c]
						if v <= t || v != v && missingLeft {
							left = append(left, r)
						} else {
							right = append(right, r)
						}
					}
					if min(len(left), len(right)) < e.minRows {
						continue
					}
					if gain := e.score(left) + e.score(right) - e.score(rows); gain > best.gain+1e-9 {
						best.gain, best.left, best.right = gain, left, right
					}
				}
			}
		}
	}
	return best
}

// predictions grows a tree with a given number of leaves and returns the value of each row's leaf.
func (e *exact) predictions(leaves int) []float64 {
	all := make([]int, len(e.y))
	for i := range all {
		all[i] = i
	}
	list := []exactLeaf{e.leaf(all)}
	for len(list) < leaves {
		slices.SortStableFunc(list, func(a, b exactLeaf) int { return -int(math.Copysign(1, a.gain-b.gain)) })
		if list[0].gain == 0 {
			break
		}
		list = append(list[1:], e.leaf(list[0].left), e.leaf(list[0].right))
	}
	out := make([]float64, len(e.y))
	for _, l := range list {
		for _, r := range l.rows {
			out[r] = e.sum(l.rows) / (float64(len(l.rows)) + e.l2)
		}
	}
	return out
}

// One tree for the squared loss equals the tree of an exhaustive search, with missing values, equal
// values and few rows in a leaf.
func TestExact(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rng.Stream(seed, "exact")
			e := exact{l2: float64(seed % 3), minRows: 1 + int(seed%4)}
			x := &boost.Matrix{Columns: 3}
			var y []float32
			mean := 0.0
			for range 60 {
				row := []float32{float32(r.NormFloat64()), float32(r.IntN(5)), float32(r.ExpFloat64())}
				for c := range row {
					if r.IntN(5) == 0 {
						row[c] = float32(math.NaN())
					}
				}
				e.rows = append(e.rows, row)
				x.Blocks = append(x.Blocks, row)
				y = append(y, float32(r.NormFloat64()))
				mean += float64(y[len(y)-1]) / 60
			}
			for _, v := range y {
				e.y = append(e.y, float64(v)-mean)
			}
			want := e.predictions(6)
			m := train(t, x, y, nil, nil, boost.Config{
				Objective: boost.Squared, Rounds: 1, Rate: 1, Leaves: 6, L2: e.l2, MinRows: e.minRows, Seed: seed,
			})
			for i, got := range predict(t, m, x) {
				if math.Abs(float64(got)-mean-want[i]) > 1e-4 {
					t.Fatalf("row %d: %v, expected %v", i, float64(got)-mean, want[i])
				}
			}
		})
	}
}
