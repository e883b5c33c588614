package report_test

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/report"
)

// sampleGrid has a finished, a failed and a pending cell, and one without a number in the paper.
func sampleGrid() *report.GridTable {
	done := func(mean, std float64) report.GridTableCell {
		return report.GridTableCell{Cell: report.Cell{Mean: mean, Std: std, Runs: 10, Seconds: 60}}
	}
	paper := func(c report.GridTableCell, mean, std float64) report.GridTableCell {
		c.Cell = c.Cell.WithPaper(mean, std)
		return c
	}
	return &report.GridTable{Corner: "model", Columns: []report.GridTableColumn{{Title: "MUTAG"}, {Title: "DD|2"}}, Average: true, Rows: []report.GridTableRow{
		{Label: "GCN", Cells: []report.GridTableCell{paper(done(70, 1), 69.5, 1.78), paper(done(75, 0.5), 76, 0.5)}},
		{Label: "Hyper<i>Drop", Cells: []report.GridTableCell{paper(done(84, 1), 84, 0.69), paper(done(75.2, 0.6), 75, 0.5)}},
		{Label: "ours", Cells: []report.GridTableCell{done(83.5, 1), {State: "3/10"}}},
		{Label: "bad", Cells: []report.GridTableCell{paper(report.GridTableCell{State: "failed (0/10)", Cell: report.Cell{Note: "loss is \"NaN\""}}, 60, 1), done(60, 1)}},
	}}
}

func TestGridMarkdown(t *testing.T) {
	const want = `| model           |                    MUTAG |                    DD\|2 |           average |
| --------------- | -----------------------: | -----------------------: | ----------------: |
| GCN             |     70.00 ± 1.00 (+0.50) | **75.00 ± 0.50** (-1.00) |     72.50 (-0.25) |
| Hyper&lt;i>Drop | **84.00 ± 1.00** (0.00) | **75.20 ± 0.60** (+0.20) | **79.60** (+0.10) |
| ours            |         **83.50 ± 1.00** |                     3/10 |                 – |
| bad             |            failed (0/10) |             60.00 ± 1.00 |                 – |

In each cell our mean ± deviation, and in brackets the difference to the paper's mean.
`
	squeeze := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "-", "")), " ") }
	have := sampleGrid().Markdown()
	if squeeze(have) != squeeze(want) {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	// Columns line up.
	var widths []int
	for line := range strings.Lines(have) {
		if strings.HasPrefix(line, "|") {
			widths = append(widths, utf8.RuneCountInString(line))
		}
	}
	for _, w := range widths {
		if w != widths[0] {
			t.Errorf("lines of %v characters", widths)
			break
		}
	}
}

// Text marks the same cells, and Compact shows them in any width.
func TestGridText(t *testing.T) {
	g := sampleGrid()
	text := g.Text()
	for _, want := range []string{"84.00 ± 1.00*", "83.50 ± 1.00*", "70.00 ± 1.00 ", "75.00 ± 0.50*", "79.60*", "3/10", "failed (0/10)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for width, blocks := range map[int]int{200: 1, 40: 1, 30: 2, 1: 2} {
		lines := g.Compact(width)
		if len(lines) != blocks*5 {
			t.Errorf("width %d: %d lines, want %d\n%s", width, len(lines), blocks*5, strings.Join(lines, "\n"))
		}
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n > width && width >= 30 {
				t.Errorf("width %d: a line of %d: %q", width, n, l)
			}
		}
		if all := strings.Join(lines, "\n"); !strings.Contains(all, "84.00*") || !strings.Contains(all, "3/10") || strings.Contains(all, "±") || strings.Contains(all, "average") {
			t.Errorf("width %d:\n%s", width, all)
		}
	}
	if lines := (&report.GridTable{Corner: "model", Rows: g.Rows}).Compact(80); len(lines) != 0 {
		t.Errorf("a grid without columns: %q", lines)
	}
}

func TestGridAverage(t *testing.T) {
	g := sampleGrid()
	mean, ok, paper, paperOK := g.RowAverage(0)
	if !ok || !paperOK || math.Abs(mean-72.5) > 1e-9 || math.Abs(paper-72.75) > 1e-9 {
		t.Error(mean, ok, paper, paperOK)
	}
	if _, ok, _, paperOK := g.RowAverage(2); ok || paperOK {
		t.Error("a row with a cell that is not there has an average")
	}
	// The smallest value is best in columns that say so.
	g.Columns[0].Lower, g.Columns[1].Lower = true, true
	if best := g.Best(); !best[0][0] || best[1][0] || !best[3][1] {
		t.Errorf("smallest: %v", best)
	}
	if text := g.Text(); !strings.Contains(text, "72.50*") {
		t.Errorf("the smallest average is not marked:\n%s", text)
	}
}

// The list of all cells has the numbers of the grid, and the texts of cells without one.
func TestGridComparison(t *testing.T) {
	c := sampleGrid().Comparison("set")
	if len(c.Rows) != 8 || c.Rows[3].Note != `failed (0/10); loss is "NaN"` || c.Rows[6].Note != "3/10" || c.Rows[1].Labels[1] != "Hyper<i>Drop" {
		t.Errorf("%+v", c.Rows)
	}
	best, err := c.Best()
	if err != nil || !best[1] || !best[2] || best[0] || best[3] {
		t.Errorf("best %v (%v)", best, err)
	}
}

// The page escapes all text and does not refer to other files.
func TestWriteHTML(t *testing.T) {
	attack := `<script>alert("x")</script>`
	g := sampleGrid()
	g.Rows[0].Label, g.Columns[0].Title = attack, attack
	g.Rows[3].Cells[0].Note = `"><img src=x onerror=alert(1)>`
	doc := &report.Document{Title: attack, Lead: []string{attack}, Remarks: []string{attack}, Problems: []string{attack}, Parts: []report.Part{g}, Details: []*report.Comparison{g.Comparison(attack)}}
	doc.Details[0].Title = "Every cell"
	var b bytes.Buffer
	if err := doc.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := strings.Replace(b.String(), "<script>"+report.Script()+"</script>", "", 1)
	for _, bad := range []string{"<script", "<img", "<i>Drop", "src=", "href=", "http:", "https:", "url(", "@import"} {
		if strings.Contains(strings.ReplaceAll(page, "&lt;img src=x", ""), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", "<b>84.00 ± 1.00</b>", "69.50 ± 1.78 <span class=\"up\">&#43;0.50</span>", `class="pending">3/10`, "<b>79.60</b>", `class="down"`, "Every cell"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q\n%s", want, page)
		}
	}
	for _, tag := range []string{"table", "tr", "td", "th", "ul", "li", "p", "details", "div", "span", "b", "small"} {
		open := strings.Count(page, "<"+tag+">") + strings.Count(page, "<"+tag+" ")
		if end := strings.Count(page, "</"+tag+">"); open != end {
			t.Errorf("<%s> is opened %d times and closed %d times", tag, open, end)
		}
	}
	g.Rows[0].Cells = g.Rows[0].Cells[:1]
	if err := doc.WriteHTML(io.Discard); err == nil || !strings.Contains(err.Error(), "has 1 cells, expected 2") {
		t.Errorf("a row that is too short: %v", err)
	}
}
