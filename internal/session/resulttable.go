package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// scoreOrder is the order of scores in texts. Other scores follow, and the loss is last.
var scoreOrder = []string{"average_precision", "roc_auc", "f1", "precision", "recall", "accuracy", "macro_f1", "mrr", "hit@1", "mae", "rmse", "r2"}

// inUnits are scores that are not shares and may have any size.
var inUnits = []string{"loss", "mae", "rmse", "interval_width", "set_size"}

// scoreText formats a score with its significant digits; a score that is undefined for the data is
// "undefined".
func scoreText(name string, v float64) string {
	switch {
	case math.IsNaN(v):
		return "undefined"
	case name == task.CountedScore:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case slices.Contains(inUnits, name):
		return digits(v, 4)
	case v < 1 && v >= 0.9995:
		return ">0.999"
	case v > 0 && v < 0.0005:
		return "<0.001"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// digits formats a number with so many significant digits, including zeros at the end.
func digits(v float64, n int) string {
	if v == 0 || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	behind := n - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	if behind > 8 {
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	return strconv.FormatFloat(v, 'f', max(behind, 0), 64)
}

// deviationText formats the deviation of a score.
func deviationText(name string, v float64) string {
	if slices.Contains(inUnits, name) {
		return digits(v, 2)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// scoreLines formats the scores as a table with a row for the validation and the test set; with several
// seeds, it has their mean and standard deviation.
func (r *TrainResult) scoreLines() []string {
	sets := []struct {
		title, part string
		scores      train.Scores
	}{{"validation", "valid", r.Valid}, {"test", "test", r.Test}}
	head, names := []string{""}, []string(nil)
	for _, s := range sets {
		if s.scores == nil {
			continue
		}
		head = append(head, s.title)
		hidden := unprinted(s.scores)
		if r.Numbers > 1 { // a mean over different units has no meaning
			hidden = append(hidden, inUnits...)
		}
		for _, v := range s.scores {
			if !slices.Contains(names, v.Name) && !slices.Contains(hidden, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	if names == nil {
		return nil
	}
	place := func(name string) int {
		switch at := slices.Index(scoreOrder, name); {
		case name == "loss":
			return len(scoreOrder) + 1
		case at < 0:
			return len(scoreOrder)
		default:
			return at
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	rows := [][]string{head}
	for _, name := range names {
		title := task.ScoreTitle(name)
		if r.PositiveClass != "" && slices.Contains([]string{"f1", "precision", "recall"}, name) {
			title += " of " + r.PositiveClass
		}
		row := []string{title}
		for _, s := range sets {
			if s.scores == nil {
				continue
			}
			cell := "-"
			if v, ok := s.scores.Get(name); ok {
				cell = scoreText(name, v)
			}
			if r.Seeds != nil {
				if v, ok := r.Seeds.Score(s.part, name); ok {
					cell = scoreText(name, v.Mean) + " ± " + deviationText(name, v.Deviation)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return aligned(rows, 1)
}

// aligned formats rows of cells as lines: the first columns are left-aligned, the others right-aligned.
func aligned(rows [][]string, left int) []string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			width[k] = max(width[k], len([]rune(cell)))
		}
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for k, cell := range row {
			pad := strings.Repeat(" ", width[k]-len([]rune(cell)))
			if k < left {
				fmt.Fprintf(&b, "  %s%s", cell, pad)
			} else {
				fmt.Fprintf(&b, "  %s%s", pad, cell)
			}
		}
		out[i] = strings.TrimRight(b.String(), " ")
	}
	return out
}
