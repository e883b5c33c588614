package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
)

// compareForm is what the form of a comparison shows.
type compareForm struct{ A, B []choice }

// mostChanged is how many items that changed are listed.
const mostChanged = 100

// showCompare sets two runs beside each other.
func (s *site) showCompare(r *http.Request) (*view, error) {
	v := &view{Title: "Compare two runs", Form: "compare"}
	if len(s.Runs) < 2 {
		v.Form, v.Problem = "", "There is one run here; two are needed."
		v.Help = []string{"ehgnn serve RUN RUN serves several."}
		return v, nil
	}
	a, b := r.URL.Query().Get("a"), r.URL.Query().Get("b")
	if a == "" {
		a = s.Runs[0].Name
	}
	if b == "" {
		b = s.Runs[1].Name
	}
	var names []string
	for _, r := range s.Runs {
		names = append(names, r.Name)
	}
	v.Data = &compareForm{choices(a, names...), choices(b, names...)}
	one, err := s.named(a)
	if err != nil {
		return nil, err
	}
	other, err := s.named(b)
	if err != nil {
		return nil, err
	}
	v.Title = fmt.Sprintf("%s and %s", a, b)
	d := &report.Document{}
	if err := scored(r.Context(), d, one, other); err != nil {
		return nil, err
	}
	if err := configured(d, one, other); err != nil {
		return nil, err
	}
	return v.take(d)
}

// scored adds what the runs score on the items of both, and the items that changed.
func scored(ctx context.Context, d *report.Document, one, other *opened) error {
	mine, err := one.Stored()
	var theirs *items.Set
	if err == nil {
		theirs, err = other.Stored()
	}
	if errors.Is(err, items.ErrNone) {
		d.Problems = append(d.Problems, "One of the runs has no stored predictions; only settings are compared.")
		return nil
	}
	if err != nil {
		return err
	}
	rowsA, rowsB := items.Shared(mine, theirs)
	if len(rowsA) == 0 {
		d.Problems = append(d.Problems, "The runs have predicted no item in common: their data, splits or tasks differ. Only settings are compared.")
		return nil
	}
	a, b := mine.Outcome(rowsA), theirs.Outcome(rowsB)
	if a == nil || b == nil {
		d.Problems = append(d.Problems, "Nothing true is stored with the predictions; only settings are compared.")
		return nil
	}
	set, err := one.settings()
	if err != nil {
		return err
	}
	differences, err := review.Compare(ctx, a, b, set.Target.Binary)
	if err != nil {
		if !settings.IsUsage(err) {
			return err
		}
		d.Problems = append(d.Problems, sentence(err))
		return nil
	}
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "score", Left: true}, {Name: one.Name}, {Name: other.Name}, {Name: "difference"}, {Name: "95 % interval of it"}}}
	for _, x := range differences {
		interval := report.None
		if x.Paired {
			interval = review.Number(x.Low) + " to " + review.Number(x.High)
		}
		l.Rows = append(l.Rows, []string{task.ScoreTitle(x.Name), review.Number(x.A), review.Number(x.B), review.Number(x.Of), interval})
	}
	d.Parts = append(d.Parts, report.Heading{Title: "Scores", Lines: []string{
		fmt.Sprintf("On the %s of the test parts that both runs have predicted (of %d and %d). The difference is %s minus %s. Intervals are from a bootstrap that draws the items for both alike: one that holds 0 says that the runs may be equally good on other such items.",
			report.Counted(len(rowsA), "item"), mine.Len(), theirs.Len(), other.Name, one.Name)}}, l)
	d.Parts = append(d.Parts, (&pair{one.Name, other.Name, mine, theirs, rowsA, rowsB}).changed()...)
	return nil
}

// pair is two sets of predictions, with the rows that are about the same items.
type pair struct {
	one, other       string // the names of the runs
	mine, theirs     *items.Set
	rowsOne, rowsTwo []int32
}

// change is an item whose prediction is better or worse in the other run.
type change struct {
	a, b items.Row
	by   float64 // error of the other less that of the one
}

// changes are the items that changed, the largest differences first: where classes are
// predicted those that one of the runs has right and the other has not.
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

// changed are the parts of a document on the items that changed.
func (p *pair) changed() []report.Part {
	changes := p.changes()
	better := 0
	for _, c := range changes {
		if c.by < 0 {
			better++
		}
	}
	text := "%s better predicted by %s and %d by %s, of %d."
	if p.mine.Classes() {
		text = "%s right in %s alone and %d in %s alone, of %d."
	}
	heading := report.Heading{Title: "Items that changed", Lines: []string{fmt.Sprintf(text, report.Counted(better, "item"), p.other, len(changes)-better, p.one, len(p.rowsOne))}}
	if len(changes) == 0 {
		return []report.Part{heading}
	}
	if len(changes) > mostChanged {
		heading.Lines = append(heading.Lines, fmt.Sprintf("Listed are the %d with the largest difference.", mostChanged))
	}
	l := &report.Listing{}
	names := p.mine.Names()
	for _, n := range names {
		l.Columns = append(l.Columns, report.ListingColumn{Name: n, Left: !p.mine.Number(n)})
	}
	l.Columns = append(l.Columns, report.ListingColumn{Name: "error, " + p.one}, report.ListingColumn{Name: "error, " + p.other}, report.ListingColumn{Name: "difference"})
	for _, c := range changes[:min(len(changes), mostChanged)] {
		var row []string
		for _, n := range names {
			row = append(row, c.a.Text(n))
		}
		l.Rows = append(l.Rows, append(row, c.a.Text(items.ErrorColumn), c.b.Text(items.ErrorColumn), review.Number(c.by)))
		l.Links = append(l.Links, graphOf("./runs/"+url.PathEscape(p.one)+"/graph", c.a))
	}
	return []report.Part{heading, l}
}

// configured adds the settings in which the runs differ.
func configured(d *report.Document, one, other *opened) error {
	a, err := one.settings()
	if err != nil {
		return err
	}
	b, err := other.settings()
	if err != nil {
		return err
	}
	mine, theirs := a.Flat(), b.Flat()
	all := maps.Clone(mine)
	maps.Copy(all, theirs)
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "setting", Left: true}, {Name: one.Name, Left: true}, {Name: other.Name, Left: true}}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if mine[name] != theirs[name] {
			l.Rows = append(l.Rows, []string{name, short(mine[name], 60), short(theirs[name], 60)})
		}
	}
	heading := report.Heading{Title: "Settings that differ", Lines: []string{fmt.Sprintf("%d of %d settings.", len(l.Rows), len(all))}}
	d.Parts = append(d.Parts, heading)
	if l.Rows != nil {
		d.Parts = append(d.Parts, l)
	}
	return nil
}
