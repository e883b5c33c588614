package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// None stands for a missing number.
const None = "–"

// Counted is a number of things: 1 edge, 2 edges.
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(n) + " " + thing
}

// Markdown renders the title as a heading and the rows as a table with padded columns, so that the
// source is readable: labels, ours, paper, difference, and runs, time and note if any row has them.
// Marked numbers (BestOf) are bold.
func (c *Comparison) Markdown() string {
	header, rows, left := c.cells(func(s string, best bool) string {
		if best {
			return "**" + s + "**"
		}
		return s
	})
	var b strings.Builder
	if c.Title != "" {
		b.WriteString("### " + escapeMarkdown(c.Title) + "\n\n")
	}
	b.WriteString(markdownTable(header, rows, left))
	return b.String()
}

// markdownTable is a table with padded columns, so that the source is readable; left says which
// columns hold words.
func markdownTable(header []string, rows [][]string, left []bool) string {
	lines := [][]string{header}
	lines = append(lines, rows...)
	for i, row := range lines {
		escaped := lists.Map(row, escapeMarkdown)
		lines[i] = escaped
	}
	widths := columnWidths(lines[0], lines[1:], 4) // room for ---:
	rule := make([]string, len(header))
	for j := range rule {
		rule[j] = strings.Repeat("-", widths[j])
		if !left[j] {
			rule[j] = rule[j][1:] + ":"
		}
	}
	var b strings.Builder
	for _, row := range slices.Insert(lines, 1, rule) {
		for j, s := range row {
			b.WriteString("| " + pad(s, widths[j], left[j]) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "\r", "", "\n", " ", "<", "&lt;")

func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }

// Text renders the same for a terminal: columns aligned by spaces, with a star after marked
// numbers.
func (c *Comparison) Text() string {
	header, rows, left := c.cells(func(s string, best bool) string {
		switch {
		case best:
			return s + "*"
		case c.BestOf != "":
			return s + " " // keeps digits aligned
		}
		return s
	})
	widths := columnWidths(header, rows, 0)
	var b strings.Builder
	if c.Title != "" {
		b.WriteString(c.Title + "\n\n")
	}
	for _, row := range append([][]string{header}, rows...) {
		var line strings.Builder
		for j, s := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			line.WriteString(pad(s, widths[j], left[j]))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// cells formats everything, our numbers with mark; left says which columns are not numbers.
func (c *Comparison) cells(mark func(s string, best bool) string) (header []string, rows [][]string, left []bool) {
	has := func(f func(ComparisonRow) bool) bool { return slices.ContainsFunc(c.Rows, f) }
	runs := has(func(r ComparisonRow) bool { return r.Runs > 0 })
	seconds := has(func(r ComparisonRow) bool { return r.Seconds > 0 })
	note := has(func(r ComparisonRow) bool { return r.Note != "" })

	add := func(name string, text bool) {
		header = append(header, name)
		left = append(left, text)
	}
	labels := len(c.Labels)
	for _, r := range c.Rows {
		labels = max(labels, len(r.Labels)) // a label without a heading is still shown
	}
	for j := range labels {
		name := ""
		if j < len(c.Labels) {
			name = c.Labels[j]
		}
		add(name, true)
	}
	add("ours", false)
	add("paper", false)
	add("difference", false)
	if runs {
		add("runs", false)
	}
	if seconds {
		add("time", false)
	}
	if note {
		add("note", true)
	}
	best, err := c.Best()
	if err != nil {
		best = make([]bool, len(c.Rows)) // rendering returns no error
	}
	for i, r := range c.Rows {
		row := make([]string, labels, len(header))
		copy(row, r.Labels)
		row = append(row, mark(r.ours(), best[i]), r.papers(), r.between())
		if runs {
			row = append(row, strconv.Itoa(r.Runs))
		}
		if seconds {
			row = append(row, Duration(r.Seconds))
		}
		if note {
			row = append(row, r.Note)
		}
		rows = append(rows, row)
	}
	return header, rows, left
}

// ours is our number as a table shows it.
func (c Cell) ours() string {
	switch c.Runs {
	case 0:
		return None
	case 1:
		return twoDecimals(c.Mean)
	}
	return twoDecimals(c.Mean) + " ± " + twoDecimals(c.Std)
}

// papers is the paper's number as a table shows it.
func (c Cell) papers() string {
	switch {
	case c.Paper == nil:
		return None
	case c.PaperStd == nil:
		return twoDecimals(*c.Paper)
	}
	return twoDecimals(*c.Paper) + " ± " + twoDecimals(*c.PaperStd)
}

// between is the difference of the two as a table shows it.
func (c Cell) between() string {
	d, ok := c.Difference()
	if !ok {
		return None
	}
	s := twoDecimals(d)
	if d > 0 && strings.ContainsAny(s, "123456789") {
		return "+" + s
	}
	return s
}

func twoDecimals(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	if v < 0 && !strings.ContainsAny(s, "123456789I") {
		return s[1:] // avoids -0.00
	}
	return s
}

// Duration formats a time in seconds for people, with about three digits: 0.25s, 12.3s, 4m5s, 2h10m0s;
// None for 0.
func Duration(seconds float64) string {
	d := time.Duration(math.Min(seconds*1e9, math.MaxInt64/2))
	switch {
	case d <= 0:
		return None
	case d < time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func columnWidths(header []string, rows [][]string, least int) []int {
	widths := lists.Map(header, func(s string) int { return max(least, utf8.RuneCountInString(s)) })
	for _, row := range rows {
		for j, s := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(s))
		}
	}
	return widths
}

func pad(s string, width int, left bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(s))
	if left {
		return s + space
	}
	return space + s
}
