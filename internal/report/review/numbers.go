package review

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/task"
)

// mostDrawnTargets is how many numbers are drawn.
const mostDrawnTargets = 6

// errorBins is the approximate number of bins of a histogram.
const errorBins = 40

// numbersSection has, for each target, predicted against true numbers, and histograms of errors and values.
func (r *Review) numbersSection() ([]report.Part, error) {
	rows := r.rows()
	if len(rows) == 0 || r.outcome.Targets == nil || r.outcome.Labels {
		return nil, nil
	}
	parts := []report.Part{report.Heading{Name: "Predicted and true", Title: "Predicted and true"}}
	for _, t := range r.outcome.Targets[:min(len(r.outcome.Targets), mostDrawnTargets)] {
		of := t
		if of.Name == "" {
			of.Name = r.labelName()
		}
		known := knownOf(t, rows)
		if len(known) < 2 {
			continue
		}
		p := &pairs{items: levels[r.outcome.Level], colour: report.ColourOf(0)}
		p.name, p.unit = splitUnit(of.Name)
		for _, i := range known {
			p.truth, p.predicted = append(p.truth, float64(t.True[i])), append(p.predicted, float64(t.Predicted[i]))
		}
		parts = append(parts, report.Cards{Three: true, Parts: []report.Part{p.scatter(), p.errors(), p.values()}})
	}
	return parts, nil
}

// pairs returns true and predicted numbers of a target.
type pairs struct {
	name, unit, items, colour string
	truth, predicted          []float64
}

func (p *pairs) labelled(what string) string {
	if p.unit == "" {
		return what
	}
	return what + " [" + p.unit + "]"
}

// scatter shows predicted against true, with the same ticks on both axes.
func (p *pairs) scatter() *report.Chart {
	low, high := min(slices.Min(p.truth), slices.Min(p.predicted)), max(slices.Max(p.truth), slices.Max(p.predicted))
	x := report.AxisFor("", low, high, false)
	y := x
	suffix := ""
	if x.Log {
		suffix = ", log"
	}
	x.Name, y.Name = p.labelled("true "+p.name)+suffix, p.labelled("predicted "+p.name)+suffix
	caption := fmt.Sprintf("%s %s; dashed: exact. The slope of predicted by true is %s; below 1, large values are predicted too small.", report.Count(len(p.truth)), p.items, report.Fixed(slope(p.truth, p.predicted), 2))
	if len(p.truth) > 2000 {
		caption = fmt.Sprintf("2,000 of %s %s, drawn at random; dashed: exact. The slope of predicted by true is %s; below 1, large values are predicted too small.", report.Count(len(p.truth)), p.items, report.Fixed(slope(p.truth, p.predicted), 2))
	}
	return &report.Chart{Title: "Predicted against true " + p.name, X: x, Y: y, Diagonal: true, Square: true, Caption: caption,
		Series: []report.Series{{Name: "predicted " + p.name, Kind: report.Dots, Colour: p.colour, X: p.truth, Y: p.predicted}}}
}

// slope is the slope of the least-squares line of y by x; NaN if x is constant.
func slope(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	sxy, sxx := 0.0, 0.0
	for i := range x {
		sxy += (x[i] - mx) * (y[i] - my)
		sxx += (x[i] - mx) * (x[i] - mx)
	}
	return sxy / sxx
}

func mean(v []float64) float64 { return lists.Sum(v) / float64(len(v)) }

// errors is a histogram of predicted minus true. The outer bins contain everything beyond.
func (p *pairs) errors() *report.Chart {
	e := make([]float64, len(p.truth))
	for i := range e {
		e[i] = p.predicted[i] - p.truth[i]
	}
	sorted := slices.Sorted(slices.Values(e))
	bound := max(-quantile(sorted, 0.02), quantile(sorted, 0.98), 0)
	if bound == 0 {
		bound = max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1]), 1e-9)
	}
	axis := report.LinearAxis(p.labelled("predicted minus true"), -bound, bound)
	c := histogram(axis, []report.Series{{Name: p.items, Colour: p.colour}}, [][]float64{e}, p.items)
	c.Title = "Errors"
	c.Caption = fmt.Sprintf("Predicted minus true %s. The outer bars hold all that is beyond. The median is %s.", p.name, report.Significant(quantile(sorted, 0.5)))
	return c
}

// values is a histogram of true and predicted values.
func (p *pairs) values() *report.Chart {
	all := slices.Sorted(slices.Values(slices.Concat(p.truth, p.predicted)))
	axis := report.LinearAxis(p.labelled(p.name), quantile(all, 0.005), quantile(all, 0.995))
	c := histogram(axis, []report.Series{{Name: "true", Colour: "c5"}, {Name: "predicted", Colour: p.colour}}, [][]float64{p.truth, p.predicted}, p.items)
	c.Title = "Values"
	c.Caption = fmt.Sprintf("True and predicted %s by size. The outer bars hold all that is beyond.", p.name)
	return c
}

// histogram shows the bars of several series side by side.
func histogram(axis report.Axis, series []report.Series, values [][]float64, items string) *report.Chart {
	perTick := max(1, errorBins/len(series)/(len(axis.Ticks)-1))
	bins := perTick * (len(axis.Ticks) - 1)
	width := (axis.High - axis.Low) / float64(bins)
	most := 1.0
	for k := range series {
		s := &series[k]
		s.Kind = report.Bars
		n := make([]float64, bins)
		for _, v := range values[k] {
			b := min(max(int(math.Floor((v-axis.Low)/width)), 0), bins-1)
			n[b]++
			most = max(most, n[b])
		}
		share := width / float64(len(series))
		for b, v := range n {
			from := axis.Low + float64(b)*width
			s.X, s.X2, s.Y = append(s.X, from+share*float64(k)), append(s.X2, from+share*float64(k+1)), append(s.Y, v)
			s.Texts = append(s.Texts, report.Count(int(v)))
		}
	}
	y := report.LinearAxis(items, 0, most)
	y.Ticks = slices.DeleteFunc(y.Ticks, func(v float64) bool { return v != math.Trunc(v) }) // there are no fractions of an item
	return &report.Chart{X: axis, Y: y, Series: series}
}

// labelTable has the scores of each of several labels.
func labelTable(targets []task.TargetOutcome) *report.DataTable {
	t := &report.DataTable{Label: "Labels", Columns: []report.DataColumn{{Name: "label", Left: true}, {Name: "items", Sort: true}, {Name: "share of 1", Sort: true, Class: "p2"}, {Name: "ROC-AUC", Sort: true}, {Name: "average precision", Sort: true}}}
	for _, of := range targets {
		var rows []int32
		ones := 0
		for i, v := range of.True {
			if v == v {
				rows = append(rows, int32(i))
				ones += int(v)
			}
		}
		ap, auc := newRanking(of.Predicted, func(i int32) bool { return of.True[i] == 1 }, rows).scores(nil)
		share := float64(ones) / float64(len(rows))
		t.Rows = append(t.Rows, report.DataRow{Faint: len(rows) < fewItems, Cells: []report.DataCell{report.TextCell(shortened(of.Name, 40)), report.NumberCell(report.Count(len(rows)), float64(len(rows))),
			report.NumberCell(report.Percent(share), share), report.NumberCell(report.Score(auc), auc), report.NumberCell(report.Score(ap), ap)}})
	}
	return t
}

// labelsSection has the scores of each of several labels.
func (r *Review) labelsSection() ([]report.Part, error) {
	if len(r.rows()) == 0 || !r.outcome.Labels {
		return nil, nil
	}
	return []report.Part{report.Heading{Name: "Labels", Title: "Labels"}, labelTable(r.outcome.Targets)}, nil
}
