package task

import (
	"context"
	"math"

	"github.com/ehgnn/ehgnn/report"
)

// Outcome is what a model predicts for the items of a part beside what is true, for a review
// of the run. One of Classes and Targets is set; tasks that reconstruct features have neither.
type Outcome struct {
	Items Items
	Names []report.Column // which item each row is, as in predictions
	At    []Place         // the place of each in the part
	// Unit numbers the rows, with one number for those that the split keeps together, such as the
	// edges of a group; nil where it keeps nothing together but the items of a graph.
	Unit []int32
	// Classes is set where one class per item is predicted.
	Classes *ClassOutcome
	// Targets are what is predicted of each item where that is numbers, or the probabilities
	// of labels that are 0 or 1.
	Targets []TargetOutcome
	Labels  bool // Targets are labels
}

// ClassOutcome has a row per item.
type ClassOutcome struct {
	Names           []string
	True, Predicted []int32     // graph.NoLabel where it is not known
	Probability     [][]float32 // by class
}

// TargetOutcome has a row per item.
type TargetOutcome struct {
	Name            string    // empty for the one label of edges
	True, Predicted []float32 // NaN where it is not known
}

// outcomer is a Predictor that tells what is true besides.
type outcomer interface{ outcome(o *Outcome) }

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

func (r *classRows) outcome(o *Outcome) {
	c := &ClassOutcome{True: r.label, Predicted: r.prediction, Probability: r.probability}
	for k := range r.probability {
		c.Names = append(c.Names, className(r.target.Classes, int32(k)))
	}
	o.Classes = c
}

func (r *numberRows) outcome(o *Outcome) {
	for k := range r.target {
		t := TargetOutcome{True: r.target[k], Predicted: r.prediction[k]}
		if r.names != nil {
			t.Name = r.names[k]
		}
		o.Targets = append(o.Targets, t)
	}
}

func (r *labelRows) outcome(o *Outcome) {
	o.Labels = true
	for k, name := range r.names {
		o.Targets = append(o.Targets, TargetOutcome{name, r.label[k], r.probability[k]})
	}
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
