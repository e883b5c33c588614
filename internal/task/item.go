package task

import (
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// Item is the prediction for one graph, node or edge, made from a row of outputs.
type Item struct {
	// Class is the predicted class; empty if numbers or several labels are predicted.
	Class string `json:"class,omitempty"`
	// Probabilities has the probability of each class, or of each label in the order of their names.
	Probabilities []float64 `json:"probabilities,omitempty"`
	// Values are numbers in the unit of the data, in the order of their names.
	Values []float64 `json:"values,omitempty"`
	// Set (of classes), or Lower and Upper (the ends of an interval for each of Values), cover the
	// true class or number with the probability --coverage. They are nil if the run has no coverage.
	Set   []string  `json:"set,omitzero"`
	Lower []float64 `json:"lower,omitempty"`
	Upper []float64 `json:"upper,omitempty"`
	// Std is the standard deviation across the members of an ensemble: of the probability of Class, or
	// of each of Values, or of each label's probability.
	Std []float64 `json:"std,omitempty"`

	class int32 // number of Class
}

// meaning is the kind of numbers in a row of outputs.
type meaning int

const (
	ofClasses  meaning = iota // logits of classes that exclude each other
	ofLabels                  // logit of each binary label
	ofNumbers                 // standardised numbers
	ofFeatures                // numbers that are not standardised
)

// Outputs are the outputs of a model for items of a level, one row for each, to be read as Items.
type Outputs struct {
	target  *settings.Target
	meaning meaning
	offset  int // offset of class names that are feature codes
	coded   bool
	width   int
	rows    []float32   // probabilities before calibration, or numbers
	bounds  []float32   // two quantiles of the number of each row, or nil
	members [][]float32 // rows of each member of an ensemble
	of      []float32   // the members' values of one number
}

// NewOutputs makes Outputs from the output of a model for items of a level.
func NewOutputs(s *settings.Settings, level settings.Level, o *model.Output) *Outputs {
	y := OutputOf(level, o)
	x := &Outputs{target: &s.Target, width: y.Dim(1)}
	switch {
	case s.Kind.Reconstructs:
		f := featuresOf(s, level)
		if x.offset, x.coded = s.Data.Graphs.NodeOffset, f.coded; level == settings.Edges {
			x.offset = s.Data.Graphs.EdgeOffset
		}
		if !f.coded {
			x.meaning = ofFeatures
		}
	case s.Kind.Number:
		x.meaning = ofNumbers
	case s.Target.Names != nil:
		x.meaning = ofLabels
	}
	x.rows = x.values(y)
	x.bounds = boundsOf(s, level, o)
	for _, one := range o.Members {
		x.members = append(x.members, x.values(OutputOf(level, one)))
	}
	x.of = make([]float32, len(x.members))
	return x
}

// boundsOf returns the quantiles that a model estimates for the number of each item, in the unit of the data, or nil.
func boundsOf(s *settings.Settings, level settings.Level, o *model.Output) []float32 {
	if level != settings.Edges || o.EdgeBounds == nil {
		return nil
	}
	out := o.EdgeBounds.Clone().Data()
	units(s.Target.Units[:1]).Restore(out)
	return out
}

// Len is the number of rows.
func (x *Outputs) Len() int { return len(x.rows) / x.width }

// values converts rows of outputs to predictions: numbers in the unit of the data, probabilities of
// labels, or probabilities of classes before calibration.
func (x *Outputs) values(y *tensor.Tensor) []float32 {
	switch x.meaning {
	case ofClasses:
		return y.Softmax().Data()
	case ofFeatures:
		return y.Data()
	}
	out := y.Clone().Data()
	if x.meaning == ofNumbers {
		units(x.target.Units).Restore(out)
		return out
	}
	for i, v := range out {
		out[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
	return out
}

// Read returns the prediction of a row. A row may be read only once, and the next call reuses the lists of the item.
func (x *Outputs) Read(row int, to *Item) {
	*to = Item{Probabilities: to.Probabilities[:0], Values: to.Values[:0], Lower: to.Lower[:0], Upper: to.Upper[:0], Std: to.Std[:0], class: -1}
	at := row * x.width
	values := x.rows[at:][:x.width]
	list := &to.Values
	switch x.meaning {
	case ofClasses:
		x.readClass(at, values, to)
		return
	case ofLabels:
		list = &to.Probabilities
	}
	for k, v := range values {
		*list = append(*list, float64(v))
		if c := x.target.Conformal; c != nil && x.meaning == ofNumbers {
			var bounds []float32
			if x.bounds != nil {
				bounds = x.bounds[2*row:][:2]
			}
			lower, upper := c.Interval(v, bounds, k)
			to.Lower, to.Upper = append(to.Lower, float64(lower)), append(to.Upper, float64(upper))
		}
		if len(x.members) > 0 {
			to.Std = append(to.Std, x.spread(at+k))
		}
	}
}

// readClass sets the predicted class from a row of probabilities.
func (x *Outputs) readClass(at int, probability []float32, to *Item) {
	to.class = x.target.Decide(probability)
	to.Class = x.className(to.class)
	for _, p := range probability {
		to.Probabilities = append(to.Probabilities, float64(p))
	}
	if c := x.target.Conformal; c != nil {
		to.Set = []string{}
		for _, k := range c.Set(probability) {
			to.Set = append(to.Set, x.className(k))
		}
	}
	if len(x.members) > 0 {
		for _, of := range x.members {
			settings.Calibrate(x.target, of[at:][:x.width])
		}
		to.Std = append(to.Std, x.spread(at+int(to.class)))
	}
}

// className is the name of a class: its name in the data, or the code of a feature.
func (x *Outputs) className(k int32) string {
	if x.coded {
		return strconv.Itoa(int(k) + x.offset)
	}
	return settings.ClassName(x.target.Classes, k)
}

// spread is the standard deviation of a number across the members.
func (x *Outputs) spread(at int) float64 {
	for m, of := range x.members {
		x.of[m] = of[at]
	}
	return float64(Std(x.of))
}
