package session

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Outcome runs the model on a part, unless a training in this session already did.
func (s *Session) Outcome(ctx context.Context, part string) (*task.Outcome, error) {
	if o := s.outcomes[part]; o != nil {
		return o, nil
	}
	p, got, err := s.CollectPart(ctx, part)
	if err != nil {
		return nil, err
	}
	return s.outcomeOf(p, got), nil
}

func (s *Session) outcomeOf(p *source.Part, got collected) *task.Outcome {
	o := &task.Outcome{Level: s.Task.Level, Names: p.Name(s.Task.Level, got.At), At: got.At}
	if p.Unit != nil {
		for _, at := range got.At {
			o.Unit = append(o.Unit, p.Unit(at))
		}
	}
	if r, ok := got.predictor.(task.Outcomer); ok {
		r.Outcome(o)
	}
	return o
}

// Usual is the constant baseline, learned from the training part.
type Usual struct {
	Counts []int     // count of each class
	Means  []float64 // mean of each number, or share of ones of each label; NaN if there is none
	// Medians has the median of each number; nil if labels or classes are predicted.
	Medians []float64
}

// Usual counts the labels of the training part.
func (s *Session) Usual() Usual {
	var u Usual
	p := s.Parts[source.PartTrain]
	switch {
	case p == nil || s.Task.Reconstructs:
	case s.Settings.Classifies():
		u.Counts = make([]int, s.Settings.Model.Out)
		for _, g := range p.Graphs {
			for _, c := range task.ClassesOfGraph(s.Task.Level, g) {
				if c >= 0 && int(c) < len(u.Counts) {
					u.Counts[c]++
				}
			}
		}
	case s.Settings.Target.Units != nil:
		for _, unit := range s.Settings.Target.Units {
			u.Means = append(u.Means, unit.Mean)
		}
		u.Medians = medians(p, s.Task.Level, len(u.Means))
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

// medians returns the median of each of several numbers of the items of a part; NaN if none is known.
func medians(p *source.Part, level settings.Level, targets int) []float64 {
	values := make([][]float64, targets)
	take := func(all []float32, item int) {
		for k := range targets {
			if v := float64(all[item*targets+k]); !math.IsNaN(v) {
				values[k] = append(values[k], v)
			}
		}
	}
	for _, g := range p.Graphs {
		all := task.NumbersOf(level, g)
		if p.Items != nil { // items of the only graph
			for _, i := range p.Items {
				take(all, int(i))
			}
			continue
		}
		for i := range len(all) / targets {
			take(all, i)
		}
	}
	out := make([]float64, targets)
	for k, v := range values {
		if out[k] = math.NaN(); len(v) > 0 {
			slices.Sort(v)
			out[k] = v[len(v)/2]
		}
	}
	return out
}
