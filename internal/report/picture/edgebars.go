package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// bar is a row of the bar chart.
type bar struct {
	label string
	v     float64
	style draw.TextStyle
	faint bool
}

// mostBars is how many own columns have separate bars.
const mostBars = 15

// bars returns the own columns and edges sorted by the size of their contributions, then the rests.
func (p *edgePicture) bars() (out []bar) {
	var more bar
	for i, c := range p.x.Columns {
		if i >= mostBars {
			more.v += c.Contribution
			continue
		}
		label := p.columnName(c.Column)
		if c.Value != "" {
			label += " " + cell(c.Value)
		}
		out = append(out, bar{label: label, v: c.Contribution, style: strong})
	}
	for _, r := range p.rows {
		out = append(out, bar{label: r.id, v: r.v, style: usual})
	}
	slices.SortStableFunc(out, func(a, b bar) int { return cmp.Compare(math.Abs(b.v), math.Abs(a.v)) })
	if n := len(p.x.Columns) - mostBars; n > 0 {
		more.label, more.style, more.faint = fmt.Sprintf("%d other columns", n), muted, true
		out = append(out, more)
	}
	for _, r := range p.rest {
		end := map[explain.Side]string{explain.AtSource: "the " + p.words.Source, explain.AtTarget: "the " + p.words.Target, explain.AtBoth: "the pair"}[r.Side]
		label := report.Count(r.Edges) + " others of " + end
		if r.Steps > 1 {
			label = report.Count(r.Edges) + " two steps from " + end
		}
		out = append(out, bar{label, r.Contribution, muted, true})
	}
	return out
}

// drawBars draws the chart with its sum and returns its lower end.
func (p *edgePicture) drawBars(x, y, width float64) float64 {
	const row, textLine, valueRoom = 24.0, 16.0, 64.0
	rows := p.bars()
	unit := "log-odds of " + safe(p.x.Class)
	if p.x.Unit == explain.Number {
		unit = safe(p.x.Class)
	}
	p.Text(x, y+13, draw.CutMiddle("contribution to the "+unit, muted, width), muted)
	labels, low, high, height := 0.0, 0.0, 0.0, 4.0
	lines := make([][]string, len(rows)) // of labels
	for i, b := range rows {
		lines[i] = draw.Wrap(b.label, b.style, 0.55*width)
		for k, line := range lines[i] {
			lines[i][k] = draw.CutMiddle(line, b.style, 0.55*width)
			labels = max(labels, b.style.WidthOf(lines[i][k]))
		}
		low, high = min(low, b.v), max(high, b.v)
		height += row + textLine*float64(len(lines[i])-1)
	}
	room := width - labels - 12 - valueRoom
	scale := room / max(high-low, 1e-12)
	zero := x + labels + 12 - low*scale
	y += 24
	p.Path(draw.Data("M", zero, y, "V", y+height), draw.Stroke{Line: draw.ControlInk, Width: 1})
	for i, b := range rows {
		more := textLine * float64(len(lines[i])-1)
		at := y + 8 + more/2
		p.Group(b.label+": "+p.signed(b.v), func() {
			for k, line := range lines[i] {
				p.Text(x, at+12.5-more/2+textLine*float64(k), line, b.style)
			}
			ink, from, to := draw.UpInk, zero, zero+b.v*scale
			if b.v < 0 {
				ink, from, to = draw.DownInk, zero+b.v*scale, zero
			}
			p.Box(from, at, max(to-from, 1), 16, draw.Stroke{Fill: ink, Faint: b.faint})
			p.Text(x+width, at+12.5, p.signed(b.v), anchored(usual, draw.End))
		})
		y += row + more
	}
	y += 16
	p.Path(draw.Data("M", x, y, "H", x+width), draw.Stroke{Line: draw.LineInk, Width: 1})
	all := "all of these " + signedZero(p.value-p.base, p.decimals)
	base, sum := "base "+signedZero(p.base, p.decimals), "log-odds "+signedZero(p.value, p.decimals)+", "+p.scoreText()
	if p.x.Unit == explain.Number {
		base, sum = "base "+plainTo(p.base, p.decimals), "prediction "+plainTo(p.value, p.decimals)
	}
	p.Text(x, y+20, base+", "+all, muted)
	p.Text(x, y+40, sum, strong)
	y += 48
	if p.x.StandardError > 0 {
		y = p.paragraph(x, y+14, width, "standard error of a contribution: at most "+plainTo(p.x.StandardError, max(p.decimals, 2)), muted)
	}
	return y
}

// signedZero is a number with its sign and all decimals, also for 0.
func signedZero(v float64, decimals int) string {
	if text := signedTo(v, decimals); text != "0" {
		return text
	}
	return plainTo(0, decimals)
}
