package review

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// Limits of the curves of two classes.
const (
	mostThresholds  = 100
	leastThreshold  = 1e-4
	mostPoints      = 150 // of a curve
	mostCurves      = 4   // models with a curve
	reliabilityBins = 10
	fewestReliable  = 5 // items below which a bin is not informative
	scoreBins       = 20
)

// binaryOutcome is the outcome for the positive class.
type binaryOutcome struct {
	score []float32
	class []int32
	k     int
	rows  []int32
	name  string
	other string
}

// binary returns the outcome of the run; false if it has no positive class.
func (r *Review) binary() (binaryOutcome, bool) { return r.interest(r.outcome) }

// interest returns the positive class of an outcome: one of two classes, or the only predicted label, which items have
// or do not have. It returns false if there is none, or if all items or no items are positive.
func (r *Review) interest(o *task.Outcome) (b binaryOutcome, ok bool) {
	b.rows = knownRows(o)
	switch {
	case len(b.rows) == 0:
		return b, false
	case o.Classes != nil && len(o.Classes.Names) == 2:
		c, k := o.Classes, positive(r.settings.Target.Binary)
		b.score, b.class, b.k, b.name, b.other = c.Probability[k], c.True, k, className(c.Names[k], 24), className(c.Names[1-k], 24)
	case o.Labels && len(o.Targets) == 1:
		t := o.Targets[0]
		b.score, b.k, b.name, b.other = t.Predicted, 1, className(t.Name, 24), "others"
		b.class = lists.Map(t.True, func(v float32) int32 { return int32(math.Round(float64(v))) })
	default:
		return b, false
	}
	n := count(b.class, b.rows, b.k)
	return b, n > 0 && n < len(b.rows)
}

// counts returns how many items of the class, and how many others, have at least the score of each threshold;
// thresholds are in ascending order.
func (b binaryOutcome) counts(thresholds []float64) (hits, alarms []int) {
	hits, alarms = make([]int, len(thresholds)), make([]int, len(thresholds))
	for _, i := range b.rows {
		score := float64(b.score[i])
		last := sort.Search(len(thresholds), func(k int) bool { return !(thresholds[k] <= score) }) - 1
		if last < 0 {
			continue
		}
		if int(b.class[i]) == b.k {
			hits[last]++
		} else {
			alarms[last]++
		}
	}
	for k := len(thresholds) - 2; k >= 0; k-- {
		hits[k] += hits[k+1]
		alarms[k] += alarms[k+1]
	}
	return hits, alarms
}

// thresholds returns rounded quantiles of the scores, closer together for high scores, and the threshold of the run.
func (b binaryOutcome) thresholds(own float64) []float64 {
	scores := lists.Map(b.rows, func(i int32) float64 { return float64(b.score[i]) })
	slices.SortFunc(scores, func(x, y float64) int { return cmp.Compare(y, x) })
	out := []float64{own}
	for k := range mostThresholds {
		at := math.Pow(float64(len(scores)), float64(k)/(mostThresholds-1)) - 1
		out = append(out, scores[min(int(at), len(scores)-1)])
	}
	for v := 0.05; v < 0.99; v += 0.05 {
		out = append(out, v)
	}
	for i, v := range out {
		if v != own {
			out[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(v float64) bool { return v < leastThreshold && v != own })
}

// chooseThreshold makes the slider of the positive class, with the counts of both sets.
func (r *Review) chooseThreshold(ctx context.Context) error {
	b, ok := r.binary()
	if !ok {
		return nil
	}
	own := 0.5
	rule := "One half: nothing was chosen on validation."
	if set := r.settings.Target.Binary; set != nil {
		own, rule = set.Threshold, "Chosen on the validation set after training; the counts are of the test set."
	}
	thresholds := b.thresholds(own)
	if len(thresholds) < 2 {
		return nil
	}
	t := &report.Threshold{Class: b.name, Other: b.other, Item: levels[r.outcome.Level], Start: own, Rule: rule, Missed: 10, Alarm: 1}
	t.Test = [2]int{count(b.class, b.rows, b.k), 0}
	t.Test[1] = len(b.rows) - t.Test[0]
	hits, alarms := b.counts(thresholds)
	for k, v := range thresholds {
		t.Grid = append(t.Grid, report.ThresholdCounts{At: v, Hits: hits[k], Alarms: alarms[k]})
	}
	if r.session.Parts[source.PartValid] != nil {
		o, err := r.session.Outcome(ctx, source.PartValid)
		if err != nil {
			return err
		}
		valid, _ := r.interest(o)
		t.Valid = [2]int{count(valid.class, valid.rows, b.k), 0}
		t.Valid[1] = len(valid.rows) - t.Valid[0]
		hits, alarms := valid.counts(thresholds)
		for k := range t.Grid {
			t.Grid[k].ValidHits, t.Grid[k].ValidAlarms = hits[k], alarms[k]
		}
	}
	r.threshold = t
	return nil
}

// thresholdSection has the slider and the cost by threshold.
func (r *Review) thresholdSection() ([]report.Part, error) {
	t := r.threshold
	if t == nil {
		return nil, nil
	}
	cost := report.Series{Name: "cost", Colour: "c1", Best: true}
	least := math.Inf(1)
	for _, g := range t.Grid {
		if v := t.Cost(g); v > 0 {
			least = min(least, v)
		}
	}
	if math.IsInf(least, 1) {
		least = 1 // no threshold has a cost
	}
	most := least
	for _, g := range t.Grid {
		v := max(t.Cost(g), least)
		most = max(most, v)
		cost.X, cost.Y = append(cost.X, g.At), append(cost.Y, v)
	}
	chart := &report.Chart{Title: "Cost by threshold", Tall: true, Role: report.RoleCost, X: report.LogAxis("threshold", t.Grid[0].At, 1), Y: report.LogAxis("cost of the test set", least, most), Series: []report.Series{cost},
		Marks: []report.Mark{{X: t.Grid[t.Cheapest()].At, Name: "lowest on validation: " + report.Significant(t.Grid[t.Cheapest()].At)}},
		At:    [2]float64{t.Start, max(t.Cost(t.Grid[t.Index()]), least)}, Caption: fmt.Sprintf("Cost of the %s test %s. The dot is the threshold; change the two costs to move the curve.", report.Count(t.Test[0]+t.Test[1]), t.Item)}
	lede := fmt.Sprintf("An item is an alarm when its probability of %s is at or above the threshold. Costs and counts of the validation set choose; the counts of the test set are shown.", t.Class)
	return []report.Part{report.Heading{Name: "Threshold", Title: "Threshold and cost", Lines: []string{lede}}, report.Cards{Parts: []report.Part{t, chart}}}, nil
}

// curvesSection has the curves of the positive class: precision and recall, ROC, gain, calibration and scores.
func (r *Review) curvesSection() ([]report.Part, error) {
	b, ok := r.binary()
	if !ok {
		return nil, nil
	}
	positives, n := float64(count(b.class, b.rows, b.k)), float64(len(b.rows))
	pr := &report.Chart{Title: "Precision and recall of " + b.name, X: report.ScoreAxis("recall"), Y: report.ScoreAxis("precision"),
		Caption: fmt.Sprintf("Dashed: the share of %s, %s.", b.name, report.Percent(positives/n))}
	roc := &report.Chart{Title: "ROC", X: report.ScoreAxis("false alarms, share of " + b.other), Y: report.ScoreAxis("recall"), Diagonal: true, Caption: "Dashed: a random order."}
	gain := &report.Chart{Title: "Gain", X: report.ScoreAxis("share looked at, highest scores first"), Y: report.ScoreAxis("share of " + b.name + " found"), Diagonal: true, Caption: "Dashed: a random order."}
	for k, x := range r.drawn() {
		of, _ := r.interest(x.outcome)
		rank := newRanking(of.score, func(i int32) bool { return int(of.class[i]) == b.k }, b.rows)
		line := report.Series{Name: x.name, Colour: x.colour, Best: k == 0}
		p, q, g := line, line, line
		q.X, q.Y, g.X, g.Y = []float64{0}, []float64{0}, []float64{0}, []float64{0}
		rank.steps(nil, func(_, hits, alarms int) {
			h, a := float64(hits), float64(alarms)
			p.X, p.Y = append(p.X, h/positives), append(p.Y, h/(h+a))
			q.X, q.Y = append(q.X, a/(n-positives)), append(q.Y, h/positives)
			g.X, g.Y = append(g.X, (h+a)/n), append(g.Y, h/positives)
		})
		pr.Series, roc.Series, gain.Series = append(pr.Series, thinned(p)), append(roc.Series, thinned(q)), append(gain.Series, thinned(g))
	}
	base := positives / n
	pr.Series = append(pr.Series, report.Series{Colour: "c5", Dash: true, Thin: true, X: []float64{0, 1}, Y: []float64{base, base}})
	if t := r.threshold; t != nil {
		g := t.Grid[t.Index()]
		pr.Role, pr.Caption = report.RolePR, "The dot is the threshold above. "+pr.Caption
		pr.At = [2]float64{float64(g.Hits) / positives, float64(g.Hits) / float64(max(g.Hits+g.Alarms, 1))}
	}
	parts := []report.Part{report.Heading{Name: "Curves", Title: "Curves", Lines: []string{fmt.Sprintf("Of the test set, for %s as the class of interest.", b.name)}},
		report.Cards{Three: true, Parts: []report.Part{pr, roc, gain}}, report.Cards{Parts: []report.Part{r.calibration(b), b.histogram(levels[r.outcome.Level])}}}
	return parts, nil
}

// drawn returns the models that have curves: the chosen one, the best of the others, and the linear one.
func (r *Review) drawn() []*contestant {
	out := []*contestant{r.contest.of[0]}
	for _, x := range r.contest.sorted() {
		if !x.chosen && (x.name == "linear" || !x.simple && len(out) < mostCurves) {
			out = append(out, x)
		}
	}
	return out
}

// calibration shows the share of positive items for items of similar score.
func (r *Review) calibration(b binaryOutcome) *report.Chart {
	name := b.name
	return reliability("Calibration of "+name, "mean score of the bin", "share of "+name, b.rows, func(i int32) (float64, bool) { return float64(b.score[i]), int(b.class[i]) == b.k },
		fmt.Sprintf("Share of %s among items of about the same score, with 95 %% intervals; dashed: as many as the score says. Points above the line: scores are too low.", name))
}

// reliability is the observed frequency by predicted probability.
func reliability(title, x, y string, rows []int32, of func(i int32) (p float64, so bool), caption string) *report.Chart {
	var n, hits, sum [reliabilityBins]float64
	for _, i := range rows {
		p, so := of(i)
		bin := min(int(p*reliabilityBins), reliabilityBins-1)
		n[bin]++
		sum[bin] += p
		if so {
			hits[bin]++
		}
	}
	s := report.Series{Name: "95 % interval", Kind: report.Points, Colour: "c1"}
	for k := range n {
		if n[k] < fewestReliable {
			continue
		}
		share := hits[k] / n[k]
		low, high := wilson(share, n[k])
		s.X, s.Y, s.Low, s.High = append(s.X, sum[k]/n[k]), append(s.Y, share), append(s.Low, low), append(s.High, high)
		s.Texts = append(s.Texts, fmt.Sprintf("%s of %s, %s", report.Count(int(hits[k])), report.Count(int(n[k])), report.Score(share)))
	}
	c := &report.Chart{Title: title, X: report.ScoreAxis(x), Y: report.ScoreAxis(y), Diagonal: true, Series: []report.Series{s}, Caption: caption}
	if len(s.X) == 0 {
		c.Empty = fmt.Sprintf("No ten percent of the scores has %d items of the test set: no curve. It takes a larger test set.", fewestReliable)
	}
	return c
}

// wilson is the 95 % interval of a share of n (Wilson 1927).
func wilson(p, n float64) (low, high float64) {
	const z = 1.96
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
}

// histogram counts the items of both classes by score, on a logarithmic axis, so that small counts are visible.
func (b binaryOutcome) histogram(items string) *report.Chart {
	var n [2][scoreBins]float64
	most := 1.0
	for _, i := range b.rows {
		bin := min(int(float64(b.score[i])*scoreBins), scoreBins-1)
		of := 1
		if int(b.class[i]) == b.k {
			of = 0
		}
		n[of][bin]++
		most = max(most, n[of][bin])
	}
	c := &report.Chart{Title: fmt.Sprintf("Scores of %s and %s", b.name, b.other), X: report.ScoreAxis("score"), Y: report.LogAxis(items, 0.5, max(most, 10)), Caption: "Items by score, bins of 0.05. The axis is logarithmic and begins below 1, so that rare ones show."}
	c.Y.Ticks = slices.DeleteFunc(c.Y.Ticks, func(v float64) bool { return v < 1 })
	for of, name := range []string{b.name, b.other} {
		s := report.Series{Name: name, Kind: report.Bars, Colour: []string{"c2", "c1"}[of]}
		for k, v := range n[of] {
			from := (float64(k) + 0.05 + 0.45*float64(of)) / scoreBins
			s.X, s.X2, s.Y = append(s.X, from), append(s.X2, from+0.45/scoreBins), append(s.Y, max(v, c.Y.Low))
			s.Texts = append(s.Texts, report.Count(int(v)))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// thinned removes the points of a curve that are close to the last point kept.
func thinned(s report.Series) report.Series {
	if len(s.X) <= mostPoints {
		return s
	}
	out := s
	out.X, out.Y = nil, nil
	for i := range s.X {
		last := len(out.X) - 1
		if last < 0 || i == len(s.X)-1 || math.Hypot(s.X[i]-out.X[last], s.Y[i]-out.Y[last]) > 1.5/mostPoints {
			out.X, out.Y = append(out.X, s.X[i]), append(out.Y, s.Y[i])
		}
	}
	return out
}

// classesSection has the confusion matrix of more than two classes and a chart of how often the predicted class is correct.
func (r *Review) classesSection() ([]report.Part, error) {
	rows := r.rows()
	if len(rows) == 0 || r.outcome.Classes == nil || len(r.outcome.Classes.Names) == 2 {
		return nil, nil
	}
	c := r.outcome.Classes
	chart := reliability("Confidence", "probability of the predicted class", "share correct", rows, func(i int32) (float64, bool) {
		best := 0
		for k := range c.Probability {
			if c.Probability[k][i] > c.Probability[best][i] {
				best = k
			}
		}
		return float64(c.Probability[best][i]), int(c.True[i]) == best
	}, "How often the most probable class is the true one, with 95 % intervals; dashed: as often as its probability says.")
	return []report.Part{report.Heading{Name: "Classes", Title: "Classes", Lines: []string{fmt.Sprintf("Of the test set. Rows of fewer than %d items are grey: they say little.", fewItems)}}, confusion(c, rows), report.Cards{Parts: []report.Part{chart}}}, nil
}

// mostConfused is the number of classes above which there is no confusion matrix.
const mostConfused = 20
