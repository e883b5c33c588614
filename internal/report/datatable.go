package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DataTable is a Part: a table with sortable columns. A cell can have a note, an interval, a link, or dots with
// intervals on an axis shared by the column.
type DataTable struct {
	Label   string // description for readers who cannot see the table
	Columns []DataColumn
	Rows    []DataRow
	Stack   bool   // narrow pages show each row as a block
	Class   string // CSS class: board, narrow, w1; empty for none
	Note    string // below the table
	// Empty is the text of the only row of a table without rows.
	Empty string
	Keys  []TableKey // legend of dot colours, above the table
	// Kinds are buttons that show only the rows of one DataRow.Kind; nil for none.
	Kinds []string
}

// TableKey is a colour of dots with its meaning.
type TableKey struct{ Name, Colour string }

// Shape is the form of the colour in the legend.
func (TableKey) Shape() string { return "dot" }

// DataColumn is a column of a DataTable.
type DataColumn struct {
	Name, Unit string
	Left       bool   // left-aligned, for words
	Class      string // p1: hidden below 1,080 pixels, p2: hidden below 760
	Sort       bool   // the head is a button that sorts
	SortLink   string // link of the head to the rows sorted by the column; empty for none
	Sorted     string // ascending or descending, if the rows are sorted by the column; else empty
	Bar        *Axis  // axis of dots; nil for texts
}

// DataRow is a row of a DataTable. A row with a Group is a heading and has no cells.
type DataRow struct {
	Group       string
	Cells       []DataCell
	Best, Faint bool
	Kind        string
}

// DataCell is a cell. Value is the sort key, NaN to sort by the text.
type DataCell struct {
	Text, Interval, Note, Pill string
	Choose                     string // a checkbox with this value in the form called compare
	NoChoice                   bool   // a disabled checkbox
	Value                      float64
	Link                       string
	// Screen is the address of a screen of the run, relative to the run: a link on the page of ehgnn serve, a text in a file.
	Screen string
	InFile string // address within a report file that replaces the screen; empty for none
	Wrap   bool
	Dots   []Dot
}

// Dot is a value with its interval, NaN for none, on the axis of a column.
type Dot struct {
	Value, Low, High float64
	Colour           string
}

// Cell returns a cell with a text.
func TextCell(text string) DataCell { return DataCell{Text: text, Value: math.NaN()} }

// NumberCell returns a cell with a number and its text.
func NumberCell(text string, v float64) DataCell { return DataCell{Text: text, Value: v} }

// Sortable is the sort key for the script; empty for the text.
func (c DataCell) Sortable() string {
	if math.IsNaN(c.Value) {
		return ""
	}
	return strconv.FormatFloat(c.Value, 'g', 8, 64)
}

// Label is the heading of column j, shown beside its value in a block.
func (c DataColumn) Label() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " [" + c.Unit + "]"
}

// CellClass is the CSS class of the cells of column j.
func (t *DataTable) CellClass(j int, c DataCell) string {
	column := t.Columns[j]
	class := column.Class
	if column.Left {
		class += " left"
	}
	if c.Wrap || column.Left && hasLongWord(c.Text) {
		class += " w"
	}
	if column.Bar != nil {
		class += " bar"
	}
	return strings.TrimSpace(class)
}

// hasLongWord reports whether a text has a word that may need a line break.
func hasLongWord(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool { return utf8.RuneCountInString(w) > longestWord })
}

// HeadClass is the CSS class of the head of a column.
func (t *DataTable) HeadClass(j int) string { return t.CellClass(j, DataCell{}) }

// Picture draws the dots of a cell, one below another.
func (t *DataTable) Picture(j int, c DataCell) template.HTML {
	axis := t.Columns[j].Bar
	var b strings.Builder
	b.WriteString(`<svg aria-hidden="true">`)
	for _, v := range axis.Ticks {
		x := percentOf(axis.At(v))
		fmt.Fprintf(&b, `<line x1="%[1]s" x2="%[1]s" y2="100%%" class="g"/>`, x)
	}
	for k, d := range c.Dots {
		y := 18 + 12*(float64(k)-float64(len(c.Dots)-1)/2)
		colour := "var(--" + d.Colour + ")"
		if !math.IsNaN(d.Low) {
			fmt.Fprintf(&b, `<line x1="%s" x2="%s" y1="%g" y2="%[3]g" stroke="%s" stroke-width="3"/>`, percentOf(axis.At(d.Low)), percentOf(axis.At(d.High)), y, colour)
		}
		fmt.Fprintf(&b, `<circle cx="%s" cy="%g" r="5" fill="%s"/>`, percentOf(axis.At(d.Value)), y, colour)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// Ticks draws the ticks of a column of dots: all if there is room, else few.
func (t *DataTable) Ticks(j int) template.HTML {
	axis := t.Columns[j].Bar
	few := axis.few()
	if len(few) > 2 {
		few = []float64{few[0], few[len(few)-1]}
	}
	var b strings.Builder
	b.WriteString(`<span class="ticks"><svg aria-hidden="true">`)
	for _, v := range axis.Ticks {
		class := ""
		if !slices.Contains(few, v) {
			class = ` class="o"`
		}
		at, text, anchor := axis.At(v), axis.Text(v), `text-anchor="middle"`
		if utf8.RuneCountInString(text) > 2 { // a long text at an end stays in its column
			switch at {
			case 0:
				anchor = `text-anchor="start" dx="-10"`
			case 1:
				anchor = `text-anchor="end" dx="10"`
			}
		}
		fmt.Fprintf(&b, `<text x="%s" y="15" %s%s>%s</text>`, percentOf(at), anchor, class, text)
	}
	b.WriteString(`</svg></span>`)
	return template.HTML(b.String())
}

func (t *DataTable) html() (pagePart, error) {
	for i, r := range t.Rows {
		if r.Group == "" && len(r.Cells) != len(t.Columns) {
			return "", fmt.Errorf("report: row %d of %q has %d cells, expected %d", i+1, t.Label, len(r.Cells), len(t.Columns))
		}
	}
	return render("datatable", t)
}

// plainListing has the texts of the table.
func (t *DataTable) plainListing() *Listing {
	l := &Listing{}
	var shown []int
	for j, c := range t.Columns {
		if c.Bar == nil {
			shown = append(shown, j)
			l.Columns = append(l.Columns, ListingColumn{Name: c.Label(), Left: c.Left})
		}
	}
	for _, r := range t.Rows {
		var row []string
		for _, j := range shown {
			switch {
			case r.Group != "" && j == 0:
				row = append(row, r.Group)
			case r.Group != "":
				row = append(row, "")
			default:
				c := r.Cells[j]
				row = append(row, strings.TrimSpace(c.Text+" "+c.Interval))
			}
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// Text is the table without drawings.
func (t *DataTable) Text() string { return t.plainListing().Text() }

// Markdown is the table without drawings.
func (t *DataTable) Markdown() string { return t.plainListing().Markdown() }
