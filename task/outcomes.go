package task

import (
	"context"
	"math"
)

// Outcome runs the model over a part, but for the test part of a training that has just ended:
// that has been done.
func (s *Session) Outcome(ctx context.Context, part string) (*Outcome, error) {
	if part == PartTest && s.tested != nil {
		return s.tested, nil
	}
	p, got, err := s.collectPart(ctx, part)
	if err != nil {
		return nil, err
	}
	return s.outcome(p, got), nil
}

func (s *Session) outcome(p *Part, got collected) *Outcome {
	o := &Outcome{Items: s.task.Items, Names: p.Name(s.task.Items, got.at), At: got.at}
	if p.Unit != nil {
		for _, at := range got.at {
			o.Unit = append(o.Unit, p.Unit(at))
		}
	}
	if r, ok := got.predictor.(outcomer); ok {
		r.outcome(o)
	}
	return o
}

// Usual is what one would predict without a model, as learned from the training part.
type Usual struct {
	Counts []int     // of each class
	Means  []float64 // of each number, or the share of 1 of each label; NaN where there is none
}

// Usual counts the labels of the training part.
func (s *Session) Usual() Usual {
	var u Usual
	p := s.parts[PartTrain]
	switch {
	case p == nil || s.task.Reconstructs:
	case s.Settings.classifies():
		u.Counts = make([]int, s.Settings.Model.Out)
		for _, g := range p.Graphs {
			for _, c := range classesOfGraph(s.task.Items, g) {
				if c >= 0 && int(c) < len(u.Counts) {
					u.Counts[c]++
				}
			}
		}
	case s.Settings.Target.Units != nil:
		for _, unit := range s.Settings.Target.Units {
			u.Means = append(u.Means, unit.Mean)
		}
	default:
		for k := range s.Settings.Target.Names {
			sum, n := 0.0, 0.0
			for _, g := range p.Graphs {
				if v := float64(g.Targets[k]); !math.IsNaN(v) {
					sum, n = sum+v, n+1
				}
			}
			u.Means = append(u.Means, sum/n)
		}
	}
	return u
}
