package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// shownScores returns the scores of a form that a table has, the main score first.
func shownScores(t *score.Table) []string {
	switch {
	case t.Form == score.Lists:
		return []string{"ndcg@20", "recall@20", "ndcg@10", "recall@10", "coverage", "mean_popularity"}
	case t.Form == score.Uniform:
		out := []string{t.Main}
		for _, name := range []string{"hits@20", "hits@50", "hits@100", "roc_auc", "average_precision"} {
			if _, ok := t.Rows[0].Scores[name]; ok && name != t.Main {
				out = append(out, name)
			}
		}
		return out
	}
	return []string{"mrr", "hits@1", "hits@10", "hits@50", "mean_rank_share"}
}

// Verdicts returns sentences that say whether the model is better than the baselines.
func Verdicts(tables []*score.Table) []string {
	var out []string
	for _, t := range tables {
		for _, r := range t.Rows {
			if r.Verdict == "" {
				continue
			}
			base := t.Rows[slices.IndexFunc(t.Rows, func(b score.Row) bool { return b.Name == r.Baseline })]
			out = append(out, fmt.Sprintf("%s negatives, %s: %s is %s the best baseline: %s against %s of %s (difference %s)", formName(t), t.Main, r.Name, r.Verdict,
				interval(t.Main, r.Scores[t.Main]), number(t.Main, base.Scores[t.Main].Mean), r.Baseline, interval(t.Main, *r.Margin)))
		}
	}
	return out
}

// formName returns the name of a form in words.
func formName(t *score.Table) string {
	if t.Form == score.Lists {
		return "lists of all targets as"
	}
	return t.Form
}

// number returns a score in percent. A number that is no share stays as it is.
func number(name string, v float64) string {
	if name == "mean_popularity" {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", 100*v)
}

func interval(name string, v rank.Interval) string {
	return strings.TrimSpace(number(name, v.Mean) + " " + intervalText(name, v))
}

// intervalText returns an interval in brackets, or an empty text if there is none.
func intervalText(name string, v rank.Interval) string {
	if !(v.Low < v.High) {
		return ""
	}
	return "[" + number(name, v.Low) + ", " + number(name, v.High) + "]"
}

// listing returns a form as a table, sorted by the main score, best first.
func listing(t *score.Table) *report.Listing {
	names := shownScores(t)
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "scorer", Left: true}}}
	for _, n := range names {
		l.Columns = append(l.Columns, report.ListingColumn{Name: n + "/" + t.Form})
	}
	if t.Form == score.Lists || t.Form == score.Uniform {
		for i, n := range names {
			l.Columns[i+1].Name = n
		}
	}
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b score.Row) int {
		return cmp.Compare(b.Scores[t.Main].Mean, a.Scores[t.Main].Mean)
	})
	for i, r := range rows {
		cells := []string{r.Name}
		for k, n := range names {
			if k == 0 {
				cells = append(cells, interval(n, r.Scores[n]))
			} else {
				cells = append(cells, number(n, r.Scores[n].Mean))
			}
		}
		l.Rows = append(l.Rows, cells)
		if r.Model {
			l.Strong = append(l.Strong, i)
		}
	}
	return l
}

// formText returns a text about the rankings of a form.
func formText(t *score.Table) string {
	positives, rankings, negatives := report.Count(t.Positives), report.Count(t.Rankings), report.Fixed(t.Negatives, 0)
	text := fmt.Sprintf("%s: %s positives, %s rankings among %s negatives", t.Form, positives, rankings, negatives)
	switch t.Form {
	case score.Uniform:
		text = fmt.Sprintf("uniform: %s positives against the same %s pairs that are no edge", positives, negatives)
	case score.Lists:
		text = fmt.Sprintf("lists: for each of %s sources all targets without those that it has; %s positives", rankings, positives)
	case NextForm:
		text = fmt.Sprintf("next destination: %s events of the test part, each among %s nodes seen before, by what is strictly earlier", positives, negatives)
	}
	switch {
	case t.Left > 0 && t.Form == score.File:
		text += fmt.Sprintf("; %s positives of the test part are not in the file", report.Count(t.Left))
	case t.Left > 0:
		text += fmt.Sprintf("; %s positives left out by seed, as scoring all would take too long", report.Count(t.Left))
	}
	return text
}

// Text prints the result of a training.
func (r *Result) Text(w io.Writer) error {
	d := r.document()
	_, err := io.WriteString(w, strings.Join(d.Lead, "\n")+"\n\n"+d.Text())
	if err == nil && r.Seconds > 0 {
		_, err = fmt.Fprintf(w, "run: %s (%s, %.0f s)\n", r.Run, filepath.Join(r.Run, report.PageFile), r.Seconds)
	}
	return err
}

// document returns the result for a terminal.
func (r *Result) document() *report.Document {
	c := r.Counts
	d := &report.Document{Title: "Link prediction: " + r.Data, Value: r, Lead: Verdicts(r.Tables)}
	d.Lead = append(d.Lead, fmt.Sprintf("Model %s%s. Scores are percent, with 95 %% bootstrap intervals over nodes.", r.Model, r.choiceText()))
	for _, t := range r.Tables {
		d.Parts = append(d.Parts, report.Heading{Title: formText(t)}, listing(t))
	}
	d.Remarks = append(d.Remarks, fmt.Sprintf("%d nodes, %d pairs of %d rows (%d loops); training %d, validation %d, test %d pairs; %d nodes (%.1f %%) without a training pair; split %s, seed %d",
		c.Nodes, c.Pairs, c.Rows, c.Loops, c.Parts[0], c.Parts[1], c.Parts[2], c.Isolated, 100*float64(c.Isolated)/float64(max(1, c.Nodes)), r.Split, r.Seed))
	d.Remarks = append(d.Remarks, r.Notes...)
	return d
}

// choiceText returns the validation scores of the models that the choice compared.
func (r *Result) choiceText() string {
	if len(r.Valid) < 2 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(r.Valid), func(a, b string) int { return cmp.Or(cmp.Compare(r.Valid[b], r.Valid[a]), cmp.Compare(a, b)) })
	texts := lists.Map(names, func(name string) string { return fmt.Sprintf("%s %.1f", name, 100*r.Valid[name]) })
	text := fmt.Sprintf(", chosen on the validation part by %s: %s", cmp.Or(r.By, r.Select), strings.Join(texts, ", "))
	switch {
	case r.Model == Average && len(r.Average) == 1:
		text += fmt.Sprintf("; %s alone is ahead of averages with it", r.Average[0])
	case r.Model == Average:
		text += "; no model is significantly ahead of the average of " + membersText(r.Average)
	}
	return text
}

// membersText returns the members of an average in words.
func membersText(members []Member) string {
	return strings.Join(lists.Map(members, Member.String), ", ")
}

// ReadResult reads the result of a training and the time when it finished.
func ReadResult(dir string) (r *Result, finished time.Time, err error) {
	file := filepath.Join(dir, MetricsFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, finished, misuse("%s has no %s: it has not finished; ehgnn train --resume --out %[1]s completes it", dir, MetricsFile)
	}
	if err != nil {
		return nil, finished, settings.Usage(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, finished, misuse("%s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, finished, settings.Usage(err)
	}
	return r, info.ModTime(), nil
}

// Headline returns the score of the chosen model in the measure of the choice, in percent, with its
// interval. Without a test set there is no score.
func (r *Result) Headline() (name, text, bounds string, value float64) {
	for _, t := range r.ordered() {
		for _, row := range t.Rows {
			if row.Model {
				v := row.Scores[t.Main]
				return scoreTitle(t.Main) + " [%], " + formTitle(t), number(t.Main, v.Mean), intervalText(t.Main, v), v.Mean
			}
		}
	}
	return "", report.None, "", 0
}

// writeReport writes the page of a run.
func writeReport(dir string, r *Result) error {
	return atomicfile.Write(filepath.Join(dir, report.PageFile), func(w io.Writer) error { return r.page().WriteHTML(w) })
}
