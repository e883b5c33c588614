package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Document is the result of an experiment: tables of our numbers and the paper's, remarks, and all
// numbers as a value for programs. It is rendered as text, Markdown and a page; WriteFiles writes
// it to a folder.
type Document struct {
	Title string // empty if the parts have their own titles
	// About says in one line below the title of the page what was done; empty for nothing.
	About string
	// Lead has paragraphs at the start of the page.
	Lead  []string
	Parts []Part
	// Remarks are below the parts; a line break in a remark is shown only in Text.
	Remarks []string
	// Problems are emphasised, for example failed trainings.
	Problems []string
	// Details are tables below the remarks. Text leaves them out, and the page collapses them.
	Details []*Comparison
	// Sheets are tables for programs; WriteFiles writes each as a CSV file.
	Sheets []Sheet
	// Value is the document for programs, in a form that encoding/json can write.
	Value any
	// Dir is the folder with the files of WriteFiles; empty for none.
	Dir string
}

// Part is a piece of a Document: a GridTable, a Comparison, a Listing, a DataTable, a Chart, a Figure or Lines.
// Other kinds of parts render themselves in the three forms.
type Part interface {
	// Text and Markdown end with a line break.
	Text() string
	Markdown() string
	html() (pagePart, error)
}

// Sheet is a table of texts with a header.
type Sheet struct {
	Name   string // of the file, without .csv
	Header []string
	Rows   [][]string
}

// Text renders the document for a terminal.
func (d *Document) Text() string {
	blocks := textsOf(d.Parts, Part.Text)
	if d.Title != "" {
		blocks = append([]string{d.Title + "\n"}, blocks...)
	}
	var notes strings.Builder
	for _, line := range slices.Concat(d.Remarks, d.Problems) {
		notes.WriteString(line + "\n")
	}
	if notes.Len() > 0 {
		blocks = append(blocks, notes.String())
	}
	return strings.Join(blocks, "\n")
}

func textsOf(parts []Part, form func(Part) string) []string {
	var blocks []string
	for _, p := range parts {
		if text := form(p); text != "" {
			blocks = append(blocks, text)
		}
	}
	return blocks
}

// Markdown renders the document with its details.
func (d *Document) Markdown() string {
	blocks := textsOf(d.Parts, Part.Markdown)
	if d.Title != "" {
		blocks = append([]string{"### " + escapeMarkdown(d.Title) + "\n"}, blocks...)
	}
	var notes strings.Builder
	for _, line := range slices.Concat(d.Remarks, d.Problems) {
		notes.WriteString("- " + strings.ReplaceAll(line, "\n", " ") + "\n")
	}
	if notes.Len() > 0 {
		blocks = append(blocks, notes.String())
	}
	for _, c := range d.Details {
		blocks = append(blocks, c.Markdown())
	}
	return strings.Join(blocks, "\n")
}

// tableName is the name of a document's files, except sheets, which have their own names.
const tableName = "table"

// PageFile is the name of the page in the folder of a document.
const PageFile = "report.html"

// FileNames lists the files of WriteFiles.
func (d *Document) FileNames() []string {
	sheets := lists.Map(d.Sheets, func(s Sheet) string { return s.Name + ".csv" })
	names := slices.Concat([]string{tableName + ".md"}, sheets[:min(1, len(sheets))], []string{tableName + ".json", PageFile}, sheets[min(1, len(sheets)):])
	for _, f := range d.figures() {
		names = append(names, f.Name+".svg", f.Name+".png")
	}
	return names
}

// figures returns the parts that are pictures.
func (d *Document) figures() (out []*Figure) {
	for _, p := range d.Parts {
		if f, ok := p.(*Figure); ok {
			out = append(out, f)
		}
	}
	return out
}

// WriteFiles writes table.md, table.json, report.html, a CSV file for each sheet and two files for each figure into a
// folder, which it makes if it is missing, and sets Dir. If rendering or writing fails, no file is changed.
func (d *Document) WriteFiles(dir string) error {
	forms := map[string]func(io.Writer) error{
		tableName + ".md":   func(w io.Writer) error { _, err := io.WriteString(w, d.Markdown()); return err },
		tableName + ".json": d.writeJSON,
		PageFile:            d.WriteHTML,
	}
	for _, s := range d.Sheets {
		forms[s.Name+".csv"] = s.write
	}
	for _, f := range d.figures() {
		forms[f.Name+".svg"] = plain(f.SVG)
		forms[f.Name+".png"] = plain(f.PNG)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var files []*atomicfile.File
	defer func() {
		for _, f := range files {
			f.Abort() // files that are not committed
		}
	}()
	for _, name := range d.FileNames() {
		f, err := atomicfile.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := forms[name](f); err != nil {
			return inFile(filepath.Join(dir, name), err)
		}
	}
	if err := errors.Join(lists.Map(files, (*atomicfile.File).Commit)...); err != nil {
		return err
	}
	d.Dir = dir
	return nil
}

func (d *Document) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(d.Value)
}

func (s Sheet) write(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{s.Header}, s.Rows...))
}

// Lines are a Part of preformatted text.
type Lines []string

// Text returns the lines.
func (l Lines) Text() string {
	var b strings.Builder
	for _, line := range l {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Markdown returns the lines as a block of code.
func (l Lines) Markdown() string { return "```text\n" + l.Text() + "```\n" }

func (l Lines) html() (pagePart, error) { return render("lines", l.Text()) }

// Listing is a Part with texts in columns; each row describes another measured thing.
type Listing struct {
	Columns []ListingColumn
	Rows    [][]string // with as many texts as there are columns
	// Strong and Faint say which rows a page shows in bold and in grey.
	Strong, Faint []int
	// Fold is the summary line under which a page collapses the listing; empty to show it.
	Fold string
}

// ListingColumn is the head of a column.
type ListingColumn struct {
	Name  string
	Left  bool // left-aligned, for words; numbers are right-aligned
	Width int  // smallest width, in characters of Text
	// Paper says that the numbers are the paper's; a bar separates the first of these columns.
	Paper bool
}

// Text aligns the columns by spaces, with a bar before the paper's columns.
func (l *Listing) Text() string {
	header, left := l.header()
	widths := columnWidths(header, l.Rows, 0)
	var b bytes.Buffer
	for _, row := range append([][]string{header}, l.Rows...) {
		for j, s := range row {
			c := l.Columns[j]
			switch {
			case j == 0:
			case c.Paper && !l.Columns[j-1].Paper:
				b.WriteString(" | ")
			default:
				b.WriteString("  ")
			}
			b.WriteString(pad(s, max(widths[j], c.Width), left[j]))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Markdown is the listing as a table.
func (l *Listing) Markdown() string {
	header, left := l.header()
	return markdownTable(header, l.Rows, left)
}

func (l *Listing) html() (pagePart, error) {
	header, left := l.header()
	t := pageTable{Header: header, Rows: withMinus(l.Rows, left), Left: left, Class: make([]string, len(l.Rows))}
	for _, i := range l.Strong {
		t.Class[i] = "strong"
	}
	for _, i := range l.Faint {
		t.Class[i] = "faint"
	}
	table, err := render("table", t)
	if err != nil || l.Fold == "" {
		return table, err
	}
	return render("folded", pageDetail{l.Fold, table})
}

// withMinus returns rows whose numbers have the minus sign of pages.
func withMinus(rows [][]string, left []bool) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
		for j, text := range row {
			if !left[j] && len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9' {
				out[i][j] = "−" + text[1:]
			}
		}
	}
	return out
}

// Sheet is the listing for programs, unchanged.
func (l *Listing) Sheet(name string) Sheet {
	header, _ := l.header()
	return Sheet{Name: name, Header: header, Rows: l.Rows}
}

func (l *Listing) header() (names []string, left []bool) {
	for _, c := range l.Columns {
		names, left = append(names, c.Name), append(left, c.Left)
	}
	return names, left
}
