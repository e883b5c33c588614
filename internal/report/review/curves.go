package review

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// Size of a panel in points.
const panelWidth, panelHeight = 320, 230

// mostPoints is how many points of a curve are drawn. Of more, the lowest and the highest of
// each stretch stand for it.
const mostPoints = 1000

// curves are the losses of the training and the validation scores by epoch.
func (r *Review) curves() ([]report.Part, error) {
	if len(r.history) < 2 {
		return nil, nil
	}
	best := r.environment.Result.BestEpoch
	var loss, scores []draw.Curve
	of := func(name string, value func(e train.EpochInfo) float64) (c draw.Curve) {
		c.Name = name
		for _, e := range r.history {
			if v := value(e); !math.IsNaN(v) {
				c.X, c.Y = append(c.X, float64(e.Epoch)), append(c.Y, v)
			}
		}
		return thinned(c)
	}
	loss = append(loss, of("training", func(e train.EpochInfo) float64 { return e.TrainLoss }))
	for _, s := range r.shown(r.history[len(r.history)-1].Valid) {
		c := of(task.ScoreTitle(s.Name), func(e train.EpochInfo) float64 { v, _ := e.Valid.Get(s.Name); return v })
		switch {
		case len(c.X) == 0:
		case s.Name == "loss":
			c.Name = "validation"
			loss = append(loss, c)
		case len(scores) < 3 && within(c.Y, 0, 1):
			scores = append(scores, c)
		}
	}
	f := draw.Figure{Columns: 2, Width: panelWidth, Height: panelHeight}
	for _, p := range []draw.Curves{
		{Title: "Loss", X: "epoch", Curves: loss},
		{Title: "Validation scores", X: "epoch", Curves: scores},
	} {
		if top := highest(p.Curves); top > 0 {
			p.Bare, p.Headroom = true, 0.1+0.08*float64(len(p.Curves))
			p.Curves = append(p.Curves, draw.Curve{Faint: true, X: []float64{float64(best), float64(best)}, Y: []float64{0, top}})
			f.Panels = append(f.Panels, p)
		}
	}
	if f.Panels == nil {
		return nil, nil
	}
	f.Columns = len(f.Panels)
	picture, err := report.Drawn("", fmt.Sprintf("Loss and validation scores by epoch; dashed: the best epoch, %d", best), f)
	return []report.Part{report.Heading{Title: "Training"}, picture}, err
}

// shown are validation scores in the order in which there is room for them: the loss, what
// the epoch was chosen by, the headline, all others.
func (r *Review) shown(of train.Scores) train.Scores {
	first := append([]string{"loss", r.settings.Train.Monitor.Metric}, headline...)
	rank := func(s train.Score) int {
		if i := slices.Index(first, s.Name); i >= 0 {
			return i
		}
		return len(first)
	}
	return slices.SortedStableFunc(slices.Values(of), func(a, b train.Score) int { return rank(a) - rank(b) })
}

func within(values []float64, low, high float64) bool {
	for _, v := range values {
		if v < low || v > high {
			return false
		}
	}
	return true
}

func highest(curves []draw.Curve) float64 {
	top := 0.0
	for _, c := range curves {
		for _, y := range c.Y {
			top = max(top, y)
		}
	}
	return top
}

// thinned is a curve of at most mostPoints points.
func thinned(c draw.Curve) draw.Curve {
	n := len(c.X)
	if n <= mostPoints {
		return c
	}
	out := draw.Curve{Name: c.Name}
	stretches := mostPoints / 2
	for k := range stretches {
		lo, hi := k*n/stretches, (k+1)*n/stretches
		low, high := lo, lo
		for i := lo; i < hi; i++ {
			if c.Y[i] < c.Y[low] {
				low = i
			}
			if c.Y[i] > c.Y[high] {
				high = i
			}
		}
		for _, i := range []int{min(low, high), max(low, high)} {
			out.X, out.Y = append(out.X, c.X[i]), append(out.Y, c.Y[i])
		}
	}
	return out
}
