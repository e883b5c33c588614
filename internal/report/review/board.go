package review

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
)

// leaderboard compares the chosen model with other trained models and the baselines, by the main score of the test set.
func (r *Review) leaderboard() ([]report.Part, error) {
	c := r.contest
	if c == nil {
		return nil, nil
	}
	first, second := c.names[0], c.names[1]
	title := task.ScoreTitle(first)
	axis := c.axis()
	order := "descending"
	if smaller(first) {
		order = "ascending"
	}
	t := &report.DataTable{Label: "Leaderboard", Class: "board", Columns: []report.DataColumn{
		{Name: "model", Left: true}, {Name: title + ", drawn", Bar: &axis}, {Name: title, Unit: r.unit(), Sort: true, Sorted: order},
		{Name: "against the chosen", Sort: true, Class: "p2"}, {Name: task.ScoreTitle(second), Sort: true, Class: "p2"}, {Name: "time", Unit: "s", Sort: true, Class: "p2"}}}
	for _, x := range c.sorted() {
		value, interval := c.value(x, first)
		other, _ := c.value(x, second)
		v, _ := x.scores.Get(second)
		row := report.DataRow{Best: x.chosen, Cells: []report.DataCell{report.TextCell(x.name), {Value: c.main(x), Dots: []report.Dot{c.dot(x)}}, report.NumberCell(value, c.main(x)),
			report.NumberCell(report.None, x.behind), report.NumberCell(other, v), report.NumberCell(report.None, x.seconds)}}
		row.Cells[0].Note, row.Cells[2].Interval = x.note, interval
		if x.chosen {
			row.Cells[0].Pill = "chosen"
		} else {
			row.Cells[3].Text, row.Cells[3].Interval = c.difference(x)
			row.Cells[3].Note = string(c.standing(x))
		}
		if !x.simple || x.seconds > 0 {
			row.Cells[5].Text = report.PlainSeconds(x.seconds)
		}
		t.Rows = append(t.Rows, row)
	}
	lede := fmt.Sprintf("%s on the test set, of %s.", capital(title), r.items(len(r.rows())))
	if smaller(first) {
		lede = fmt.Sprintf("%s on the test set, of %s; smaller is better.", capital(title), r.items(len(r.rows())))
	}
	return []report.Part{report.Heading{Name: "Leaderboard", Title: "Leaderboard", Lines: []string{lede + " " + r.intervals}}, t}, nil
}

// axis starts at the tick below the baseline, or at 0.
func (c *contest) axis() report.Axis {
	low, high := math.Inf(1), 0.0
	for _, x := range c.of {
		low, high = min(low, c.main(x)), max(high, c.main(x))
		if i, ok := x.intervals[c.names[0]]; ok {
			low, high = min(low, i[0]), max(high, i[1])
		}
	}
	if smaller(c.names[0]) {
		return report.LinearAxis("", 0, high)
	}
	a := report.LinearAxis("", max(low, 0), 1)
	return a
}

func (c *contest) dot(x *contestant) report.Dot {
	d := report.Dot{Value: c.main(x), Low: math.NaN(), High: math.NaN(), Colour: x.colour}
	if i, ok := x.intervals[c.names[0]]; ok {
		d.Low, d.High = i[0], i[1]
	}
	return d
}

// unit is the unit of the first target: the text in brackets in its name; empty if it has none, if the score has no
// unit, or if the run has no test part.
func (r *Review) unit() string {
	if r.outcome == nil || r.outcome.Targets == nil || r.outcome.Labels {
		return ""
	}
	_, unit := splitUnit(r.outcome.Targets[0].Name)
	return unit
}

// items is a number of items of the run, in words.
func (r *Review) items(n int) string {
	var word string
	if r.outcome != nil {
		word = string(r.outcome.Level)
	} else { // there is no test part
		word = string(r.session.Task.Level)
	}
	if n != 1 {
		word += "s"
	}
	return report.Count(n) + " " + word
}

// targets shows the errors of each of several numbers, in its own unit, and those of always predicting the median.
func (r *Review) targets() ([]report.Part, error) {
	if r.targetContests == nil {
		return nil, nil
	}
	t := &report.DataTable{Label: "Targets", Class: "w1", Columns: []report.DataColumn{{Name: "target", Left: true}, {Name: "unit", Left: true, Class: "p2"}, {Name: "items", Sort: true, Class: "p2"}, {Name: "MAE", Sort: true}, {Name: "RMSE", Class: "p2"},
		{Name: "R²", Sort: true}, {Name: "median, MAE", Class: "p2"}, {Name: "difference of MAE", Class: "p1"}}}
	for k, c := range r.targetContests {
		of := r.outcome.Targets[k]
		name, unit := splitUnit(of.Name)
		model, median := c.of[0], c.of[len(c.of)-1]
		mae, interval := c.value(model, "mae")
		rmse, _ := c.value(model, "rmse")
		r2, _ := c.value(model, "r2")
		usual, _ := c.value(median, "mae")
		difference, between := c.difference(median)
		r2value, _ := model.scores.Get("r2")
		n := len(knownOf(of, r.rows()))
		row := report.DataRow{Cells: []report.DataCell{{Text: shortened(name, 40), Value: math.NaN()}, report.TextCell(unit), report.NumberCell(report.Count(n), float64(n)), report.NumberCell(mae, c.main(model)), report.TextCell(rmse),
			report.NumberCell(r2, r2value), report.TextCell(usual), report.TextCell(difference)}}
		row.Cells[3].Interval, row.Cells[7].Interval = interval, between
		switch c.standing(median) {
		case Level:
			row.Cells[0].Note = "level with the median"
		case Ahead:
			row.Cells[0].Note = "behind the median"
		}
		t.Rows = append(t.Rows, row)
	}
	return []report.Part{report.Heading{Name: "Targets", Title: "Targets", Lines: []string{"Each target has its unit and its own scores; scores of different units are never averaged. The last column is the median's error less the model's. " + r.intervals}}, t}, nil
}

// many reports whether several numbers are predicted.
func (r *Review) many() bool {
	return r.outcome != nil && !r.outcome.Labels && len(r.outcome.Targets) > 1
}

// averaged reports whether a score is a mean over numbers with different units, which has no meaning.
func (r *Review) averaged(name string) bool { return r.many() && smaller(name) }

// confusion is the confusion matrix of more than two classes, with recall and precision of each.
func confusion(c *task.ClassOutcome, rows []int32) *report.DataTable {
	k := len(c.Names)
	count := make([][]int, k)
	said, labelled := make([]int, k), make([]int, k)
	for j := range count {
		count[j] = make([]int, k)
	}
	for _, i := range rows {
		count[c.True[i]][c.Predicted[i]]++
		labelled[c.True[i]]++
		said[c.Predicted[i]]++
	}
	t := &report.DataTable{Label: "Confusion matrix", Class: "narrow w1", Columns: []report.DataColumn{{Name: "true class", Left: true}}}
	shown := k <= mostConfused
	if shown {
		for _, name := range c.Names {
			t.Columns = append(t.Columns, report.DataColumn{Name: "as " + shortened(name, 24), Class: "p2"})
		}
	}
	for _, name := range []string{"items", "recall", "precision"} {
		t.Columns = append(t.Columns, report.DataColumn{Name: name, Sort: true})
	}
	order := lists.Range[int](k)
	if !shown {
		slices.SortStableFunc(order, func(a, b int) int { return labelled[b] - labelled[a] })
		order = order[:mostConfused]
		t.Note = fmt.Sprintf("The %d most frequent of %s classes.", mostConfused, report.Count(k))
	}
	share := func(n, of int) report.DataCell {
		if of == 0 {
			return report.TextCell(report.None)
		}
		v := float64(n) / float64(of)
		return report.NumberCell(report.Score(v), v)
	}
	for _, j := range order {
		row := report.DataRow{Faint: labelled[j] < fewItems, Cells: []report.DataCell{{Text: shortened(c.Names[j], 40), Value: math.NaN(), Wrap: true}}}
		if shown {
			for _, n := range count[j] {
				row.Cells = append(row.Cells, report.NumberCell(report.Count(n), float64(n)))
			}
		}
		row.Cells = append(row.Cells, report.NumberCell(report.Count(labelled[j]), float64(labelled[j])), share(count[j][j], labelled[j]), share(count[j][j], said[j]))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// labelName is the predicted column; empty if the data do not name it.
func (r *Review) labelName() string {
	if r.outcome != nil && len(r.outcome.Targets) == 1 && r.outcome.Targets[0].Name != "" {
		return r.outcome.Targets[0].Name
	}
	return r.session.LabelName()
}

var levels = map[settings.Level]string{settings.Edges: "edges", settings.Nodes: "nodes", settings.Graphs: "graphs"}
