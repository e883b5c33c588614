package report_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ehgnn/ehgnn/internal/report"
)

// sampleDocument has every kind of part.
func sampleDocument() *report.Document {
	grid := sampleGrid()
	list := grid.Comparison("set")
	list.Title = "Every cell"
	return &report.Document{Title: "Times", Parts: []report.Part{
		&report.Listing{Columns: []report.ListingColumn{{Name: "graph", Left: true, Width: 8}, {Name: "ours", Width: 6}, {Name: "paper", Paper: true}, {Name: "theirs", Paper: true}},
			Rows: [][]string{{"random", "0.5", "12", "0.25"}, {"scale-free", "1", "3", "4"}}},
		report.Lines{"a line", "  <another>"},
		grid,
		&report.Comparison{Title: "One", Labels: []string{"set"}, Rows: []report.ComparisonRow{{Labels: []string{"MUTAG"}, Cell: report.NewCell([]float64{1}).WithPaper(2, math.NaN())}}},
		&report.Figure{Name: "figure", Caption: "Colours & <more>", SVG: []byte("<svg/>"), PNG: []byte("a picture")},
	}, Remarks: []string{"first\nand more"}, Problems: []string{"Failed: x"}, Details: []*report.Comparison{list},
		Sheets: []report.Sheet{{Name: "table", Header: []string{"a", "b"}, Rows: [][]string{{"1", "x,y"}}}, {Name: "folds", Header: []string{"c"}}},
		Value:  map[string]any{"a": 1}}
}

// Text has the parts and remarks one below the other, without the details.
func TestDocumentText(t *testing.T) {
	d := sampleDocument()
	d.Parts = append(d.Parts[:2], d.Parts[3:]...)
	const want = `Times

graph         ours | paper  theirs
random         0.5 |    12    0.25
scale-free       1 |     3       4

a line
  <another>

One

set    ours  paper  difference  runs
MUTAG  1.00   2.00       -1.00     1

Colours & <more>: figure.svg, figure.png

first
and more
Failed: x
`
	if diff := cmp.Diff(want, d.Text()); diff != "" {
		t.Errorf("text (- want, + got):\n%s", diff)
	}
}

func TestDocumentMarkdown(t *testing.T) {
	text := sampleDocument().Markdown()
	last := 0
	for _, want := range []string{"### Times\n\n| graph      | ours | paper | theirs |\n| ---------- | ---: | ----: | -----: |\n| random     |  0.5 |",
		"\n\n```text\na line\n  <another>\n```\n\n| model ", "In each cell our mean", "\n\n### One\n\n", "\n\n![Colours & &lt;more>](figure.svg)\n\n- first and more\n- Failed: x\n\n### Every cell\n\n"} {
		at := strings.Index(text[last:], want)
		if at < 0 {
			t.Fatalf("no %q after %d in\n%s", want, last, text)
		}
		last += at
	}
}

// Either all new files are written, or the old ones stay.
func TestDocumentFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	d := sampleDocument()
	if err := d.WriteFiles(dir); err != nil {
		t.Fatal(err)
	}
	names := []string{"table.md", "table.csv", "table.json", "report.html", "folds.csv", "figure.svg", "figure.png"}
	if diff := cmp.Diff(names, d.FileNames()); diff != "" || d.Dir != dir {
		t.Errorf("files of %q (- want, + got):\n%s", d.Dir, diff)
	}
	before := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(text)
	}
	for name, want := range map[string]string{"table.csv": "a,b\n1,\"x,y\"\n", "folds.csv": "c\n", "table.json": "{\n  \"a\": 1\n}\n", "table.md": d.Markdown(), "figure.svg": "<svg/>", "figure.png": "a picture"} {
		if diff := cmp.Diff(want, before[name]); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", name, diff)
		}
	}
	for _, want := range []string{"<h1>Times</h1>", ">scale-free</td>", "<pre tabindex=\"0\">a line\n  &lt;another&gt;\n</pre>", "<h2>One</h2>", "<summary>Every cell</summary>", "<li>Failed: x</li>",
		`<figure><img src="data:image/png;base64,YSBwaWN0dXJl" alt="Colours &amp; &lt;more&gt;">`} {
		if !strings.Contains(before["report.html"], want) {
			t.Errorf("the page has no %q:\n%s", want, before["report.html"])
		}
	}

	for _, spoil := range []func(d *report.Document){
		func(d *report.Document) { d.Value = math.NaN() },
		func(d *report.Document) { g := d.Parts[2].(*report.GridTable); g.Rows[0].Cells = nil },
	} {
		bad := sampleDocument()
		bad.Title = "Bad"
		spoil(bad)
		if err := bad.WriteFiles(dir); err == nil || bad.Dir != "" {
			t.Errorf("a document that cannot be written is said to be in %q", bad.Dir)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(names) {
			t.Errorf("files %v, %v", entries, err)
		}
		for name, want := range before {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
				t.Errorf("%s has changed (%v)", name, err)
			}
		}
	}
}

// A small drawing is inline in the page, without a style of its own.
func TestFigureInline(t *testing.T) {
	d := &report.Document{Title: "Sections", Parts: []report.Part{
		report.Heading{Title: "Scores & more", Lines: []string{"of <one> run"}},
		report.Facts{{Name: "accuracy", Value: "0.9", Note: "0.5 <always>"}, {Name: "edges", Value: "7"}},
		&report.Figure{Name: "f", Caption: `a "<b>"`, PNG: []byte("png"),
			SVG: []byte(`<?xml version="1.0"?><svg class="pic"><style>.a{}</style><path class="s-up"/></svg>`)},
		&report.Listing{Columns: []report.ListingColumn{{Name: "key", Left: true}, {Name: "n"}}, Rows: [][]string{{"a", "1"}, {"b", "2"}, {"c", "3"}}, Strong: []int{1}, Faint: []int{2}, Fold: "All keys"},
	}}
	var page strings.Builder
	if err := d.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h2>Scores &amp; more</h2>\n<p class=\"lede\">of &lt;one&gt; run</p>", `<dt>accuracy</dt><dd class="value">0.9</dd><dd class="note">0.5 &lt;always&gt;</dd>`, `<dd class="value">7</dd></div>`,
		`<figure><div class="wide" tabindex="0"><svg class="pic"><path class="s-up"/></svg>`,
		`<summary>All keys</summary>`, `<tr><td class="left">a</td>`, `<tr class="strong"><td class="left">b</td>`, `<tr class="faint"><td class="left">c</td>`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q:\n%s", want, page.String())
		}
	}
	text, markdown := d.Text(), d.Markdown()
	for of, want := range map[string]string{text: "Scores & more\n-------------\nof <one> run\n", markdown: "## Scores & more\n\nof &lt;one> run\n"} {
		if !strings.Contains(of, want) {
			t.Errorf("no %q in\n%s", want, of)
		}
	}
	if want := "- **accuracy**: 0.9. 0.5 &lt;always>\n"; !strings.Contains(markdown, want) {
		t.Errorf("no %q in\n%s", want, markdown)
	}
}

// The body of a document is the text between <main> and </main> on its page.
func TestBody(t *testing.T) {
	d := &report.Document{Parts: []report.Part{&report.Listing{
		Columns: []report.ListingColumn{{Name: "run", Left: true}, {Name: "score"}},
		Rows:    [][]string{{"a <b>", "0.5"}, {"c", "0.7"}}}}}
	body, err := d.Body()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<td class="left">a &lt;b&gt;</td><td>0.5</td>`, `<td class="left">c</td>`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if strings.Contains(string(body), "<h1>") {
		t.Error("a document without a title has a heading")
	}
	var page strings.Builder
	if err := d.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	again, err := report.BodyOf([]byte(page.String()), "run")
	if err != nil || strings.TrimSpace(string(again)) != strings.TrimSpace(string(body)) {
		t.Errorf("%v, the page has\n%s\nwant\n%s", err, again, body)
	}
	if _, err := report.BodyOf([]byte("<html>"), "run"); err == nil {
		t.Error("a page of others has a body")
	}
	if !strings.Contains(page.String(), report.Style()) {
		t.Error("the page has another style")
	}
}
