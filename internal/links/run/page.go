package run

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/report"
)

// page is the result as a report: whether the model is worth its training, then every form of negatives, slices, the
// curve of the training, and how it was made.
func (r *Result) page() *report.Document {
	c := r.Counts
	d := &report.Document{Title: "Missing links of " + r.Data, Value: r,
		About: fmt.Sprintf("Link prediction, %s · %s pairs of %s nodes · %s test pairs, split %s · run %s", r.Kind, report.Count(c.Pairs), report.Count(c.Nodes), report.Count(c.Parts[2]), r.Split, filepath.Base(r.Run))}
	d.Parts = append(d.Parts, r.verdict()...)
	for i, t := range r.Tables {
		name := ""
		if i == 0 {
			name = "Models"
		}
		d.Parts = append(d.Parts, report.Heading{Name: name, Title: capitalised(formName(t)) + " negatives", Lines: []string{about(t) + ". Percent; brackets: 95 % bootstrap interval over nodes."}}, board(t))
	}
	for _, t := range r.Tables {
		if len(t.Slices) > 0 {
			d.Parts = append(d.Parts, report.Heading{Name: "Slices", Title: "Slices", Lines: []string{fmt.Sprintf("%s against %s negatives by kind of link, in percent.", t.Main, formName(t))}}, slicesOf(t))
			break
		}
	}
	d.Parts = append(d.Parts, r.training()...)
	facts := report.Definitions{{"pairs", fmt.Sprintf("%s training, %s validation, %s test, of %s rows (%s loops)", report.Count(c.Parts[0]), report.Count(c.Parts[1]), report.Count(c.Parts[2]), report.Count(c.Rows), report.Count(c.Loops))},
		{"model", r.Model + r.against()}, {"nodes", fmt.Sprintf("%s, %s without a training pair", report.Count(c.Nodes), report.Count(c.Isolated))}}
	for _, note := range r.Notes {
		facts = append(facts, [2]string{"note", note})
	}
	d.Parts = append(d.Parts, report.Heading{Name: "Protocol", Title: "Protocol"}, facts, report.Heading{Name: "Reproduce", Title: "Reproduce"},
		report.Command{Line: r.Command, Facts: report.Definitions{{"program", "ehgnn " + r.Version}, {"seed", fmt.Sprint(r.Seed)}, {"time", report.Seconds(r.Seconds)}}})
	return d
}

func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// verdict is that on the first form; the findings are those on the others.
func (r *Result) verdict() []report.Part {
	var out []report.Part
	var findings report.Findings
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if row.Verdict == "" {
				continue
			}
			base := t.Rows[slices.IndexFunc(t.Rows, func(b score.Row) bool { return b.Name == row.Baseline })]
			ahead := strings.HasPrefix(row.Verdict, "ahead")
			rest := fmt.Sprintf("the best baseline, %s, has %s (difference %s).", row.Baseline, number(t.Main, base.Scores[t.Main].Mean), signed(*row.Margin))
			if out == nil {
				v := report.Verdict{Answer: fmt.Sprintf("Ahead of every baseline: %s %s", t.Main, interval(t.Main, row.Scores[t.Main])), Rest: "against " + formName(t) + " negatives; " + rest}
				switch {
				case strings.HasPrefix(row.Verdict, "level"):
					v.Tone, v.Answer = report.Even, fmt.Sprintf("%s is level with the baseline %s: %s %s", capitalised(row.Name), row.Baseline, t.Main, interval(t.Main, row.Scores[t.Main]))
				case !ahead:
					v.Tone, v.Answer = report.Bad, fmt.Sprintf("%s does not beat the baseline %s: %s %s", capitalised(row.Name), row.Baseline, t.Main, interval(t.Main, row.Scores[t.Main]))
				}
				out = append(out, v)
			} else if len(findings) < 3 {
				findings = append(findings, report.Finding{Beware: !ahead, Text: fmt.Sprintf("Against %s negatives %s is %s the baselines: %s %s; %s", formName(t), row.Name, row.Verdict, t.Main, interval(t.Main, row.Scores[t.Main]), rest)})
			}
		}
	}
	if out == nil {
		out = append(out, report.Verdict{Answer: "Not compared: there is no test score of a model and a baseline."})
	}
	return append(out, findings)
}

// signed is a difference in percent with its interval.
func signed(v rank.Interval) string {
	return fmt.Sprintf("%s [%s, %s]", report.Signed(100*v.Mean, 1), report.Signed(100*v.Low, 1), report.Signed(100*v.High, 1))
}

// board is a form as a leaderboard.
func board(t *score.Table) *report.DataTable {
	names := shown(t)
	high := 0.0
	for _, r := range t.Rows {
		high = max(high, 100*r.Scores[t.Main].High, 100*r.Scores[t.Main].Mean)
	}
	axis := report.LinearAxis("", 0, max(high, 1))
	out := &report.DataTable{Label: "Models by " + t.Main, Class: "board", Columns: []report.DataColumn{{Name: "model", Left: true}, {Name: t.Main + ", drawn", Bar: &axis}}}
	for k, n := range names {
		c := report.DataColumn{Name: n, Sort: true}
		if k == 0 {
			c.Sorted = "descending"
		} else {
			c.Class = "p2"
		}
		if k > 2 {
			c.Class = "p1"
		}
		out.Columns = append(out.Columns, c)
	}
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b score.Row) int { return cmp.Compare(b.Scores[t.Main].Mean, a.Scores[t.Main].Mean) })
	for _, r := range rows {
		v := r.Scores[t.Main]
		colour := "c5"
		row := report.DataRow{Best: r.Model}
		if r.Model {
			colour = "c1"
		}
		row.Cells = []report.DataCell{report.TextCell(r.Name), {Value: v.Mean, Dots: []report.Dot{dotOf(v, colour)}}}
		if r.Model {
			row.Cells[0].Pill = "model"
		}
		for k, n := range names {
			cell := report.NumberCell(number(n, r.Scores[n].Mean), r.Scores[n].Mean)
			if s := r.Scores[n]; k == 0 && s.Low < s.High {
				cell.Interval = "[" + number(n, s.Low) + ", " + number(n, s.High) + "]"
			}
			row.Cells = append(row.Cells, cell)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func dotOf(v rank.Interval, colour string) report.Dot {
	d := report.Dot{Value: 100 * v.Mean, Low: math.NaN(), Colour: colour}
	if v.Low < v.High {
		d.Low, d.High = 100*v.Low, 100*v.High
	}
	return d
}

// slicesOf has the main score of the model and of the best baseline by kind of link.
func slicesOf(t *score.Table) *report.DataTable {
	var of []score.Row
	for _, r := range t.Rows {
		if r.Model && len(of) == 0 {
			of = append(of, r)
		}
	}
	if len(of) == 1 {
		if k := slices.IndexFunc(t.Rows, func(b score.Row) bool { return b.Name == of[0].Baseline }); k >= 0 {
			of = append(of, t.Rows[k])
		}
	}
	high := 1.0
	for _, s := range t.Slices {
		for _, r := range of {
			high = max(high, 100*s.Scores[r.Name])
		}
	}
	axis := report.LinearAxis("", 0, high)
	out := &report.DataTable{Label: "Slices", Class: "w1", Columns: []report.DataColumn{{Name: "rankings of", Left: true}, {Name: "number"}, {Name: t.Main + ", drawn", Bar: &axis}}}
	for _, r := range of {
		out.Columns = append(out.Columns, report.DataColumn{Name: r.Name})
	}
	for _, s := range t.Slices {
		row := report.DataRow{Faint: s.Values < 20, Cells: []report.DataCell{report.TextCell(s.Of), report.NumberCell(report.Count(s.Values), float64(s.Values)), {}}}
		for k, r := range of {
			row.Cells[2].Dots = append(row.Cells[2].Dots, report.Dot{Value: 100 * s.Scores[r.Name], Low: math.NaN(), Colour: report.ColourOf(k)})
			row.Cells = append(row.Cells, report.NumberCell(number(t.Main, s.Scores[r.Name]), s.Scores[r.Name]))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// training is the validation score of each model that was trained in epochs.
func (r *Result) training() []report.Part {
	var series []report.Series
	low, high, last := 0.0, 1.0, 1.0
	for _, p := range r.Curve {
		k := slices.IndexFunc(series, func(s report.Series) bool { return s.Name == p.Model })
		if k < 0 {
			k = len(series)
			series = append(series, report.Series{Name: p.Model, Colour: report.ColourOf(k)})
		}
		s := &series[k]
		s.X, s.Y = append(s.X, float64(p.Epoch)), append(s.Y, 100*p.Valid)
		high, last = max(high, 100*p.Valid), max(last, float64(p.Epoch))
	}
	if series == nil {
		return nil
	}
	return []report.Part{report.Heading{Name: "Training", Title: "Training"}, &report.Chart{Title: "Validation by epoch", Hide: len(series) > 1, X: report.LinearAxis("epoch", 0, last), Y: report.LinearAxis("validation "+r.Select+" [%]", low, high), Series: series,
		Caption: "The weights of the epoch with the highest validation score are kept."}}
}
