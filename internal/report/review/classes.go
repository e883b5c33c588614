package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/metric"
)

// mostConfused is the number of classes above which there is no confusion matrix.
const mostConfused = 20

// reliabilityBins is the number of bins of the reliability diagram.
const reliabilityBins = 10

// fewestReliable is the number of items below which a bin says nothing.
const fewestReliable = 5

// classes are the confusion matrix, the curves of two classes, and how reliable probabilities
// are.
func (r *Review) classes() ([]report.Part, error) {
	rows := r.rows()
	if len(rows) == 0 || r.outcome.Classes == nil {
		return nil, nil
	}
	c := r.outcome.Classes
	out := []report.Part{report.Heading{Title: "Classes"}}
	if len(c.Names) <= mostConfused {
		m, err := metric.NewConfusion(picked(c.Predicted, rows), picked(c.True, rows), len(c.Names))
		if err != nil {
			return nil, err
		}
		out = append(out, confusionTable(m, c.Names))
	}
	var f draw.Figure
	if len(c.Names) == 2 {
		k := positive(r.settings.Target.Binary)
		f.Panels = append(f.Panels, rankingCurves(picked(c.Probability[k], rows), isClass(c.True, rows, k), c.Names[k])...)
	}
	f.Panels = append(f.Panels, r.reliability(rows))
	f.Columns, f.Width, f.Height = len(f.Panels), panelHeight, panelHeight
	caption := "How often the predicted class is right, by its probability"
	if len(f.Panels) > 1 {
		caption = "ROC, precision by recall, and how often the predicted class is right, by its probability; dashed: by chance, and when probabilities are right"
	}
	picture, err := report.Drawn("", caption, f)
	return append(out, picture), err
}

// confusionTable has a row for each true class: how many items were predicted to be which, and
// the share that is right.
func confusionTable(m *metric.Confusion, names []string) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "true class", Left: true}}}
	for _, name := range names {
		l.Columns = append(l.Columns, report.ListingColumn{Name: "as " + shortened(name, 24)})
	}
	l.Columns = append(l.Columns, report.ListingColumn{Name: "items"}, report.ListingColumn{Name: "right"})
	for k, name := range names {
		row := []string{shortened(name, 40)}
		for j := range names {
			row = append(row, fmt.Sprint(m.Count[k*m.Classes+j]))
		}
		n := m.Labelled(k)
		right := report.None
		if n > 0 {
			right = percent(m.Right(k), n)
		}
		l.Rows = append(l.Rows, append(row, fmt.Sprint(n), right))
	}
	return l
}

func percent(k, n int) string { return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(n)) }

// rankingCurves are ROC and precision by recall of a score for one of two classes; none where
// an item of either class is missing.
func rankingCurves(score, target []float32, name string) []draw.Panel {
	order := make([]int, len(score))
	positives := 0.0
	for i := range order {
		order[i] = i
		positives += float64(target[i])
	}
	negatives := float64(len(score)) - positives
	if positives == 0 || negatives == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	roc := draw.Curve{X: []float64{0}, Y: []float64{0}}
	pr := draw.Curve{}
	found, wrong := 0.0, 0.0
	for i, k := range order {
		if target[k] == 1 {
			found++
		} else {
			wrong++
		}
		if i+1 < len(order) && score[order[i+1]] == score[k] {
			continue // of equal scores none comes first
		}
		roc.X, roc.Y = append(roc.X, wrong/negatives), append(roc.Y, found/positives)
		pr.X, pr.Y = append(pr.X, found/positives), append(pr.Y, found/(found+wrong))
	}
	base := positives / (positives + negatives)
	name = shortened(name, 24)
	return []draw.Panel{
		draw.Curves{Title: "ROC", X: "false positives", Y: "recall of " + name, Bare: true, Legend: draw.NoLegend,
			Curves: []draw.Curve{thinned(roc), {Faint: true, X: []float64{0, 1}, Y: []float64{0, 1}}}},
		draw.Curves{Title: "Precision by recall", X: "recall of " + name, Y: "precision", Bare: true, Legend: draw.NoLegend,
			Curves: []draw.Curve{thinned(pr), {Faint: true, X: []float64{0, 1}, Y: []float64{base, base}}}},
	}
}

// reliability shows, of items by the probability of their most probable class, how often that
// class is right.
func (r *Review) reliability(rows []int32) draw.Panel {
	c := r.outcome.Classes
	var n, right, sum [reliabilityBins]float64
	for _, i := range rows {
		best := 0
		for k, p := range c.Probability {
			if p[i] > c.Probability[best][i] {
				best = k
			}
		}
		p := float64(c.Probability[best][i])
		b := min(int(p*reliabilityBins), reliabilityBins-1)
		n[b]++
		sum[b] += p
		if int(c.True[i]) == best {
			right[b]++
		}
	}
	var line draw.Curve
	for b := range n {
		if n[b] >= fewestReliable {
			line.X, line.Y = append(line.X, sum[b]/n[b]), append(line.Y, right[b]/n[b])
		}
	}
	return draw.Curves{Title: "Reliability", X: "probability", Y: "share right", Legend: draw.NoLegend,
		Curves: []draw.Curve{line, {Faint: true, X: []float64{0, 1}, Y: []float64{0, 1}}}}
}
