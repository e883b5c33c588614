package page

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
)

// mostChanged is how many changed items are listed.
const mostChanged = 25

// showCompare compares runs: those of the parameter run, else a and b, else the first two.
func (s *site) showCompare(r *http.Request) (*view, error) {
	v := &view{Title: "Compare runs", Tab: "compare", Form: "compare"}
	if len(s.Runs) < 2 {
		v.Form, v.Problem = "", "There is one run here; two are needed."
		v.Help = []string{"ehgnn serve RUN RUN serves several."}
		return v, nil
	}
	q := r.URL.Query()
	names := q["run"]
	if len(names) == 0 {
		names = []string{cmp.Or(q.Get("a"), s.Runs[0].Name), cmp.Or(q.Get("b"), s.Runs[1].Name)}
	}
	v.Data = lists.Map(s.Runs, func(r Run) choice { return choice{r.Name, r.Name, slices.Contains(names, r.Name)} })
	if len(names) < 2 {
		v.Problem = "Choose two runs or more."
		return v, nil
	}
	var of []*opened
	for _, name := range names {
		run, err := s.runNamed(name)
		if err != nil {
			return nil, err
		}
		of = append(of, run)
	}
	v.Lead = []string{strings.Join(names, ", ")}
	d := &report.Document{}
	if err := scored(r.Context(), d, of); err != nil {
		return nil, err
	}
	if err := curved(d, of); err != nil {
		return nil, err
	}
	if len(of) == 2 {
		if p := pairOf(of[0], of[1]); p != nil {
			d.Parts = append(d.Parts, p.changed()...)
		}
	}
	if err := configured(d, of); err != nil {
		return nil, err
	}
	return v.setDocument(d)
}

// pairOf returns the stored predictions of two runs; nil if they share no items.
func pairOf(one, other *opened) *pair {
	mine, err := one.Stored()
	if err != nil {
		return nil
	}
	theirs, err := other.Stored()
	if err != nil {
		return nil
	}
	rowsA, rowsB := items.Shared(mine, theirs)
	if len(rowsA) == 0 {
		return nil
	}
	return &pair{one.Name, other.Name, mine, theirs, rowsA, rowsB}
}

// scored adds the scores of each run compared with the first, on the items of both.
func scored(ctx context.Context, d *report.Document, of []*opened) error {
	first := of[0]
	set, err := first.settings()
	if err != nil {
		return err
	}
	t := &report.DataTable{Label: "Differences", Class: "w1", Columns: []report.DataColumn{{Name: "score", Left: true}, {Name: first.Name, Class: "p2"}, {Name: "other run", Class: "p2"}, {Name: "difference, drawn"}, {Name: "difference"}}}
	if len(of) == 2 {
		t.Columns[2].Name = of[1].Name
	}
	low, high := 0.0, 0.0
	var verdicts report.Findings
	for _, other := range of[1:] {
		p := pairOf(first, other)
		if p == nil {
			d.Problems = append(d.Problems, fmt.Sprintf("%s and %s have predicted no item in common, or stored no predictions: their data, splits or tasks differ. Only settings are compared.", first.Name, other.Name))
			continue
		}
		a, b := p.mine.Outcome(p.rowsOne), p.theirs.Outcome(p.rowsTwo)
		if a == nil || b == nil {
			d.Problems = append(d.Problems, "Nothing true is stored with the predictions; only settings are compared.")
			continue
		}
		differences, err := review.Compare(ctx, a, b, set.Target.Binary)
		if err != nil {
			if !settings.IsUsage(err) {
				return err
			}
			d.Problems = append(d.Problems, sentence(err))
			continue
		}
		t.Rows = append(t.Rows, report.DataRow{Group: fmt.Sprintf("%s less %s, on items that both predicted: %s", other.Name, first.Name, report.Count(len(p.rowsOne)))})
		for _, x := range differences {
			t.Rows = append(t.Rows, differenceRow(x))
			low, high = min(low, x.Of, x.Low), max(high, x.Of, x.High)
		}
		if len(differences) > 0 {
			verdicts = append(verdicts, report.Finding{Text: standing(first.Name, other.Name, mainOf(differences))})
		}
	}
	if t.Rows == nil {
		return nil
	}
	axis := report.LinearAxis("", low, high)
	t.Columns[3].Bar = &axis
	if len(verdicts) == 1 {
		d.Parts = append(d.Parts, report.Verdict{Answer: verdicts[0].Text})
	} else {
		d.Parts = append(d.Parts, verdicts)
	}
	d.Parts = append(d.Parts, report.Heading{Title: "Scores", Lines: []string{"On the same test items. Brackets: 95 % interval of the difference, from a bootstrap that draws the same items for both runs; if it contains 0, the runs may be equally good."}}, t)
	return nil
}

// differenceRow is a score of two runs.
func differenceRow(x review.Difference) report.DataRow {
	decimals := 3
	if x.Paired && max(x.A, x.B) > 1 {
		decimals = report.DecimalsFor((x.High - x.Low) / 4)
	}
	dot := report.Dot{Value: x.Of, Low: math.NaN(), Colour: "c5"}
	cell := report.NumberCell(report.Signed(x.Of, decimals), x.Of)
	row := report.DataRow{}
	if x.Paired {
		cell.Interval = "[" + report.Signed(x.Low, decimals) + ", " + report.Signed(x.High, decimals) + "]"
		if dot.Low, dot.High = x.Low, x.High; x.Low > 0 || x.High < 0 {
			dot.Colour = "c1"
		}
	}
	row.Cells = []report.DataCell{report.TextCell(task.ScoreTitle(x.Name)), report.NumberCell(report.Fixed(x.A, decimals), x.A), report.NumberCell(report.Fixed(x.B, decimals), x.B), {Value: x.Of}, cell}
	if !math.IsNaN(x.Of) {
		row.Cells[3].Dots = []report.Dot{dot}
	}
	return row
}

// mainOf is the most important score.
func mainOf(of []review.Difference) review.Difference {
	for _, name := range []string{"average_precision", "roc_auc", "accuracy", "r2", "mae"} {
		if i := slices.IndexFunc(of, func(x review.Difference) bool { return x.Name == name && x.Paired }); i >= 0 {
			return of[i]
		}
	}
	return of[0]
}

// standing says which of two runs is better, and by how much.
func standing(first, other string, x review.Difference) string {
	way := x.Standing()
	ahead, behind := other, first
	if way == review.Behind {
		ahead, behind = first, other
		x.A, x.B, x.Of, x.Low, x.High = x.B, x.A, -x.Of, -x.High, -x.Low
	}
	by := fmt.Sprintf("difference of %s %s [%s, %s]", task.ScoreTitle(x.Name), report.Signed(x.Of, 3), report.Signed(x.Low, 3), report.Signed(x.High, 3))
	if way == review.Level {
		return fmt.Sprintf("%s and %s are level: %s on the same items.", first, other, strings.TrimSuffix(by, " [–, –]"))
	}
	return fmt.Sprintf("%s is ahead of %s: %s against %s, %s on the same items.", ahead, behind, report.Fixed(x.B, 3), report.Fixed(x.A, 3), by)
}

// curved adds a chart of the validation losses by epoch.
func curved(d *report.Document, of []*opened) error {
	const caption = "Losses can be compared if runs have the same task and split. Trees count rounds, networks epochs."
	c := &report.Chart{Title: "Validation loss", Hide: true, Tall: true, Caption: caption}
	for k, run := range of {
		curves, err := review.LossCurves(run.Dir)
		if err != nil {
			return err
		}
		for i := range curves {
			curves[i].Name, curves[i].Colour, curves[i].Dash = run.Name, report.ColourOf(k), k > 3
		}
		if len(curves) > 1 {
			c.Caption = caption + " A band reaches from the lowest to the highest of several seeds, the line is their mean."
		}
		c.Series = append(c.Series, curves...)
	}
	if c.Series == nil {
		return nil
	}
	c.X, c.Y = review.CurveAxes("validation loss", true, c.Series)
	d.Parts = append(d.Parts, report.Heading{Title: "Training"}, c)
	return nil
}

// pair has two sets of predictions, and the rows with the same items.
type pair struct {
	one, other       string // names of the runs
	mine, theirs     *items.Set
	rowsOne, rowsTwo []int32
}

// change is an item whose prediction is better or worse in the other run.
type change struct {
	a, b items.Row
	by   float64 // error of the other run minus that of the first
}

// changes returns the changed items, the largest differences first: for classes, items that only
// one of the runs predicts correctly.
func (p *pair) changes() (out []change) {
	for k, r := range p.rowsOne {
		a, b := p.mine.Row(r), p.theirs.Row(p.rowsTwo[k])
		x, known := a.Error()
		y, too := b.Error()
		if known && too && x != y && (!p.mine.Classes() || x == 0 || y == 0) {
			out = append(out, change{a, b, y - x})
		}
	}
	slices.SortStableFunc(out, func(x, y change) int { return cmp.Compare(math.Abs(y.by), math.Abs(x.by)) })
	return out
}

// changed returns the parts of a document about the changed items.
func (p *pair) changed() []report.Part {
	changes := p.changes()
	better := lists.Count(changes, func(c change) bool { return c.by < 0 })
	text := "%s better predicted by %s and %s by %s, of %s."
	if p.mine.Classes() {
		text = "%s correct in %s alone and %s in %s alone, of %s."
	}
	heading := report.Heading{Title: "Items that changed", Lines: []string{fmt.Sprintf(text, report.Counted(better, "item"), p.other, report.Count(len(changes)-better), p.one, report.Count(len(p.rowsOne)))}}
	if len(changes) == 0 {
		return []report.Part{heading}
	}
	if len(changes) > mostChanged {
		heading.Lines = append(heading.Lines, fmt.Sprintf("Listed are the %d with the largest difference.", mostChanged))
	}
	l := &report.DataTable{Label: "Items that changed", Stack: true}
	names := p.mine.Names()
	for _, n := range names {
		l.Columns = append(l.Columns, report.DataColumn{Name: n, Left: !p.mine.Number(n) || slices.Contains(itemNames, n)})
	}
	l.Columns = append(l.Columns, report.DataColumn{Name: "error, " + p.one}, report.DataColumn{Name: "error, " + p.other}, report.DataColumn{Name: "difference", Class: "p2"})
	changes = changes[:min(len(changes), mostChanged)]
	mine, theirs, decimals := lists.Map(changes, func(c change) items.Row { return c.a }), lists.Map(changes, func(c change) items.Row { return c.b }), 3
	if !p.mine.Classes() {
		decimals = report.ThreeDigits(changes[0].by)
	}
	texts, errors := itemTexts(p.mine, mine, names), itemTexts(p.mine, slices.Concat(mine, theirs), []string{items.ErrorColumn})[0]
	for k, c := range changes {
		var row []report.DataCell
		for i := range names {
			row = append(row, report.TextCell(texts[i][k]))
		}
		row[0].Link = graphOf("./runs/"+url.PathEscape(p.one)+"/graph", c.a)
		for _, text := range []string{errors[k], errors[len(changes)+k], report.Signed(c.by, decimals)} {
			row = append(row, report.TextCell(text))
		}
		l.Rows = append(l.Rows, report.DataRow{Cells: row})
	}
	return []report.Part{heading, l}
}

// configured adds the settings in which the runs differ.
func configured(d *report.Document, of []*opened) error {
	all := map[string]bool{}
	var flat []map[string]string
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "setting", Left: true}}}
	for _, run := range of {
		set, err := run.settings()
		if err != nil {
			return err
		}
		flat = append(flat, set.Flat())
		for name := range flat[len(flat)-1] {
			all[name] = true
		}
		l.Columns = append(l.Columns, report.ListingColumn{Name: run.Name, Left: true})
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "model.learners" || name == "model.column_families" { // training sets these
			continue
		}
		row, differ := []string{name}, false
		for _, f := range flat {
			differ = differ || f[name] != flat[0][name]
			row = append(row, settingText(f[name]))
		}
		if differ {
			l.Rows = append(l.Rows, row)
		}
	}
	d.Parts = append(d.Parts, report.Heading{Title: "Settings that differ", Lines: []string{fmt.Sprintf("%d of %d settings.", len(l.Rows), len(all))}})
	if l.Rows != nil {
		d.Parts = append(d.Parts, proseTable(l, "Settings that differ"))
	}
	return nil
}

// settingText is a shortened setting; fractions have three digits.
func settingText(text string) string {
	text = strings.Trim(text, `"`)
	if v, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".e") {
		return report.Significant(v)
	}
	return report.ShortDecimals(short(text, 40))
}
