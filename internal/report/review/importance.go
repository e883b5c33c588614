package review

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/model"
)

// mostImportant is how many columns are listed.
const mostImportant = 12

// importance lists the columns that trees of the model used most.
func (r *Review) importance() ([]report.Part, error) {
	m, ok := r.session.Model.(*model.Auto)
	if !ok {
		return nil, nil
	}
	share := map[string]float64{} // of columns of the data, whatever columns of the model they are
	var names []string
	all := m.Importance()
	for k, c := range session.Columns(r.settings) {
		if k < len(all) && all[k] > 0 {
			if _, ok := share[c.Field]; !ok {
				names = append(names, c.Field)
			}
			share[c.Field] += float64(all[k])
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(share[b], share[a]) })
	axis := report.LinearAxis("", 0, share[names[0]])
	axis.Ticks = nil
	t := &report.DataTable{Label: "Importance of columns", Class: "w1", Columns: []report.DataColumn{{Name: "column", Left: true}, {Name: "share, drawn", Bar: &axis}, {Name: "share of the gain"}}}
	for _, name := range names[:min(len(names), mostImportant)] {
		v := share[name]
		t.Rows = append(t.Rows, report.DataRow{Cells: []report.DataCell{{Text: name, Value: math.NaN(), Wrap: true}, {Value: v, Dots: []report.Dot{{Value: v, Low: math.NaN(), Colour: "c1", Bar: true}}}, report.NumberCell(report.Percent(v), v)}})
	}
	if len(names) > mostImportant {
		t.Note = fmt.Sprintf("%d of %d columns that the trees use.", mostImportant, len(names))
	}
	return []report.Part{report.Heading{Name: "Importance", Title: "Importance of columns", Lines: []string{"Share of the gain: how much the splits by a column lower the training loss of the model's trees, of what all their splits do. It counts no other learners, and it is no part of a prediction: contributions, which add up to the prediction, are in the explanation of an item."}}, t}, nil
}

// learners lists what competed on the validation set.
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
