package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pagePart is a Part as it stands on a page.
type pagePart = template.HTML

// render makes a part of a page by one of the templates.
func render(name string, data any) (pagePart, error) {
	var b bytes.Buffer
	err := pageTemplate.ExecuteTemplate(&b, name, data)
	return pagePart(b.String()), err
}

// WriteHTML writes the document as a page that needs no other file: no script, no font,
// nothing from the network. All text is escaped.
func (d *Document) WriteHTML(w io.Writer) error {
	page := struct {
		*Document
		Parts   []pagePart
		Details []pageDetail
	}{Document: d}
	for _, p := range d.Parts {
		part, err := p.html()
		if err != nil {
			return err
		}
		page.Parts = append(page.Parts, part)
	}
	for _, c := range d.Details {
		table, err := c.table()
		if err != nil {
			return err
		}
		page.Details = append(page.Details, pageDetail{c.Title, table})
	}
	var b bytes.Buffer // so that a failing template writes nothing
	if err := pageTemplate.Execute(&b, page); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

// pageTable is a table of texts; Left tells the columns of words, Class how each row looks,
// nil for all alike.
type pageTable struct {
	Header []string
	Rows   [][]string
	Left   []bool
	Class  []string
}

// pageDetail is a table that is folded up under a line.
type pageDetail struct {
	Title string
	Table pagePart
}

type pageRow struct {
	Label string
	Cells []pageCell
}

// pageCell is a formatted cell; Sign is "up" or "down" by the difference.
type pageCell struct {
	Ours, Paper, Difference, Sign, Note string
	Best, Pending                       bool
}

func (g *GridTable) html() (pagePart, error) {
	if err := g.Check(); err != nil {
		return "", err
	}
	best, top := g.Best(), g.averageBest()
	var rows []pageRow
	for i, r := range g.Rows {
		row := pageRow{Label: r.Label}
		for j, column := range g.Columns {
			row.Cells = append(row.Cells, g.pageCell(g.cell(i, j), best[i][j], column.Lower))
		}
		if g.Average {
			row.Cells = append(row.Cells, g.pageCell(g.averageCell(i), i == top, g.Columns[0].Lower))
		}
		rows = append(rows, row)
	}
	return render("grid", struct {
		Header []string
		Rows   []pageRow
	}{g.header(), rows})
}

func (g *GridTable) pageCell(c GridTableCell, best, lower bool) pageCell {
	f := g.format()
	out := pageCell{Ours: g.ours(c), Best: best, Pending: c.Runs == 0, Note: c.Note}
	if p := f.paper(c.Cell); p != None {
		out.Paper = p
	}
	if d, ok := c.Difference(); ok {
		out.Difference, out.Sign = f.difference(c.Cell), "down"
		if d > 0 != lower {
			out.Sign = "up"
		}
	}
	return out
}

func (c *Comparison) html() (pagePart, error) {
	table, err := c.table()
	if err != nil || c.Title == "" {
		return table, err
	}
	return render("titled", pageDetail{c.Title, table})
}

// table is the comparison on a page without its title.
func (c *Comparison) table() (pagePart, error) {
	header, rows, left := c.cells(func(s string, best bool) string {
		if best {
			return s + " *"
		}
		return s
	})
	return render("table", pageTable{Header: header, Rows: rows, Left: left})
}
