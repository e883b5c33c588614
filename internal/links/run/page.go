package run

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/report"
)

// page returns the result as a report: whether the model is better than baselines, a table of all
// forms of negatives, slices, ranks, the training curve, and how the model was made.
func (r *Result) page() *report.Document {
	c := r.Counts
	d := &report.Document{Title: "Missing links of " + r.Data, Value: r,
		About: fmt.Sprintf("Link prediction, %s · %s pairs of %s nodes · %s test pairs, split %s · run %s", r.Kind, report.Count(c.Pairs), report.Count(c.Nodes), report.Count(c.Parts[2]), r.Split, filepath.Base(r.Run))}
	d.Parts = append(d.Parts, r.verdict()...)
	var charts []report.Part
	if tables := r.ordered(); len(tables) > 0 {
		d.Parts = append(d.Parts, r.board(tables)...)
		d.Parts = append(d.Parts, slicesOf(tables[0])...)
		charts = append(charts, r.ranks(tables[0])...)
	}
	if charts = append(charts, r.training()...); charts != nil {
		d.Parts = append(d.Parts, report.Heading{Name: "Ranks", Title: "Ranks of the test links and training"}, report.Cards{Parts: charts})
	}
	if tables := r.ordered(); len(tables) > 0 {
		d.Parts = append(d.Parts, r.misses(tables[0])...)
	}
	facts := report.Definitions{{"pairs", fmt.Sprintf("%s training, %s validation, %s test, of %s rows (%s loops)", report.Count(c.Parts[0]), report.Count(c.Parts[1]), report.Count(c.Parts[2]), report.Count(c.Rows), report.Count(c.Loops))},
		{"model", r.Model + r.choiceText()}, {"nodes", fmt.Sprintf("%s, %s without a training pair", report.Count(c.Nodes), report.Count(c.Isolated))}}
	for _, t := range r.ordered() {
		_, text, _ := strings.Cut(formText(t), ": ")
		facts = append(facts, [2]string{formTitle(t), text})
	}
	for _, note := range r.Notes {
		facts = append(facts, [2]string{"note", note})
	}
	d.Parts = append(d.Parts, report.Heading{Name: "Protocol", Title: "Protocol"}, facts)
	d.Parts = append(d.Parts, report.Heading{Name: "Recommend", Title: "Recommend", Lines: []string{"The likeliest partners of a node, without those that it has, and why each is one. Scores order; they are no probabilities."}},
		report.Command{Line: "ehgnn recommend " + r.Run + " --for ID --top 10 --why"})
	d.Parts = append(d.Parts, report.Heading{Name: "Reproduce", Title: "Reproduce"},
		report.Command{Line: r.Command, Facts: report.Definitions{{"program", "ehgnn " + r.Version}, {"seed", fmt.Sprint(r.Seed)}, {"time", report.Seconds(r.Seconds)}}})
	return d
}

// ordered returns the forms of negatives: first the form that the choice of the model used, last
// the uniform form, which tells least.
func (r *Result) ordered() []*score.Table {
	place := func(t *score.Table) int {
		switch {
		case strings.HasPrefix(cmp.Or(t.Asked, t.Form), r.Select):
			return 0
		case t.Form == score.Uniform:
			return 2
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(r.Tables), func(a, b *score.Table) int { return place(a) - place(b) })
}

// formTitle returns the title of a form.
func formTitle(t *score.Table) string {
	for _, kind := range []struct{ form, title string }{{score.Hard, " hard"}, {score.Degree, " by degree"}} {
		if n, ok := strings.CutPrefix(t.Form, kind.form); ok {
			return n + kind.title
		}
	}
	switch t.Form {
	case score.All:
		return "all nodes"
	case score.Lists:
		return "lists of all"
	case NextForm:
		return "next destination"
	case score.File:
		return "of the file"
	}
	return t.Form
}

// scoreTitle returns the usual name of a score.
func scoreTitle(name string) string {
	known := map[string]string{"mrr": "MRR", "roc_auc": "ROC-AUC", "average_precision": "average precision", "mean_rank_share": "mean rank, share", "mean_popularity": "mean popularity"}
	if title, ok := known[name]; ok {
		return title
	}
	if rest, ok := strings.CutPrefix(name, "hits@"); ok {
		return "Hits@" + rest
	}
	return strings.Replace(name, "ndcg", "NDCG", 1)
}

// verdict returns the verdict in the form that the choice of the model used, and the verdicts in
// other forms as findings.
func (r *Result) verdict() []report.Part {
	var out []report.Part
	var findings report.Findings
	for _, t := range r.ordered() {
		for _, row := range t.Rows {
			if row.Verdict == "" {
				continue
			}
			base := t.Rows[slices.IndexFunc(t.Rows, func(b score.Row) bool { return b.Name == row.Baseline })]
			standing, _, _ := strings.Cut(row.Verdict, " ")
			of := fmt.Sprintf("%s %s", scoreTitle(t.Main), interval(t.Main, row.Scores[t.Main]))
			other, difference := number(t.Main, base.Scores[t.Main].Mean), signed(*row.Margin)
			if out == nil {
				v := report.Verdict{Answer: fmt.Sprintf("Ahead of every baseline: %s", of), Rest: fmt.Sprintf("among %s, in percent; the best baseline, %s, has %s (difference %s).", formTitle(t), row.Baseline, other, difference)}
				switch standing {
				case "ahead":
				case "level":
					v.Tone, v.Answer = report.Even, fmt.Sprintf("%s is level with the baseline %s: %s", capitalised(row.Name), row.Baseline, of)
				default:
					v.Tone, v.Answer = report.Bad, fmt.Sprintf("%s does not beat the baseline %s: %s", capitalised(row.Name), row.Baseline, of)
				}
				out = append(out, v)
			} else if len(findings) < 3 {
				findings = append(findings, report.Finding{Beware: standing != "ahead", Text: fmt.Sprintf("Negatives %s: %s %s, %s against %s, difference %s.", formTitle(t), row.Verdict, row.Baseline, of, other, difference)})
			}
		}
	}
	if out == nil {
		out = append(out, report.Verdict{Answer: "Not compared: there is no test score of a model and a baseline."})
	}
	return append(out, findings)
}

func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// signed returns a difference in percent with its interval.
func signed(v rank.Interval) string {
	return fmt.Sprintf("%s [%s, %s]", report.Signed(100*v.Mean, 1), report.Signed(100*v.Low, 1), report.Signed(100*v.High, 1))
}

// ranks returns the share of test links whose partner is among the first k, for the model and for
// the best baseline.
func (r *Result) ranks(t *score.Table) []report.Part {
	if t.Form == score.Lists || t.Form == score.Uniform {
		return nil
	}
	var series []report.Series
	for _, row := range byMain(t) {
		if len(series) > 2 && !row.Model {
			continue
		}
		s := report.Series{Name: row.Name, Colour: "c5", Dash: !row.Model, Best: row.Model}
		if row.Model {
			s.Colour = "c1"
		} else if k := slices.IndexFunc(series, func(s report.Series) bool { return s.Dash }); k < 0 {
			s.Colour = "c2"
		}
		for _, k := range []int{1, 3, 10, 20, 50, 100} {
			if v, ok := row.Scores[fmt.Sprintf("hits@%d", k)]; ok {
				s.X, s.Y = append(s.X, float64(k)), append(s.Y, v.Mean)
			}
		}
		if len(s.X) > 1 {
			series = append(series, s)
		}
	}
	if len(series) == 0 {
		return nil
	}
	return []report.Part{&report.Chart{Title: "Links found by length of the list", Hide: true, X: report.LogAxis("length of the list, k", 1, 100), Y: report.ScoreAxis("share of test links found"), Series: series,
		Caption: fmt.Sprintf("Hits@k among %s: the share of test links whose partner is among the first k. Dashed: baselines.", formTitle(t))}}
}

// byMain returns the rows of a form, sorted by the main score, best first.
func byMain(t *score.Table) []score.Row {
	return slices.SortedStableFunc(slices.Values(t.Rows), func(a, b score.Row) int { return cmp.Compare(b.Scores[t.Main].Mean, a.Scores[t.Main].Mean) })
}

// training returns the curve of validation scores for each model that was trained by epochs.
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
	var kept []report.Series
	for _, s := range series {
		best := slices.Index(s.Y, slices.Max(s.Y))
		kept = append(kept, report.Series{Kind: report.Dots, Colour: s.Colour, X: s.X[best : best+1], Y: s.Y[best : best+1]})
	}
	return []report.Part{&report.Chart{Title: "Validation by epoch", Hide: len(series) > 1, X: report.LinearAxis("epoch", 0, last), Y: report.LinearAxis("validation "+cmp.Or(r.By, "MRR, "+r.Select)+" [%]", low, high), Series: append(series, kept...),
		Caption: "The weights of the epoch with the highest validation score are kept: the dot."}}
}
