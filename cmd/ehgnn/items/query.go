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

// PageSize is how many items Select returns at a time, unless a query says.
const PageSize = 100

// Query asks for items.
type Query struct {
	// Part is the part that items are in; empty for all that are stored.
	Part string
	// Sort is the column that items are sorted by, after a - from the largest on; empty for
	// DefaultSort, "row" for the order of the file.
	Sort string
	// Filter is conditions that must all hold, by spaces: COLUMN=VALUE, !=, <, <=, >, >= and
	// ~ for "holds the text", and words, which some text of the item holds. A value with
	// spaces stands in double quotes.
	Filter string
	// Size is how many items a page has; 0 for PageSize.
	Size int
	// After is where to go on: the Next of a page; empty for the beginning.
	After string
}

// RowSort, as Query.Sort, stands for the order of the file.
const RowSort = "row"

// Page is an answer.
type Page struct {
	Rows  []Row
	Total int    // items that the filter leaves, on all pages
	Begin int    // how many of them are on earlier pages
	Next  string // the After of the next page; empty on the last
}

// Row is an item.
type Row struct {
	set *Set
	// Number is its place in the file, from 0.
	Number int
}

// Text is what a column says about the item, as the file has it; empty for nothing.
func (r Row) Text(column string) string {
	if c := r.set.find(column); c != nil {
		return c.text[r.Number]
	}
	return ""
}

// Error is how wrong the prediction is (ErrorColumn); false where that is not known.
func (r Row) Error() (float64, bool) {
	c := r.set.find(ErrorColumn)
	if c == nil || c.numbers == nil || c.text[r.Number] == "" {
		return 0, false
	}
	return c.numbers[r.Number], true
}

// Cells are the texts of all columns, in the order of Set.Columns.
func (r Row) Cells() []string {
	return lists.Map(r.set.columns, func(c column) string { return c.text[r.Number] })
}

// Values are the columns by name, for JSON: numbers as such, nil for those that are missing. Names of
// graphs, nodes and edges are texts, also those that look like numbers: readers of JSON keep no more than
// 53 bits of a number.
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

// computed reports whether a column has numbers that the program computed, and no names.
func computed(column string) bool {
	stem, _, _ := strings.Cut(column, "_")
	switch stem {
	case "probability", "prediction", "label", "lower", "upper", "std":
		return true
	}
	return column == "edge" || column == ErrorColumn
}

// QueryError is a wrong query.
type QueryError struct {
	Field string // "part", "sort", "filter" or "after"
	Text  string
}

func (e *QueryError) Error() string { return "items: " + e.Field + ": " + e.Text }

// Select answers a query, a page at a time; a *QueryError where it asks for what is not there.
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

// selected are the rows of all pages.
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
			return nil, &QueryError{"part", fmt.Sprintf("no items of part %q are stored, those of %s are", q.Part, strings.Join(have, " and "))}
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

// Parts are the parts that items are in.
func (s *Set) Parts() []string {
	return slices.Compact(slices.Sorted(slices.Values(s.find(PartColumn).text)))
}

// WriteCSV writes the items of a query, of all its pages, with a header. Texts are safe for a spreadsheet, in
// which people open what a page gives (report.SpreadsheetSafe).
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

// safe are the columns of a row, whose texts are safe for a spreadsheet; numbers stay.
func (r Row) safe() []string {
	row := r.Cells()
	for i, c := range r.set.columns {
		if c.numbers == nil {
			row[i] = report.SpreadsheetSafe(row[i])
		}
	}
	return row
}

// operators are those of conditions; the first that fits counts.
var operators = []string{"!=", "<=", ">=", "=", "<", ">", "~"}

// conditions reads a filter.
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

// terms divides a filter at spaces outside of double quotes, which it drops.
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
	var order func(i int32) int // how an item stands to the value
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
