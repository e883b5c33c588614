package review

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
)

// mostImportant is how many columns are listed.
const mostImportant = 12

// importance lists the columns of model.Auto by the increase of the loss without each.
func (r *Review) importance() ([]report.Part, error) {
	m := r.used
	if m == nil || len(m.Groups) == 0 {
		return nil, nil
	}
	groups := m.Groups[:min(len(m.Groups), mostImportant)]
	interval := func(g session.GroupImportance) (low, high float64) {
		return g.Increase - 1.96*g.Error, g.Increase + 1.96*g.Error
	}
	high, largest := 0.0, 0.0
	for _, g := range groups {
		_, to := interval(g)
		high, largest = max(high, to), max(largest, g.Error)
	}
	loss, unit := "log loss", ""
	if r.session.Task.Number {
		loss, unit = "mean absolute error", r.unit()
	}
	axis, digits := report.LinearAxis("", 0, high), report.DecimalsFor(largest)
	t := &report.DataTable{Label: "Importance of columns", Class: "w1", Columns: []report.DataColumn{{Name: "column or columns", Left: true}, {Name: "increase, drawn", Bar: &axis}, {Name: "increase of the " + loss, Unit: unit}}}
	for _, g := range groups {
		from, to := interval(g)
		row := report.DataRow{Cells: []report.DataCell{{Text: g.Name, Value: math.NaN(), Wrap: true}, {Value: g.Increase, Dots: []report.Dot{{Value: max(g.Increase, 0), Low: max(from, 0), High: max(to, 0), Colour: "c1"}}}, report.NumberCell(report.Signed(g.Increase, digits), g.Increase)}}
		row.Cells[2].Interval = "[" + report.Signed(from, digits) + ", " + report.Signed(to, digits) + "]"
		t.Rows = append(t.Rows, row)
	}
	if len(m.Groups) > len(groups) {
		t.Note = fmt.Sprintf("%d of %d that the model reads.", len(groups), len(m.Groups))
	}
	return []report.Part{report.Heading{Name: "Importance", Title: "Importance of columns", Lines: []string{
		fmt.Sprintf("Permutation importance: the increase of the %s of the model, from %s, when the values of a column are shuffled among %s of the validation set; 95 %% intervals in brackets. Columns computed from the graph or from labels are shuffled together.", loss, report.Fixed(m.Loss, digits), r.items(m.Edges)),
		"Two columns that say the same stand in for each other, so that neither looks important. What each adds to one prediction is in the explanation of an item."}}, t}, nil
}

// learners lists the learners that were compared on the validation set.
func (r *Review) learners() report.Part {
	board := r.environment.Result.Leaderboard
	if board == nil {
		return nil
	}
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "learner", Left: true}, {Name: "columns", Left: true}, {Name: "number"}, {Name: "validation loss"}, {Name: "behind"}, {Name: "time [s]"}}, Fold: "All learners by validation loss; bold: part of the model"}
	for i, e := range board {
		behind, width := report.None, report.None
		d := report.DecimalsFor(e.Error)
		if e.Behind != 0 {
			behind = report.Signed(e.Behind, d+1) + " ± " + report.Fixed(e.BehindError, d+1)
		}
		if e.Width > 0 {
			width = fmt.Sprint(e.Width)
		}
		if e.Kept {
			l.Strong = append(l.Strong, i)
		}
		l.Rows = append(l.Rows, []string{e.Learner, e.Columns, width, report.Fixed(e.Loss, d+1) + " ± " + report.Fixed(e.Error, d+1), behind, report.PlainSeconds(e.Seconds)})
	}
	return l
}
