package task

import (
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Outcome has the predictions for the items of a part and the true values, for a review of the run.
// Either Classes or Targets is set; tasks that reconstruct features have neither.
type Outcome struct {
	Level settings.Level
	Names []report.Column // columns that name the item of each row, as in predictions
	At    []source.Place  // place of each item in the part
	// Unit numbers the groups of rows that the split keeps together, for example edges of a group. It
	// is nil if the split keeps only the items of a graph together.
	Unit []int32
	// Classes is set if one class for each item is predicted.
	Classes *ClassOutcome
	// Targets has the predicted numbers, or the probabilities of binary labels.
	Targets []TargetOutcome
	Labels  bool // Targets are labels
}

// ClassOutcome has a row for each item.
type ClassOutcome struct {
	Names           []string
	True, Predicted []int32     // graph.NoLabel if it is not known
	Probability     [][]float32 // by class
}

// TargetOutcome has a row for each item.
type TargetOutcome struct {
	Name            string    // empty for the only label of edges
	True, Predicted []float32 // NaN if it is not known
}

// Outcomer is a Predictor that also returns the true values.
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

// With returns the outcome of other predictions for the same items, given a row for each class
// (probabilities) or target (numbers). The predicted class is the most probable one.
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
