package task

import (
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// classRows collects a row for each item: the true class, if known, the predicted class, the
// probability of each class, the set of classes if sets are predicted, and for an ensemble the
// standard deviation of the members' probabilities of the predicted class.
type classRows struct {
	items             settings.Level
	settings          *settings.Settings
	label, prediction []int32
	probability       [][]float32
	set               []string
	std               []float32
}

func newClassRows(s *settings.Settings, items settings.Level) *classRows {
	return &classRows{items: items, settings: s, probability: make([][]float32, s.Model.Out)}
}

func (r *classRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	outputs, class := NewOutputs(r.settings, r.items, out), classesOf(r.items, b)
	var x Item
	for _, i := range rows {
		outputs.Read(int(i), &x)
		label := int32(graph.NoLabel)
		if class != nil {
			label = class[i]
		}
		r.label, r.prediction = append(r.label, label), append(r.prediction, x.class)
		addColumns(r.probability, x.Probabilities)
		if x.Set != nil {
			r.set = append(r.set, strings.Join(x.Set, "|"))
		}
		for _, v := range x.Std {
			r.std = append(r.std, float32(v))
		}
	}
}

func (r *classRows) Columns() []report.Column {
	// A label may be missing.
	out := []report.Column{report.Optional("label", r.names(r.label)), report.Strings("prediction", r.names(r.prediction))}
	for k, p := range r.probability {
		out = append(out, report.Floats("probability_"+settings.ClassName(r.settings.Target.Classes, int32(k)), p))
	}
	if r.set != nil {
		out = append(out, report.Strings("set", r.set))
	}
	if r.std != nil {
		out = append(out, report.Floats("std", r.std))
	}
	return out
}

// names returns the names of classes.
func (r *classRows) names(class []int32) []string {
	return lists.Map(class, func(c int32) string { return settings.ClassName(r.settings.Target.Classes, c) })
}

// Std is the standard deviation of the predictions of an ensemble's members. It divides by n: it is
// not an estimate for a larger population.
func Std(values []float32) float32 {
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += float64(v) / float64(len(values))
	}
	for _, v := range values {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	return float32(math.Sqrt(squares / float64(len(values))))
}

// numberRows collects a row for each item: for each target the true value (NaN if missing), the
// prediction, the ends of its interval if intervals are predicted, and for an ensemble the standard
// deviation of the members' predictions.
type numberRows struct {
	items                                 settings.Level
	settings                              *settings.Settings
	names                                 []string // nil for the only label of edges
	target, prediction, lower, upper, std [][]float32
}

// NewNumberRows collects predictions of numbers of items of a level.
func NewNumberRows(s *settings.Settings, items settings.Level) *numberRows {
	n := s.Model.Out
	return &numberRows{items, s, s.Target.Names, make([][]float32, n), make([][]float32, n), make([][]float32, n), make([][]float32, n), make([][]float32, n)}
}

func (r *numberRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	outputs := NewOutputs(r.settings, r.items, out)
	var x Item
	for _, i := range rows {
		outputs.Read(int(i), &x)
		addColumns(r.prediction, x.Values)
		addColumns(r.lower, x.Lower)
		addColumns(r.upper, x.Upper)
		addColumns(r.std, x.Std)
	}
	appendColumns(r.target, targetsOf(r.items, b, len(r.target)), rows)
}

// addColumns appends the numbers of an item to columns, in order; none if the item has none.
func addColumns(columns [][]float32, values []float64) {
	for k, v := range values {
		columns[k] = append(columns[k], float32(v))
	}
}

// appendColumns appends some rows of x to columns; NaN if x is nil.
func appendColumns(columns [][]float32, x *tensor.Tensor, rows []int32) {
	for _, i := range rows {
		for k := range columns {
			v := float32(math.NaN())
			if x != nil {
				v = x.Data()[int(i)*len(columns)+k]
			}
			columns[k] = append(columns[k], v)
		}
	}
}

func (r *numberRows) Columns() []report.Column {
	var out []report.Column
	for k := range r.target {
		label, name := "label", func(of string) string { return of }
		if r.names != nil {
			label, name = "target_"+r.names[k], func(of string) string { return of + "_" + r.names[k] }
		}
		out = append(out, report.Floats(label, r.target[k]), report.Floats(name("prediction"), r.prediction[k]))
		if r.settings.Target.Conformal != nil {
			out = append(out, report.Floats(name("lower"), r.lower[k]), report.Floats(name("upper"), r.upper[k]))
		}
		if r.std[k] != nil {
			out = append(out, report.Floats(name("std"), r.std[k]))
		}
	}
	return out
}
