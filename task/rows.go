package task

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
)

// classRows collects a row per item: its true class if it has one, the predicted class, the
// probability of each class, the set of classes where sets are predicted, and for an ensemble
// the standard deviation, across its members, of the probability of the predicted class.
type classRows struct {
	items             Items
	target            *Target
	label, prediction []int32
	probability       [][]float32
	set               []string
	std               []float32
}

func newClassRows(s *Settings, items Items) *classRows {
	return &classRows{items: items, target: &s.Target, probability: make([][]float32, s.Model.Out)}
}

func (r *classRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	prob := outputOf(r.items, out).Softmax()
	d := prob.Dim(1)
	class := classesOf(r.items, b)
	predicted := make([]int32, len(rows))
	for n, i := range rows {
		row := prob.Data()[int(i)*d:][:d]
		label := int32(graph.NoLabel)
		if class != nil {
			label = class[i]
		}
		predicted[n] = r.target.Decide(row)
		r.label = append(r.label, label)
		for k := range r.probability {
			r.probability[k] = append(r.probability[k], row[k])
		}
		if c := r.target.Conformal; c != nil {
			r.set = append(r.set, r.target.setText(c.Set(row)))
		}
	}
	r.prediction = append(r.prediction, predicted...)
	if out.Members == nil {
		return
	}
	members := make([][]float32, len(out.Members))
	for m, one := range out.Members {
		members[m] = outputOf(r.items, one).Softmax().Data()
	}
	for n, i := range rows {
		var of []float32
		for _, prob := range members {
			row := prob[int(i)*d:][:d]
			calibrate(r.target, row)
			of = append(of, row[predicted[n]])
		}
		r.std = append(r.std, Std(of))
	}
}

func (r *classRows) Columns() []report.Column {
	out := []report.Column{r.named("label", r.label), r.named("prediction", r.prediction)}
	for k, p := range r.probability {
		out = append(out, report.Floats("probability_"+className(r.target.Classes, int32(k)), p))
	}
	if r.target.Conformal != nil {
		out = append(out, report.Strings("set", r.set))
	}
	if r.std != nil {
		out = append(out, report.Floats("std", r.std))
	}
	return out
}

// named is a column of classes by their names.
func (r *classRows) named(column string, class []int32) report.Column {
	names := make([]string, len(class))
	for i, c := range class {
		names[i] = className(r.target.Classes, c)
	}
	return report.Strings(column, names)
}

// Std is the standard deviation of what the members of an ensemble predict: that of these
// numbers and no estimate of a larger population's.
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

// numberRows collects a row per item: for each target the true value, NaN where it is
// missing, the prediction, the ends of its interval where intervals are predicted, and for
// an ensemble the standard deviation of the predictions of its members.
type numberRows struct {
	items              Items
	names              []string // nil for edges, which have one label
	units              units
	conformal          *Conformal
	target, prediction [][]float32
	std                [][]float32
}

func newNumberRows(s *Settings, items Items) *numberRows {
	n := s.Model.Out
	return &numberRows{items: items, names: s.Target.Names, units: s.Target.Units, conformal: s.Target.Conformal, target: make([][]float32, n), prediction: make([][]float32, n)}
}

func (r *numberRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	restored := func(o *model.Output) *tensor.Tensor {
		x := outputOf(r.items, o).Clone()
		r.units.restore(x.Data())
		return x
	}
	appendColumns(r.prediction, restored(out), rows)
	appendColumns(r.target, targetsOf(r.items, b, len(r.target)), rows)
	r.std = appendStd(r.std, out, rows, len(r.target), restored)
}

// appendColumns adds some rows of x to columns; NaN where x is nil.
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

// appendStd adds to n columns the standard deviations, across the members of an ensemble, of
// some rows of what each member predicts; of other models it adds nothing.
func appendStd(columns [][]float32, out *model.Output, rows []int32, n int, prediction func(*model.Output) *tensor.Tensor) [][]float32 {
	if out.Members == nil {
		return columns
	}
	if columns == nil {
		columns = make([][]float32, n)
	}
	members := make([][]float32, len(out.Members))
	for m, one := range out.Members {
		members[m] = prediction(one).Data()
	}
	of := make([]float32, len(members))
	for _, i := range rows {
		for k := range columns {
			for m, x := range members {
				of[m] = x[int(i)*n+k]
			}
			columns[k] = append(columns[k], Std(of))
		}
	}
	return columns
}

func (r *numberRows) Columns() []report.Column {
	var out []report.Column
	for k := range r.target {
		label, name := "label", func(of string) string { return of }
		if r.names != nil {
			label, name = "target_"+r.names[k], func(of string) string { return of + "_" + r.names[k] }
		}
		out = append(out, report.Floats(label, r.target[k]), report.Floats(name("prediction"), r.prediction[k]))
		if r.conformal != nil {
			lower, upper := make([]float32, len(r.prediction[k])), make([]float32, len(r.prediction[k]))
			for i, v := range r.prediction[k] {
				lower[i], upper[i] = r.conformal.Interval(v, k)
			}
			out = append(out, report.Floats(name("lower"), lower), report.Floats(name("upper"), upper))
		}
		if r.std != nil {
			out = append(out, report.Floats(name("std"), r.std[k]))
		}
	}
	return out
}
