package items

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// PageSize is how many items Select returns at a time by default.
const PageSize = 100

// Query asks for items.
type Query struct {
	// Part is the part of the items; empty for all stored items.
	Part string
	// Sort is the column to sort items by, with a leading - for the largest first; empty for
	// DefaultSort, "row" for the order of the file.
	Sort string
	// Filter has conditions that must all hold, separated by spaces: COLUMN=VALUE, !=, <, <=, >, >=, ~
	// for "contains the text", and words that some text of the item must contain. A value with spaces
	// is in double quotes.
	Filter string
	// Size is the number of items on a page; 0 for PageSize.
	Size int
	// After is the start: the Next of the previous page; empty for the first page.
	After string
}

// RowSort is the Query.Sort for the order of the file.
const RowSort = "row"

// Page is an answer.
type Page struct {
	Rows  []Row
	Total int    // filtered items on all pages
	Begin int    // number of items on earlier pages
	Next  string // After of the next page; empty on the last
}

// Row is an item.
type Row struct {
	set *Set
	// Number is its index in the file, from 0.
	Number int
}

// Text is the item's text in a column, as in the file; empty if it is missing.
func (r Row) Text(column string) string {
	if c := r.set.find(column); c != nil {
		return c.text[r.Number]
	}
	return ""
}

// Error is the error of the prediction (ErrorColumn); false if it is unknown.
func (r Row) Error() (float64, bool) {
	c := r.set.find(ErrorColumn)
	if c == nil || c.numbers == nil || c.text[r.Number] == "" {
		return 0, false
	}
	return c.numbers[r.Number], true
}

// Cells returns the texts of all columns, in the order of Set.Columns.
func (r Row) Cells() []string {
	return lists.Map(r.set.columns, func(c column) string { return c.text[r.Number] })
}

// Values returns the columns by name, for JSON: numbers as numbers, nil for missing ones. Names of
// graphs, nodes and edges are texts even if they look like numbers, because readers of JSON keep only 53
// bits of a number.
func (r Row) Values() map[string]any {
	out := map[string]any{"row": r.Number}
	for _, c := range r.set.columns {
		switch {
		case c.numbers == nil || !computed(c.name):
			out[c.name] = c.text[r.Number]
		case c.text[r.Number] == "":
			out[c.name] = nil
		default:
			out[c.name] = json.Number(c.text[r.Number])
		}
	}
	return out
}

// computed reports whether a column has computed numbers, not names.
func computed(column string) bool {
	stem, _, _ := strings.Cut(column, "_")
	switch stem {
	case "probability", "prediction", "label", "lower", "upper", "std":
		return true
	}
	return column == "edge" || column == ErrorColumn
}

// QueryError is an invalid query.
type QueryError struct {
	Field string // "part", "sort", "filter" or "after"
	Text  string
}

func (e *QueryError) Error() string { return "items: " + e.Field + ": " + e.Text }

// Select answers a query, one page at a time; a *QueryError for an invalid query.
func (s *Set) Select(q Query) (*Page, error) {
	begin := 0
	if q.After != "" {
		n, err := strconv.Atoi(q.After)
		if err != nil || n < 0 {
			return nil, &QueryError{"after", fmt.Sprintf("%q, expected the cursor of a page", q.After)}
		}
		begin = n
	}
	rows, err := s.selected(q)
	if err != nil {
		return nil, err
	}
	p := &Page{Total: len(rows), Begin: min(begin, len(rows))}
	end := min(p.Begin+cmp.Or(q.Size, PageSize), len(rows))
	for _, i := range rows[p.Begin:end] {
		p.Rows = append(p.Rows, Row{s, int(i)})
	}
	if end < len(rows) {
		p.Next = strconv.Itoa(end)
	}
	return p, nil
}

// selected returns the rows of all pages.
func (s *Set) selected(q Query) ([]int32, error) {
	q.Sort = cmp.Or(q.Sort, s.DefaultSort())
	order, err := s.order(q.Sort)
	if err != nil {
		return nil, err
	}
	conditions, err := s.conditions(q.Filter)
	if err != nil {
		return nil, err
	}
	if q.Part != "" {
		if have := s.Parts(); !slices.Contains(have, q.Part) {
			return nil, &QueryError{"part", fmt.Sprintf("no items of part %q are stored, only items of %s", q.Part, strings.Join(have, " and "))}
		}
		part := s.find(PartColumn).text
		conditions = append(conditions, func(i int32) bool { return part[i] == q.Part })
	}
	if conditions == nil {
		return order, nil
	}
	out := make([]int32, 0, len(order))
next:
	for _, i := range order {
		for _, holds := range conditions {
			if !holds(i) {
				continue next
			}
		}
		out = append(out, i)
	}
	return out, nil
}

// Parts lists the parts of the items.
func (s *Set) Parts() []string {
	return slices.Compact(slices.Sorted(slices.Values(s.find(PartColumn).text)))
}

// WriteCSV writes the items of a query, on all pages, with a header. Texts are made safe for spreadsheet
// programs (report.SpreadsheetSafe), in which people open downloads.
func (s *Set) WriteCSV(to io.Writer, q Query) error {
	rows, err := s.selected(q)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	header := s.Columns()
	for i, name := range header {
		header[i] = report.SpreadsheetSafe(name)
	}
	if err := w.Write(header); err != nil {
		return err
	}
	for _, i := range rows {
		if err := w.Write(Row{s, int(i)}.safe()); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// safe returns the columns of a row with texts that are safe for a spreadsheet; numbers do not change.
func (r Row) safe() []string {
	row := r.Cells()
	for i, c := range r.set.columns {
		if c.numbers == nil {
			row[i] = report.SpreadsheetSafe(row[i])
		}
	}
	return row
}

// operators are the operators of conditions; the first match applies.
var operators = []string{"!=", "<=", ">=", "=", "<", ">", "~"}

// conditions parses a filter.
func (s *Set) conditions(filter string) (out []func(i int32) bool, err error) {
	for _, term := range terms(filter) {
		c, err := s.condition(term)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// terms splits a filter at spaces outside double quotes, and removes the quotes.
func terms(filter string) (out []string) {
	var term strings.Builder
	quoted, begun := false, false
	for _, r := range filter {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
		case unicode.IsSpace(r) && !quoted:
			if begun {
				out = append(out, term.String())
			}
			term.Reset()
			begun = false
		default:
			term.WriteRune(r)
			begun = true
		}
	}
	if begun {
		out = append(out, term.String())
	}
	return out
}

func (s *Set) condition(term string) (func(i int32) bool, error) {
	at := strings.IndexAny(term, "!=<>~")
	if at <= 0 {
		word := strings.ToLower(term)
		return func(i int32) bool {
			return slices.ContainsFunc(s.columns, func(c column) bool { return strings.Contains(strings.ToLower(c.text[i]), word) })
		}, nil
	}
	i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(term[at:], o) })
	c := s.find(term[:at])
	if i < 0 || c == nil {
		return nil, &QueryError{"filter", fmt.Sprintf("%q, expected COLUMN=VALUE, with one of != < <= > >= ~ too; columns are %s", term, strings.Join(s.Columns(), ", "))}
	}
	return c.compares(operators[i], term[at+len(operators[i]):])
}

// compares is a condition on a column.
func (c *column) compares(operator, value string) (func(i int32) bool, error) {
	if operator == "~" {
		value = strings.ToLower(value)
		return func(i int32) bool { return strings.Contains(strings.ToLower(c.text[i]), value) }, nil
	}
	var order func(i int32) int // comparison of an item with the value
	known := func(int32) bool { return true }
	if v, err := strconv.ParseFloat(value, 64); c.numbers != nil && value != "" {
		if err != nil {
			return nil, &QueryError{"filter", fmt.Sprintf("%s%s%s: %q is no number", c.name, operator, value, value)}
		}
		known = func(i int32) bool { return c.numbers[i] == c.numbers[i] }
		order = func(i int32) int {
			switch {
			case c.numbers[i] < v:
				return -1
			case c.numbers[i] > v:
				return 1
			}
			return 0
		}
	} else {
		order = func(i int32) int { return strings.Compare(c.text[i], value) }
	}
	holds := map[string]func(o int) bool{
		"=": func(o int) bool { return o == 0 }, "!=": func(o int) bool { return o != 0 },
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 },
	}[operator]
	return func(i int32) bool { return known(i) && holds(order(i)) }, nil
}
