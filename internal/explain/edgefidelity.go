package explain

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// EdgeFidelity compares scores (probabilities or numbers) with only the listed edges around the edge, without them, and
// with as many random edges at the same ends.
type EdgeFidelity struct {
	Edges   int     `json:"edges"` // number of listed edges
	Alone   float64 `json:"alone"`
	Without float64 `json:"without"`
	// Random is the mean score with as many random edges at the same ends; Low and High enclose 95 % of the draws. All are
	// 0 if Draws is 0, because there are no other edges.
	Random float64 `json:"random"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Draws  int     `json:"draws"`
	// Moves says that the score changes without the listed edges. Holds says in addition that the listed edges alone give
	// a score closer to the full one than any random choice.
	Moves bool `json:"moves"`
	Holds bool `json:"holds"`
}

// edgeDraws is the number of random choices that are compared with the listed edges. matters is how far a probability,
// or a number in deviations, must change so that edges matter.
const (
	edgeDraws = 20
	matters   = 0.15
)

// fidelity tests the listed edges of an explanation.
func (g *edgeGame) fidelity(ctx context.Context, x *EdgeExplanation) (*EdgeFidelity, error) {
	if len(x.Edges) == 0 {
		return nil, nil
	}
	var ends []int32 // edges at the ends
	around := make([]bool, g.graph.NumEdges())
	for _, p := range g.players {
		for _, e := range p.edges {
			around[e] = true
			if p.steps == 1 {
				ends = append(ends, e)
			}
		}
	}
	slices.Sort(ends)
	score := func(there func(e int32) bool) (float64, error) {
		keep := slices.Repeat([]bool{true}, len(around))
		for e, is := range around {
			keep[e] = !is || there(int32(e))
		}
		return g.scoreWith(ctx, keep)
	}
	f := &EdgeFidelity{Edges: len(g.listed)}
	var err error
	if f.Alone, err = score(func(e int32) bool { return slices.Contains(g.listed, e) }); err != nil {
		return nil, err
	}
	if f.Without, err = score(func(e int32) bool { return !slices.Contains(g.listed, e) }); err != nil {
		return nil, err
	}
	nearest := math.Inf(1) // random choice
	if n := len(g.listed); n < len(ends) {
		f.Draws = edgeDraws
		random := rng.Stream(g.session.Settings.Train.Seed, "explain", "fidelity", g.of[g.item])
		var scores []float64
		for range edgeDraws {
			chosen := map[int32]bool{}
			for _, k := range random.Perm(len(ends))[:n] {
				chosen[ends[k]] = true
			}
			v, err := score(func(e int32) bool { return chosen[e] })
			if err != nil {
				return nil, err
			}
			scores = append(scores, v)
			f.Random += v / edgeDraws
			nearest = min(nearest, math.Abs(x.Score-v))
		}
		slices.Sort(scores)
		f.Low, f.High = scores[0], scores[len(scores)-1] // the range of 20 draws contains 95 %
	}
	moved := math.Abs(x.Score - f.Without)
	if g.unit() == Number {
		moved /= g.session.Settings.Target.Units[g.target].Scale
	}
	f.Moves = moved > matters
	f.Holds = f.Moves && math.Abs(x.Score-f.Alone) < nearest
	return f, nil
}

// scoreWith returns the score with only the edges in keep.
func (g *edgeGame) scoreWith(ctx context.Context, keep []bool) (float64, error) {
	v, err := g.restricted(keep, nil)
	if err != nil {
		return 0, err
	}
	got, err := g.predict(ctx, 1, func(int) variant { return v })
	if err != nil {
		return 0, err
	}
	return got[0].share, nil
}
