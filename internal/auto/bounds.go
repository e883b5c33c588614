package auto

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/model"
)

// trainBounds trains trees for the lower and the upper quantile of the target (Request.Coverage), on the columns with
// which trees predict best. Conformal prediction then widens or narrows the interval (Romano, Patterson and Candès,
// NeurIPS 2019).
func (r *race) trainBounds(ctx context.Context) ([]Trained, error) {
	if !r.Number || r.Coverage == 0 {
		return nil, nil
	}
	won := r.winner(model.LearnerTrees)
	if won < 0 {
		return nil, nil
	}
	set := r.entries[won].set
	from := r.rowsFor(set)
	var out []Trained
	for _, level := range []float64{(1 - r.Coverage) / 2, (1 + r.Coverage) / 2} {
		name := "lower bound"
		if level > 0.5 {
			name = "upper bound"
		}
		t, ok := Trained{}, false
		if r.Kept != nil {
			t, ok = r.Kept.Load(name)
		}
		if !ok {
			var err error
			if t, err = growTrees(ctx, r.problem, from, r.columnsOf(set), boost.Quantile, level, treeRounds, nil); err != nil {
				return nil, err
			}
			t.Learner.Quantile = level
			if r.Kept != nil {
				if err := r.Kept.Save(name, t); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, t)
	}
	return out, nil
}
