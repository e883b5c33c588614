package run

import (
	"context"
	"math"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/score"
)

// baselines returns the baselines in the graph of a part.
func (t *training) baselines(ctx context.Context, part int8) (score.Scorer, error) {
	c := t.columns(part)
	out := score.Joined{score.Heuristics{Columns: c}}
	var names []string
	if t.d.Kind == links.Bipartite {
		names = append(names, itemKNN)
	}
	if t.s.EASE > 0 {
		names = append(names, ease)
	}
	for _, name := range names {
		sc, err := t.countPairs(ctx, name, c.Graph)
		if err != nil {
			return nil, err
		}
		out = append(out, sc)
	}
	return out, nil
}

// tuneEASE chooses the penalty of ease on the validation part.
func (t *training) tuneEASE(ctx context.Context) error {
	_, targets := t.d.Ends()
	if t.d.Kind != links.Bipartite || len(targets) > learn.EASETargets {
		return nil
	}
	best, g := math.Inf(-1), t.columns(links.Valid).Graph
	for _, lambda := range []float64{100, 300, 1000} {
		m, err := learn.NewEASE(ctx, t.d.Data, g, lambda, t.threads)
		if err != nil {
			return err
		}
		v, err := t.setting(links.Valid).Tune(ctx, m, t.s.Select)
		if err != nil {
			return err
		}
		if v.Value > best {
			best, t.s.EASE, t.counted[pairGraph{ease, g}] = v.Value, lambda, m
		}
	}
	return nil
}

// nearTargets are the numbers of similar targets that tuneKNN tries for item-knn, in descending
// order.
var nearTargets = []int{300, 100, 50, 20}

// tuneKNN chooses the settings of item-knn on the validation part.
func (t *training) tuneKNN(ctx context.Context) error {
	if t.d.Kind != links.Bipartite {
		return nil
	}
	best, by := math.Inf(-1), ""
	for _, shrink := range []float64{0, 10, 50} {
		knn, err := learn.NewKNN(ctx, t.columns(links.Valid).Graph, shrink, nearTargets[0], t.threads)
		if err != nil {
			return err
		}
		for _, near := range nearTargets {
			knn = knn.Nearer(near)
			v, err := t.setting(links.Valid).Tune(ctx, knn, t.s.Select)
			if err != nil {
				return err
			}
			if v.Value > best {
				best, t.s.KNN, by = v.Value, [2]float64{shrink, float64(near)}, measure(v)
			}
		}
	}
	t.tell("item-knn, shrinkage %g, %g similar targets: %s of the validation part %.4f", t.s.KNN[0], t.s.KNN[1], by, best)
	return nil
}
