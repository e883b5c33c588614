package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// EdgeWords are the words for an edge and its ends, in the singular. The zero value means edge, source and target.
type EdgeWords struct{ Edge, Source, Target string }

func (w EdgeWords) filled() EdgeWords {
	if w.Edge == "" {
		w.Edge = "edge"
	}
	if w.Source == "" {
		w.Source = "source"
	}
	if w.Target == "" {
		w.Target = "target"
	}
	return w
}

// Widths of the picture of an edge in pixels. Below leastWide it is upright.
const (
	WideEdge   = 1400.0
	NarrowEdge = 368.0
	leastWide  = 918.0
)

// Edge draws the explanation of an edge: the edge in the middle, the most important edges at its ends, bars of their
// contributions and of those of its own columns, and the fidelity of the explanation. A picture below 918 pixels is
// upright.
func Edge(x explain.EdgeExplanation, words EdgeWords, width float64) *draw.Scene {
	p := newEdgePicture(x, words.filled())
	p.Width = width
	p.Label = fmt.Sprintf("%s %s from %s to %s with %s that matter most: %s", p.words.Edge, p.own.id, p.own.source, p.own.target, report.Counted(len(x.Edges), p.words.Edge), p.scoreText())
	if width < leastWide {
		p.narrow()
	} else {
		p.wide()
	}
	return &p.Scene
}

// edgePicture is the state of drawing an edge.
type edgePicture struct {
	draw.Scene
	x        explain.EdgeExplanation
	words    EdgeWords
	own      edgeRow
	rows     []edgeRow
	rest     []explain.RestPart
	most     float64 // largest contribution; line widths are shares of it
	decimals int
	base     float64
	value    float64
	both     map[string]bool // nodes at both sides
}

// edgeRow is an edge with its displayed texts.
type edgeRow struct {
	id, source, target string
	first, below       string // labels; the first starts with the separator from the id
	side               explain.Side
	steps              int
	v                  float64 // as displayed
	other, then        string  // node at the far end; two steps away, both nodes
	in                 bool    // the edge leads to the explained one
	bold               bool
}

func newEdgePicture(x explain.EdgeExplanation, words EdgeWords) *edgePicture {
	p := &edgePicture{x: x, words: words, decimals: 2, both: map[string]bool{}}
	for _, c := range x.Columns {
		p.most = max(p.most, math.Abs(c.Contribution))
	}
	for _, e := range x.Edges {
		p.most = max(p.most, math.Abs(e.Contribution))
	}
	switch {
	case x.Unit == explain.Number && p.most > 0:
		p.decimals = min(max(2-int(math.Floor(math.Log10(p.most))), 0), 3)
	case p.most < 0.1:
		p.decimals = 3
	}
	p.own = p.row(explain.EdgePart{ID: x.ID, Source: x.Source, Target: x.Target, Labels: x.Labels})
	sides := map[string]map[explain.Side]bool{}
	for _, e := range x.Edges {
		r := p.row(e)
		p.rows = append(p.rows, r)
		if sides[r.other] == nil {
			sides[r.other] = map[explain.Side]bool{}
		}
		sides[r.other][r.side] = true
	}
	for i, r := range p.rows {
		p.rows[i].bold = len(sides[r.other]) > 1 && r.side != explain.AtBoth
	}
	p.rest = x.Rest
	p.round()
	return p
}

// row returns the texts of an edge.
func (p *edgePicture) row(e explain.EdgePart) edgeRow {
	r := edgeRow{id: safe(e.ID), source: safe(e.Source), target: safe(e.Target), side: e.Side, steps: e.Steps, v: e.Contribution}
	if len(e.Labels) > 0 && e.Labels[0] != "" {
		r.first = " · " + cell(e.Labels[0])
	}
	if len(e.Labels) > 1 {
		r.below = cell(e.Labels[1])
	}
	near := p.x.Source
	if e.Side == explain.AtTarget {
		near = p.x.Target
	}
	r.in = e.Target == near
	if r.other = r.source; !r.in || e.Source == e.Target {
		r.other = r.target
	}
	if e.Steps > 1 {
		arrow := " →"
		if !p.x.Directed {
			arrow = " –"
		}
		r.other, r.then = r.source+arrow, r.target
	}
	return r
}

// above is the id with the first label; the id is cut if there is no room.
func (r edgeRow) above(style draw.TextStyle, most float64) string {
	first := draw.CutMiddle(r.first, style, most*0.7)
	return draw.CutMiddle(r.id, style, most-style.WidthOf(first)) + first
}

// round rounds base, value and contributions so that the displayed numbers add up exactly.
func (p *edgePicture) round() {
	values := lists.Map(p.x.Columns, func(c explain.ColumnPart) float64 { return c.Contribution })
	for _, e := range p.x.Edges {
		values = append(values, e.Contribution)
	}
	for _, r := range p.rest {
		values = append(values, r.Contribution)
	}
	unit := math.Pow(10, -float64(p.decimals))
	p.base, p.value = math.Round(p.x.Base/unit)*unit, math.Round(p.x.Value/unit)*unit
	shown := roundedTo(values, p.value-p.base, unit)
	p.x.Columns = append([]explain.ColumnPart(nil), p.x.Columns...)
	p.rest = append([]explain.RestPart(nil), p.rest...)
	for i := range p.x.Columns {
		p.x.Columns[i].Contribution = shown[i]
	}
	shown = shown[len(p.x.Columns):]
	for i := range p.rows {
		p.rows[i].v = shown[i]
	}
	for i := range p.rest {
		p.rest[i].Contribution = shown[len(p.rows)+i]
	}
}

// roundedTo rounds values to multiples of a unit such that their sum is a given multiple: the values with the largest
// remainders are rounded up.
func roundedTo(values []float64, sum, unit float64) []float64 {
	out, missing := make([]float64, len(values)), int(math.Round(sum/unit))
	rest := make([]float64, len(values))
	for i, v := range values {
		down := math.Floor(v / unit)
		out[i], rest[i] = down, v/unit-down
		missing -= int(down)
	}
	for ; missing > 0 && len(values) > 0; missing-- {
		best := 0
		for i, r := range rest {
			if r > rest[best] {
				best = i
			}
		}
		out[best]++
		rest[best]--
	}
	for i := range out {
		out[i] *= unit
	}
	return out
}

// cell formats a data value for a label: numbers from 1,000 on as whole numbers with commas, others with at most four decimals.
func cell(text string) string { return written(text, 0) }

// tableCell is cell for a table: large numbers have two decimals.
func tableCell(text string) string { return written(text, 2) }

// written formats a value; numbers from 1,000 on have at most some decimals. Numbers with a signed exponent become
// powers of 10; other numbers with an exponent, and names that look like them, are not changed.
func written(text string, decimals int) string {
	text = safe(text)
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(v, 0):
		return text
	case strings.Contains(text, "e-") || strings.Contains(text, "e+"):
		return report.Significant(v)
	case strings.ContainsAny(text, "eEx"):
		return text
	}
	_, fraction, _ := strings.Cut(text, ".")
	switch {
	case math.Abs(v) >= 1000:
		return report.Fixed(v, min(len(fraction), decimals))
	case len(fraction) > 4:
		return report.Significant(v)
	}
	return text
}

// rowsAt returns the rows of a side.
func (p *edgePicture) rowsAt(side explain.Side) []edgeRow {
	return lists.Filter(p.rows, func(r edgeRow) bool { return r.side == side })
}

func (p *edgePicture) restAt(side explain.Side) []explain.RestPart {
	return lists.Filter(p.rest, func(r explain.RestPart) bool { return r.Side == side })
}

// line is the line style of the edge of a row.
func (p *edgePicture) line(r edgeRow) draw.Stroke {
	ink := draw.UpInk
	if r.v < 0 {
		ink = draw.DownInk
	}
	out := draw.Stroke{Line: ink, Width: 1.5 + 4.5*min(math.Abs(r.v)/max(p.most, 1e-12), 1)}
	if r.steps > 1 {
		out.Dash = "6 4"
	}
	return out
}

// hover is the pointer text of a row.
func (p *edgePicture) hover(r edgeRow) string {
	text := fmt.Sprintf("%s %s from %s to %s", p.words.Edge, r.id, r.source, r.target)
	if r.below != "" {
		text += ", " + r.below
	}
	return text + ": " + p.signed(r.v)
}

// legend draws the meaning of colours and lines, and returns the position of its last line.
func (p *edgePicture) legend(y float64) float64 {
	of := "score of " + safe(p.x.Class)
	if p.x.Unit == explain.Number {
		of = safe(p.x.Class)
	}
	line := func(ink draw.Ink) draw.Stroke { return draw.Stroke{Line: ink, Width: 5} }
	entries := []LegendEntry{{line(draw.UpInk), "raises the " + of}, {line(draw.DownInk), "lowers it"}, {line(draw.TextInk), "the " + p.words.Edge + " explained"}, {Text: "width: size of the contribution"}}
	if p.x.Directed {
		entries = append(entries, LegendEntry{Text: "arrow: " + p.words.Source + " to " + p.words.Target})
	}
	if len(p.x.Shown) > 0 {
		text := "labels: " + safe(p.x.Shown[0])
		if len(p.x.Shown) > 1 {
			text += ", " + safe(p.x.Shown[1])
		}
		entries = append(entries, LegendEntry{Text: text})
	}
	return drawLegend(&p.Scene, entries, y, muted)
}

// margin is the free space at all sides of a picture.
const margin = report.PictureMargin

func (p *edgePicture) room() float64 { return p.Width - 2*margin }

var (
	muted  = draw.TextStyle{Ink: draw.MutedInk}
	strong = draw.TextStyle{Bold: true}
	usual  = draw.TextStyle{}
)

// anchored is a style with another anchor.
func anchored(s draw.TextStyle, a draw.Anchor) draw.TextStyle {
	s.Anchor = a
	return s
}

// paragraph writes the lines of a text and returns the position of the next line.
func (p *edgePicture) paragraph(x, y, width float64, text string, style draw.TextStyle) float64 {
	height := 18.0
	if style.Size > 13 {
		height = 22
	}
	if style.Bold {
		width *= 0.96 // bold letters of some fonts are wider than layouts assume
	}
	for _, line := range draw.Wrap(text, style, width) {
		p.Text(x, y, draw.CutMiddle(line, style, width), style)
		y += height
	}
	return y
}
