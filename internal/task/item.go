package task

import (
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// Item is the prediction for one graph, node or edge: the meaning of a row of outputs.
type Item struct {
	// Class is the predicted class; empty where numbers or several labels are predicted.
	Class string `json:"class,omitempty"`
	// Probabilities are those of the classes, in their order, or of the labels, in the order of
	// their names.
	Probabilities []float64 `json:"probabilities,omitempty"`
	// Values are numbers in the unit of the data, in the order of their names.
	Values []float64 `json:"values,omitempty"`
	// Set holds the classes, or Lower and Upper the ends of an interval for each of Values,
	// that cover the true one as often as the run was trained for (--coverage); nil where it
	// was not.
	Set   []string  `json:"set,omitzero"`
	Lower []float64 `json:"lower,omitempty"`
	Upper []float64 `json:"upper,omitempty"`
	// Std is, for an ensemble, the standard deviation across its members: of the probability
	// of Class, else of each of Values or of the probabilities of labels.
	Std []float64 `json:"std,omitempty"`

	class int32 // the number of Class
}

// meaning is what the numbers of a row of outputs are.
type meaning int

const (
	ofClasses  meaning = iota // logits of classes, of which one is right
	ofLabels                  // a logit of each label, which is 0 or 1
	ofNumbers                 // standardised numbers
	ofFeatures                // numbers as they are
)

// Outputs are what a model gives for items of a level, a row each, ready to be read as Items.
type Outputs struct {
	target  *settings.Target
	meaning meaning
	offset  int // of the names of classes that are codes of features
	coded   bool
	width   int
	rows    []float32   // probabilities before calibration, or numbers
	bounds  []float32   // two quantiles of the number of each row; nil without
	members [][]float32 // the same of each member of an ensemble
	of      []float32   // what the members say of one number
}

// NewOutputs reads the output of a model for items of a level.
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

// boundsOf are the quantiles that a model estimates of the number of each item, in the unit of the data; nil without.
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

// values are what rows of outputs predict: numbers in the unit of the data, probabilities of labels,
// or those of classes before they are calibrated.
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

// Read is the prediction of a row, which is read once. The lists of the item are used again.
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

// readClass decides for the class of a row of probabilities.
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
