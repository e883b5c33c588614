package session

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/auto"
)

// leaderboardLines lists the learners in the leaderboard, best first; nil if there is none.
func (r *TrainResult) leaderboardLines() []string {
	if r.Leaderboard == nil {
		return nil
	}
	out := []string{fmt.Sprintf("%s on %s, %.1f s", r.Model, r.Dataset, r.Seconds)}
	rows := [][]string{{"learner", "columns", "validation loss", "behind", "time"}}
	for _, e := range r.Leaderboard {
		name := e.Learner
		if e.Kept {
			name += " *"
		}
		behind := ""
		if e.Behind != 0 {
			behind = fmt.Sprintf("%.4f ± %.4f", e.Behind, e.BehindError)
		}
		rows = append(rows, []string{name, e.Columns, fmt.Sprintf("%.4f ± %.4f", e.Loss, e.Error), behind, fmt.Sprintf("%.1f s", e.Seconds)})
	}
	out = append(out, aligned(rows, len(rows[0]))...)
	if text := Verdict(r.Leaderboard); text != "" {
		out = append(out, "  "+text)
	}
	return out
}

// Verdict says that a simpler learner is not significantly worse than the final predictor; empty if all are.
func Verdict(board []auto.Entry) string {
	for _, simple := range []string{"constant", "linear"} {
		at := slices.IndexFunc(board, func(e auto.Entry) bool { return e.Learner == simple })
		if at < 0 {
			continue
		}
		if e := board[at]; !e.Kept && e.Behind <= 2*e.BehindError {
			return fmt.Sprintf("On the validation part the final predictor is level with the %s model: the difference is below two standard errors.", simple)
		}
	}
	return ""
}
