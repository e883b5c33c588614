package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"unbroken": unbroken, "dated": dated, "breakable": breakable}).Parse(pageText))

var (
	bracketed   = regexp.MustCompile(`\[[^\]]{1,40}\]`)
	date        = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)
	beforeSign  = regexp.MustCompile(`(\d) %`)
	wordPart    = regexp.MustCompile(`[^_/-]{1,14}[_/-]*|[_/-]+`)
	longestWord = 14 // longest word that the head of a column does not break
)

// unbroken is a text in which bracketed intervals, percentages and dates are not broken between lines.
func unbroken(text string) template.HTML {
	text = bracketed.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") })
	return dated(beforeSign.ReplaceAllString(text, "$1\u00a0%"))
}

// dated is a text in which dates are not broken at their hyphens.
func dated(text string) template.HTML {
	return template.HTML(date.ReplaceAllString(template.HTMLEscapeString(text), `<span class="date">$0</span>`))
}

// breakable is the name of a column in which long words may be broken, if possible after an underscore, a slash or a hyphen.
func breakable(name string) template.HTML {
	words := strings.Split(name, " ")
	for i, word := range words {
		parts := []string{word}
		if utf8.RuneCountInString(word) > longestWord {
			parts = wordPart.FindAllString(word, -1)
		}
		for k := range parts {
			parts[k] = template.HTMLEscapeString(parts[k])
		}
		words[i] = strings.Join(parts, "<wbr>")
	}
	return template.HTML(strings.Join(words, " "))
}

// pagePart is a Part in the form of a page.
type pagePart = template.HTML

// render makes a part of a page with one of the templates.
func render(name string, data any) (pagePart, error) {
	var b bytes.Buffer
	err := pageTemplate.ExecuteTemplate(&b, name, data)
	return pagePart(visible(b.Bytes())), err
}

// style is the style sheet of pages, and script their script.
var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Style is the style sheet of pages, for a site that contains a Body.
func Style() string { return style }

// Script is the script of pages, for a site that contains a Body.
func Script() string { return script }

// scriptHash allows a page with a content security policy to run only this script.
var scriptHash = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
})

// page is a document in the form that the templates read.
type page struct {
	*Document
	Style    template.CSS
	Script   template.JS
	Hash     string
	Contents []Heading // sections with a name, after the result
	Parts    []pagePart
	Details  []pageDetail
}

func (d *Document) page() (*page, error) {
	p := &page{Document: d, Style: template.CSS(style), Script: template.JS(script), Hash: scriptHash()}
	for _, of := range d.Parts {
		switch h := of.(type) {
		case Verdict:
			p.Contents = append(p.Contents, Heading{Name: "Result"})
		case Heading:
			if h.Name != "" {
				p.Contents = append(p.Contents, h)
			}
		}
		part, err := of.html()
		if err != nil {
			return nil, err
		}
		p.Parts = append(p.Parts, part)
	}
	if len(p.Contents) == 1 {
		p.Contents = nil // a list of one entry is useless
	}
	for _, c := range d.Details {
		table, err := c.table()
		if err != nil {
			return nil, err
		}
		p.Details = append(p.Details, pageDetail{c.Title, table})
	}
	return p, nil
}

// WriteHTML writes the document as a self-contained page: no fonts, nothing from the network, and one script, without
// which the page is still complete. All text is escaped.
func (d *Document) WriteHTML(w io.Writer) error {
	p, err := d.page()
	if err != nil {
		return err
	}
	var b bytes.Buffer // so that a failing template writes nothing
	if err := pageTemplate.Execute(&b, p); err != nil {
		return err
	}
	_, err = w.Write(visible(b.Bytes()))
	return err
}

// visible replaces control characters, which data may contain, by their escapes.
func visible(page []byte) []byte {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if bytes.IndexFunc(page, control) < 0 {
		return page
	}
	out := make([]byte, 0, len(page))
	for _, r := range string(page) {
		if control(r) {
			out = fmt.Appendf(out, `\x%02x`, r)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// Body is the content of WriteHTML between <main> and </main>: headings, tables and figures without
// inline styles or scripts, for a page that has the Style and the Script.
func (d *Document) Body() (template.HTML, error) {
	p, err := d.page()
	if err != nil {
		return "", err
	}
	return render("body", p)
}

// BodyOf is the Body of a page that WriteHTML wrote, with links to the screens of a run below an address.
func BodyOf(page []byte, screens string) (template.HTML, error) {
	_, rest, begun := bytes.Cut(page, []byte("<main>"))
	body, _, ended := bytes.Cut(rest, []byte("</main>"))
	if !begun || !ended {
		return "", errors.New("report: the page has no <main>, as those of ehgnn have")
	}
	links := []byte(` href="` + strings.ReplaceAll(template.HTMLEscapeString(screens), "$", "$$") + `/`)
	return template.HTML(screenLink.ReplaceAll(body, links)), nil
}

// screenLink marks the start of a link to a screen, and its replacement in a file.
var screenLink = regexp.MustCompile(`( href="#[^"]*")? data-href="`)

// pageTable is a table of texts. Left says which columns hold words; Class is the CSS class of each
// row, nil for none.
type pageTable struct {
	Header []string
	Rows   [][]string
	Left   []bool
	Class  []string
}

// Stack reports whether narrow pages show each row as a block, because there are too many columns.
func (t pageTable) Stack() bool { return len(t.Header) > 3 }

// pageDetail is a table collapsed under a summary line.
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
			row.Cells = append(row.Cells, g.cell(i, j).onPage(best[i][j], column.Lower))
		}
		if g.Average {
			row.Cells = append(row.Cells, g.averageCell(i).onPage(i == top, g.Columns[0].Lower))
		}
		rows = append(rows, row)
	}
	return render("grid", struct {
		Header []string
		Rows   []pageRow
	}{g.header(), rows})
}

func (c GridTableCell) onPage(best, lower bool) pageCell {
	out := pageCell{Ours: c.ours(), Best: best, Pending: c.Runs == 0, Note: c.Note}
	if p := c.papers(); p != None {
		out.Paper = p
	}
	if d, ok := c.Difference(); ok {
		out.Difference, out.Sign = c.between(), "down"
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
