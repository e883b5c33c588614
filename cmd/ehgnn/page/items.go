package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// itemsForm is the content of the form of the items.
type itemsForm struct {
	items.Query
	Parts          []string
	Sorts          []choice
	Columns        []string
	CSV            string // address of the file
	First, Last    string // items on the page, from 1
	Total          string // empty for none
	Previous, Next string // addresses; empty for none
}

// pageSize is the number of rows on a page of a long table.
const pageSize = 25

// mostNarrow is how many columns of items are shown below 1,080 pixels, in addition to the error.
const mostNarrow = 7

// choice is an option of a form.
type choice struct {
	Value, Text string
	Chosen      bool
}

// choices returns options, one of which is chosen.
func choices(chosen string, values ...string) (out []choice) {
	for _, v := range values {
		out = append(out, choice{v, v, v == chosen})
	}
	return out
}

func queryOf(r *http.Request) items.Query {
	f := r.URL.Query()
	return items.Query{Part: f.Get("part"), Sort: f.Get("sort"), Filter: f.Get("filter"), After: f.Get("after"), Size: pageSize}
}

// showItems lists stored predictions.
func (s *site) showItems(o *opened, r *http.Request) (*view, error) {
	v := &view{Title: "Items of " + o.Name, Tab: "items"}
	set, err := o.Stored()
	if errors.Is(err, items.ErrNone) {
		v.Problem = "The run has no stored predictions: it has not finished, or its data have no test set."
		v.Help = []string{"ehgnn predict RUN DATA predicts for other data."}
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	q := queryOf(r)
	page, err := set.Select(q)
	var wrong *items.QueryError
	if errors.As(err, &wrong) {
		v.Problem = sentence(err)
		page, err = &items.Page{}, nil
	}
	if err != nil {
		return nil, err
	}
	if q.Sort == "" {
		q.Sort = set.DefaultSort()
	}
	form := &itemsForm{Query: q, Parts: set.Parts(), Columns: set.Columns(), First: report.Count(page.Begin + min(1, len(page.Rows))), Last: report.Count(page.Begin + len(page.Rows))}
	if page.Total > 0 {
		form.Total = report.Count(page.Total)
	}
	form.Sorts = append(form.Sorts, choice{items.RowSort, "order of the file", q.Sort == items.RowSort})
	for _, c := range form.Columns {
		up, down := c+", from the first", c+", from the last"
		if set.Number(c) {
			up, down = c+", smallest first", c+", largest first"
		}
		form.Sorts = append(form.Sorts, choice{"-" + c, down, q.Sort == "-"+c}, choice{c, up, q.Sort == c})
	}
	address := func(after string) string { return "?" + itemsQuery(q, after).Encode() }
	form.CSV = "items.csv?" + itemsQuery(q, "").Encode()
	if page.Next != "" {
		form.Next = address(page.Next)
	}
	if page.Begin > 0 {
		form.Previous = address(strconv.Itoa(max(0, page.Begin-pageSize)))
	}
	v.Form, v.Data = "items", form
	v.Lead = []string{fmt.Sprintf("%s stored predictions of the run, with true values. %s", report.Count(set.Len()), meaning(set))}
	return v.setDocument(&report.Document{Parts: []report.Part{itemsTable(set, q, page.Rows, o.ownColumns(r.Context(), page.Rows))}})
}

// meaning explains the column of errors.
func meaning(set *items.Set) string {
	if !slices.Contains(set.Columns(), items.ErrorColumn) {
		return ""
	}
	if set.Classes() {
		return "The error is the probability of a wrongly predicted class, and 0 where the prediction is correct."
	}
	return "The error is the absolute one."
}

func itemsQuery(q items.Query, after string) url.Values {
	out := url.Values{}
	for name, value := range map[string]string{"part": q.Part, "sort": q.Sort, "filter": q.Filter, "after": after} {
		if value != "" {
			out.Set(name, value)
		}
	}
	return out
}

// mostOwn is how many data columns a table of items has.
const mostOwn = 4

// ownColumns returns features of items from the training data; nil if the data are missing or are not tables.
func (o *opened) ownColumns(ctx context.Context, rows []items.Row) (out []session.OwnColumn) {
	g, end, err := o.withData(ctx)
	if err != nil {
		return nil // the screen works without them
	}
	defer end()
	part, err := g.session.Part(source.PartTest)
	if err != nil || len(part.Graphs) != 1 {
		return nil
	}
	at := make([]source.Place, len(rows))
	for k, r := range rows {
		item := r.Number
		if part.Items != nil && item < len(part.Items) {
			item = int(part.Items[item])
		}
		if at[k].Item = item; r.Text(items.PartColumn) != source.PartTest || item >= task.CountOf(part.Graphs[0], g.session.Task.Level) {
			return nil
		}
	}
	for _, c := range part.Name(g.session.Task.Level, at) {
		for k, text := range c.Texts() {
			if text != rows[k].Text(c.Name) { // the predictions are for other data
				return nil
			}
		}
	}
	own, err := g.session.OwnColumns(source.PartTest, at)
	if err != nil {
		return nil
	}
	own = lists.Filter(own, func(c session.OwnColumn) bool { return !c.Key })
	own = own[:min(len(own), mostOwn)]
	for k, c := range own {
		if c.Number {
			own[k].Texts = report.PlainNumbers(c.Texts)
		}
	}
	return own
}

// itemsTable has a row for each item, which links to its graph, with data columns before the predictions.
func itemsTable(set *items.Set, q items.Query, rows []items.Row, own []session.OwnColumn) *report.DataTable {
	t := &report.DataTable{Label: "Items", Stack: true, Empty: "No item is so. An empty filter shows all."}
	columns := shownFirst(set)
	ends := slices.IndexFunc(columns, func(c string) bool { return !slices.Contains(itemNames, c) && columns[0] != c })
	for i, c := range columns {
		if i == ends {
			for _, o := range own {
				t.Columns = append(t.Columns, report.DataColumn{Name: o.Name, Left: !o.Number, Class: "p1"})
			}
		}
		column := report.DataColumn{Name: c, Left: i == 0 || !set.Number(c) || slices.Contains(itemNames, c)}
		column.SortLink, column.Sorted = sortedBy(q, c)
		if i >= mostNarrow && c != items.ErrorColumn {
			column.Class = "p1"
		}
		t.Columns = append(t.Columns, column)
	}
	texts := itemTexts(set, rows, columns)
	for k, r := range rows {
		var row report.DataRow
		for i := range columns {
			if i == ends {
				for _, o := range own {
					row.Cells = append(row.Cells, report.TextCell(short(o.Texts[k], 60)))
				}
			}
			cell := report.TextCell(texts[i][k])
			if i == 0 {
				cell.Link = graphOf("graph", r)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sortedBy returns the address of the items sorted by a column, largest first, or reversed if they are already sorted
// so; and the current order, as in DataColumn.Sorted.
func sortedBy(q items.Query, column string) (address, now string) {
	next := "-" + column
	switch q.Sort {
	case column:
		now = "ascending"
	case next:
		next, now = column, "descending"
	}
	q.Sort = next
	return "?" + itemsQuery(q, "").Encode(), now
}

// itemNames are columns that identify the item of a row.
var itemNames = []string{"graph", "row", "edge", "node", "source", "target"}

// shownFirst returns the columns of a set for a table: with the data's id of an edge instead of its number, with one of
// two probabilities, and without the part if all items have the same.
func shownFirst(set *items.Set) (out []string) {
	all := set.Columns()
	probability := func(c string) bool { return strings.HasPrefix(c, "probability_") }
	of := strings.TrimPrefix(set.DefaultSort(), "-") // the positive class
	one := probability(of) && len(lists.Filter(all, probability)) == 2
	own := slices.Index(all, "target") + 1
	if all[0] == "edge" && own > 0 && own < len(all) && !slices.Contains([]string{"label", "prediction", items.PartColumn}, all[own]) {
		all = slices.Concat(all[own:own+1], all[1:own], all[own+1:])
	}
	for _, c := range all {
		if c == items.PartColumn && len(set.Parts()) == 1 || one && probability(c) && c != of {
			continue
		}
		out = append(out, c)
	}
	return out
}

// itemTexts formats columns for a page: probabilities and errors of classes with three decimals, true numbers with the
// decimals of the data, other numbers with three digits for the largest; ids are unchanged.
func itemTexts(set *items.Set, rows []items.Row, columns []string) [][]string {
	return lists.Map(columns, func(c string) []string {
		texts := lists.Map(rows, func(r items.Row) string { return r.Text(c) })
		score, largest := strings.HasPrefix(c, "probability") || c == items.ErrorColumn && set.Classes(), 0.0
		for _, text := range texts {
			if v, err := strconv.ParseFloat(text, 64); err == nil && set.Number(c) && !slices.Contains(itemNames, c) && strings.Contains(text, ".") {
				largest = max(largest, math.Abs(v))
			}
		}
		truth := strings.HasPrefix(c, "label")
		if truth && largest > 0 {
			texts = report.PlainNumbers(texts)
		}
		return lists.Map(texts, func(text string) string {
			v, err := strconv.ParseFloat(text, 64)
			switch {
			case text == "":
				return report.None
			case largest == 0 || truth || err != nil:
				return short(text, 60)
			case score && v == 0:
				return "0"
			case score:
				return report.Score(v)
			}
			return report.Fixed(v, report.ThreeDigits(largest))
		})
	})
}

// graphOf is the address of the graph of an item, around its node or edge. screen is the address of the
// screen of graphs.
func graphOf(screen string, r items.Row) string {
	q := url.Values{}
	for _, column := range []string{"graph", "row"} {
		if name := r.Text(column); name != "" {
			q.Set("graph", name)
		}
	}
	for _, column := range []string{"node", "source"} {
		if name := r.Text(column); name != "" {
			q.Set("node", name)
		}
	}
	for column, as := range map[string]string{"target": "to", "edge": "item"} {
		if name := r.Text(column); name != "" {
			q.Set(as, name)
		}
	}
	return screen + "?" + q.Encode()
}

// itemsFile writes all items of a query as CSV.
func (s *site) itemsFile(o *opened, r *http.Request, w io.Writer) (name, kind string, err error) {
	set, err := o.Stored()
	if errors.Is(err, items.ErrNone) {
		return "", "", &httpError{http.StatusNotFound, "The run has no stored predictions."}
	}
	if err != nil {
		return "", "", err
	}
	err = set.WriteCSV(w, queryOf(r))
	var wrong *items.QueryError
	if errors.As(err, &wrong) {
		err = &httpError{http.StatusBadRequest, sentence(err)}
	}
	return "items.csv", "text/csv; charset=utf-8", err
}
