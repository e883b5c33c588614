package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
)

// Page is what WriteHTML shows: a grid, all its cells one below the other, and
// remarks.
type Page struct {
	Title string
	// Lead are paragraphs above the grid, Notes remarks below it.
	Lead, Notes []string
	Grid        *Grid
	// Columns is what the grid's columns are: "data set".
	Columns string
	// Problems are shown with emphasis, as failed cells; nil for none.
	Problems []string
}

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// WriteHTML writes a page that needs no other file: no script, no font, nothing
// from the network. All text is escaped.
func WriteHTML(w io.Writer, p Page) error {
	if err := p.Grid.Check(); err != nil {
		return err
	}
	v := struct {
		Page
		Header []string
		Rows   []pageRow
		List   pageList
	}{Page: p, Header: append([]string{p.Grid.Corner}, p.Grid.Columns...), List: p.list()}
	g := p.Grid
	if g.Average {
		v.Header = append(v.Header, "average")
	}
	best, top := g.Best(), g.averageBest()
	for i, r := range g.Rows {
		row := pageRow{Label: r.Label}
		for j := range g.Columns {
			row.Cells = append(row.Cells, g.pageCell(g.cell(i, j), best[i][j]))
		}
		if g.Average {
			row.Cells = append(row.Cells, g.pageCell(g.averageCell(i), i == top))
		}
		v.Rows = append(v.Rows, row)
	}
	var b bytes.Buffer // so that a failing template writes nothing
	if err := pageTemplate.Execute(&b, v); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
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

func (g *Grid) pageCell(c GridCell, best bool) pageCell {
	f := g.format()
	out := pageCell{Ours: g.ours(c), Best: best, Pending: c.Runs == 0, Note: c.Note}
	if p := f.paper(c.Cell); p != none {
		out.Paper = p
	}
	if d, ok := c.Difference(); ok {
		out.Difference, out.Sign = f.difference(c.Cell), "down"
		if d > 0 != g.Lower {
			out.Sign = "up"
		}
	}
	return out
}

// pageList is the table of all cells.
type pageList struct {
	Header []string
	Rows   [][]string
	Left   []bool
}

func (p *Page) list() pageList {
	c := p.Grid.Comparison(p.Columns)
	var l pageList
	l.Header, l.Rows, l.Left = c.cells(func(s string, best bool) string {
		if best {
			return s + " *"
		}
		return s
	})
	return l
}
