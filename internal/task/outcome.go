package task

import (
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Outcome is what a model predicts for the items of a part beside what is true, for a review
// of the run. One of Classes and Targets is set; tasks that reconstruct features have neither.
type Outcome struct {
	Level settings.Level
	Names []report.Column // which item each row is, as in predictions
	At    []source.Place  // the place of each in the part
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

// Outcomer is a Predictor that tells what is true besides.
type Outcomer interface{ Outcome(o *Outcome) }

func (r *classRows) Outcome(o *Outcome) {
	c := &ClassOutcome{True: r.label, Predicted: r.prediction, Probability: r.probability}
	for k := range r.probability {
		c.Names = append(c.Names, settings.ClassName(r.settings.Target.Classes, int32(k)))
	}
	o.Classes = c
}

func (r *numberRows) Outcome(o *Outcome) {
	for k := range r.target {
		t := TargetOutcome{True: r.target[k], Predicted: r.prediction[k]}
		if r.names != nil {
			t.Name = r.names[k]
		}
		o.Targets = append(o.Targets, t)
	}
}

func (r *labelRows) Outcome(o *Outcome) {
	o.Labels = true
	for k, name := range r.names {
		o.Targets = append(o.Targets, TargetOutcome{name, r.label[k], r.probability[k]})
	}
}

// With is the outcome of other predictions for the same items: a row of probabilities for each class, or of
// numbers for each target. The predicted class is the most probable one.
func (o *Outcome) With(rows [][]float32) *Outcome {
	out := *o
	if c := o.Classes; c != nil {
		other := &ClassOutcome{Names: c.Names, True: c.True, Predicted: make([]int32, len(c.True)), Probability: rows}
		for i := range other.Predicted {
			for k := range rows {
				if rows[k][i] > rows[other.Predicted[i]][i] {
					other.Predicted[i] = int32(k)
				}
			}
		}
		out.Classes = other
		return &out
	}
	out.Targets = nil
	for k, t := range o.Targets {
		out.Targets = append(out.Targets, TargetOutcome{Name: t.Name, True: t.True, Predicted: rows[k]})
	}
	return &out
}
