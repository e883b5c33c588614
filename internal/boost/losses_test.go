package boost_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
)

// Each objective decreases the held-out loss below a given share of the loss after the first round,
// for labels that depend on the columns.
func TestObjectives(t *testing.T) {
	for _, test := range []struct {
		c     boost.Config
		share float64
	}{
		{boost.Config{Objective: boost.LogLoss}, .5},
		{boost.Config{Objective: boost.Softmax, Classes: 4}, .6},
		{boost.Config{Objective: boost.Squared}, .25},
		{boost.Config{Objective: boost.Absolute}, .5},
		{boost.Config{Objective: boost.Huber, Delta: .7}, .4},
		{boost.Config{Objective: boost.Quantile, Level: .9}, .6},
	} {
		t.Run(fmt.Sprint(test.c.Objective), func(t *testing.T) {
			labels := func(d table) []float32 {
				switch test.c.Objective {
				case boost.LogLoss:
					return d.classes(2)
				case boost.Softmax:
					return d.classes(4)
				}
				return d.numbers()
			}
			d, held := newTable(1, 4000, 6), newTable(2, 2000, 6)
			c := test.c
			c.Rounds, c.Rate, c.RowShare, c.ColumnShare = 100, .1, .8, .8
			var first, last, before float64
			c.OnRound = func(round int, loss float64) {
				if round == 1 {
					first = loss
				}
				before, last = last, loss
			}
			m := train(t, d.x, labels(d), nil, &boost.Eval{X: held.x, Y: labels(held)}, c)
			if !(last < test.share*first) || math.Abs(before-last) > .05*first {
				t.Errorf("held-out loss %.4f after the first round, %.4f after the last", first, last)
			}
			if m.Rounds() < 50 {
				t.Errorf("%d rounds are kept", m.Rounds())
			}
		})
	}
}
