package review

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/model"
)

// mostImportant is how many columns are listed.
const mostImportant = 12

// leaderboard lists the learners that competed on the validation part, and the columns that trees used most; nothing for
// a model without learners.
func (r *Review) leaderboard() ([]report.Part, error) {
	board := r.environment.Result.Leaderboard
	if board == nil {
		return nil, nil
	}
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "Learner", Left: true}, {Name: "Columns", Left: true}, {Name: "Number"}, {Name: "Validation loss"}, {Name: "Behind"}, {Name: "Seconds"}}}
	for i, e := range board {
		behind, width := "", ""
		if e.Behind != 0 {
			behind = fmt.Sprintf("%.4f ± %.4f", e.Behind, e.BehindError)
		}
		if e.Width > 0 {
			width = fmt.Sprint(e.Width)
		}
		if e.Kept {
			l.Strong = append(l.Strong, i)
		}
		l.Rows = append(l.Rows, []string{e.Learner, e.Columns, width, fmt.Sprintf("%.4f ± %.4f", e.Loss, e.Error), behind, fmt.Sprintf("%.1f", e.Seconds)})
	}
	lines := []string{"Each learner with the columns that it was given, by its loss on the validation part and the standard error of that. Behind is the paired difference from what the run predicts with, the mean of the learners in bold."}
	if text := session.Verdict(board); text != "" {
		lines = append(lines, text)
	}
	parts := []report.Part{report.Heading{Title: "Learners", Lines: lines}, l}
	m, ok := r.session.Model.(*model.Auto)
	if !ok {
		return parts, nil
	}
	names, share := session.ColumnNames(r.settings), m.Importance()
	order := make([]int, 0, len(share))
	for c, v := range share {
		if v > 0 && c < len(names) {
			order = append(order, c)
		}
	}
	if len(order) == 0 {
		return parts, nil
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case share[a] > share[b]:
			return -1
		case share[a] < share[b]:
			return 1
		}
		return 0
	})
	columns := &report.Listing{Columns: []report.ListingColumn{{Name: "Column", Left: true}, {Name: "Share"}}}
	for _, c := range order[:min(len(order), mostImportant)] {
		columns.Rows = append(columns.Rows, []string{names[c], fmt.Sprintf("%.1f %%", 100*share[c])})
	}
	return append(parts, report.Heading{Title: "Columns that the trees use", Lines: []string{"The share of each column in what splits by it gain in the training loss."}}, columns), nil
}
