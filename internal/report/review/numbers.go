package review

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/metric"
)

// mostScattered bounds the points of a scatter plot; every n-th stands for more.
const mostScattered = 1500

// mostDrawnTargets is how many numbers are drawn.
const mostDrawnTargets = 2

// numbers are the errors of each number, or the scores of each label.
func (r *Review) numbers() ([]report.Part, error) {
	rows := r.rows()
	if len(rows) == 0 || r.outcome.Targets == nil {
		return nil, nil
	}
	if r.outcome.Labels {
		return []report.Part{report.Heading{Title: "Labels"}, labelTable(r.outcome.Targets)}, nil
	}
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "number", Left: true}, {Name: "items"}, {Name: "mean absolute error"}, {Name: "mean error"},
		{Name: "5 %"}, {Name: "25 %"}, {Name: "median"}, {Name: "75 %"}, {Name: "95 %"}}}
	f := draw.Figure{Width: panelWidth, Height: panelHeight}
	for k, t := range r.outcome.Targets {
		var errs []float64
		var points, residuals [][2]float64
		low, high, sum, size := math.Inf(1), math.Inf(-1), 0.0, 0.0
		for i := range t.True {
			truth, p := float64(t.True[i]), float64(t.Predicted[i])
			if math.IsNaN(truth) {
				continue
			}
			errs = append(errs, p-truth)
			sum, size = sum+p-truth, size+math.Abs(p-truth)
			low, high = min(low, truth, p), max(high, truth, p)
			points, residuals = append(points, [2]float64{truth, p}), append(residuals, [2]float64{p, p - truth})
		}
		if len(errs) == 0 {
			continue
		}
		slices.Sort(errs)
		n := float64(len(errs))
		row := []string{nameOf(t), fmt.Sprint(len(errs)), number(size / n), number(sum / n)}
		for _, q := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			row = append(row, number(quantile(errs, q)))
		}
		l.Rows = append(l.Rows, row)
		if k < mostDrawnTargets {
			f.Panels = append(f.Panels,
				draw.Scatter{Title: nameOf(t), X: "true", Y: "predicted", Points: some(points), Line: [2][2]float64{{low, low}, {high, high}}},
				draw.Scatter{Title: nameOf(t), X: "predicted", Y: "error", Points: some(residuals), Line: [2][2]float64{{low, 0}, {high, 0}}})
		}
	}
	out := []report.Part{report.Heading{Title: "Errors", Lines: []string{"Predicted minus true, in the unit of the data; the last five columns are quantiles of the error."}}, l}
	if f.Panels == nil {
		return out, nil
	}
	f.Columns = min(len(f.Panels), 2)
	picture, err := report.Drawn("", "Predicted against true numbers, and the error by what is predicted", f)
	return append(out, picture), err
}

func nameOf(t task.TargetOutcome) string {
	if t.Name == "" {
		return "label"
	}
	return shortened(t.Name, 40)
}

// some are at most mostScattered of the points, spread evenly.
func some(points [][2]float64) [][2]float64 {
	if len(points) <= mostScattered {
		return points
	}
	out := make([][2]float64, mostScattered)
	for i := range out {
		out[i] = points[i*len(points)/mostScattered]
	}
	return out
}

// labelTable has the scores of each of several labels.
func labelTable(targets []task.TargetOutcome) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "label", Left: true}, {Name: "items"}, {Name: "share of 1"}, {Name: "ROC-AUC"}, {Name: "average precision"}}}
	for _, t := range targets {
		var score, target []float32
		ones := 0
		for i, v := range t.True {
			if v == v {
				score, target = append(score, t.Predicted[i]), append(target, v)
				ones += int(v)
			}
		}
		share := report.None
		if len(target) > 0 {
			share = percent(ones, len(target))
		}
		auc, _ := defined(metric.ROCAUC(score, target))
		ap, _ := defined(metric.AveragePrecision(score, target))
		l.Rows = append(l.Rows, []string{nameOf(t), fmt.Sprint(len(target)), share, number(auc), number(ap)})
	}
	return l
}
