package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// Fidelity measures the change of the prediction without some edges and with only these edges,
// compared with as many random edges. For classes and labels it is the change of the target's
// probability, for numbers the change of the number. A good explanation has a high change without
// its edges, and a change near 0 with only its edges (fidelity+ and fidelity- of Yuan et al.,
// 2020).
type Fidelity struct {
	Share   float64 `json:"share"`
	Edges   int     `json:"edges"`
	Without Change  `json:"without"`
	Alone   Change  `json:"alone"`
	// RandomWithout and RandomAlone are means over random choices of edges.
	RandomWithout Change `json:"random_without"`
	RandomAlone   Change `json:"random_alone"`
}

// Change is the difference of a prediction from the prediction for the whole graph.
type Change struct {
	Fall    float64 `json:"fall"`    // decrease of the probability, or of the number
	Changed float64 `json:"changed"` // share of predictions with another class; 0 for numbers
}

// fidelityShares are the shares of edges at which explanations are checked; fidelityDraws is the
// number of random choices for each.
var fidelityShares = []float64{0.05, 0.1, 0.2, 0.5}

const fidelityDraws = 5

// Check predicts without the edges with the highest scores, and with only these edges.
func (x *explained) Check(ctx context.Context, scores []float32) ([]Fidelity, error) {
	m := len(scores)
	if m == 0 {
		return nil, nil
	}
	choices := [][]int32{byScore(scores)}
	for draw := range fidelityDraws {
		choices = append(choices, byScore(chances(m, x.session.Settings.Train.Seed, draw+1)))
	}
	var out []Fidelity
	for _, share := range fidelityShares {
		f := Fidelity{Share: share, Edges: model.Share(share, m)}
		// Without the edges of each choice, and with only these edges.
		got, err := x.predict(ctx, 2*len(choices), func(i int) variant {
			keep := slices.Repeat([]bool{true}, x.graph.NumEdges())
			for k, at := range choices[i/2] {
				keep[x.edges[at]] = (k < f.Edges) == (i%2 == 1)
			}
			return x.variantWith(func(e int32) bool { return keep[e] })
		})
		if err != nil {
			return nil, err
		}
		f.Without, f.Alone = x.change(got[0]), x.change(got[1])
		for k := range fidelityDraws {
			f.RandomWithout.Add(x.change(got[2+2*k]), 1.0/fidelityDraws)
			f.RandomAlone.Add(x.change(got[3+2*k]), 1.0/fidelityDraws)
		}
		out = append(out, f)
	}
	return out, nil
}

func (x *explained) change(p predicted) Change {
	c := Change{Fall: x.full.share - p.share}
	if p.class != x.full.class {
		c.Changed = 1
	}
	return c
}

func (c *Change) Add(other Change, times float64) {
	c.Fall += times * other.Fall
	c.Changed += times * other.Changed
}

// byScore returns edges sorted by score, highest first.
func byScore(scores []float32) []int32 {
	order := lists.Range[int32](len(scores))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
