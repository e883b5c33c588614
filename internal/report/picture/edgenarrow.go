package picture

import (
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// narrow draws a trunk on the left, the edges as rows of two lines, and bars below.
func (p *edgePicture) narrow() {
	title, note := p.subject()
	y := p.paragraph(margin, 34, p.room(), title, draw.TextStyle{Size: 16, Bold: true})
	y = p.paragraph(margin, y, p.room(), note, muted)
	y = p.legend(y+8) + 24
	y = p.branch(explain.AtSource, y, true)
	y = p.trunk(y)
	y = p.branch(explain.AtTarget, y, false)
	y = p.drawBars(margin, y+16, p.room())
	sentence, numbers := p.verdict()
	y = p.paragraph(margin, y+24, p.room(), sentence, strong)
	y = p.paragraph(margin, y, p.room(), numbers, muted)
	p.Height = math.Ceil(y + 4)
}

// Horizontal positions in the narrow form.
const (
	trunkX  = margin + 14
	branchX = trunkX + 32
	textX   = branchX + 16
	rowStep = 48.0
)

// branch draws the rows of a side, above its node if up is set, else below it, and returns their end.
func (p *edgePicture) branch(side explain.Side, y float64, up bool) float64 {
	rows, rest := p.rowsAt(side), p.restAt(side)
	if len(rows)+len(rest) == 0 {
		p.Text(textX, y+12, "no other "+p.words.Edge+"s", muted)
		return y + 32
	}
	node := y - 16 // on the trunk
	if up {
		node = y + rowStep*float64(len(rows)+len(rest)) + 8
	}
	room := p.Width - margin - textX
	for _, r := range rows {
		p.Group(p.hover(r), func() {
			look := p.line(r)
			p.twig(node, y+8, up, look)
			if half := 4 + look.Width/2; p.x.Directed && r.steps <= 1 {
				tip, back := branchX-4.5, branchX-14
				if r.in {
					tip, back = trunkX+8, trunkX+18
				}
				p.Path(draw.Data("M", tip, y+8, "L", back, y+8-half, "V", y+8+half, "Z"), draw.Stroke{Fill: look.Line})
			}
			p.Circle(branchX, y+8, 4.5, draw.Stroke{Fill: draw.ControlInk})
			style := usual
			style.Bold = r.bold
			p.Text(textX, y+8, draw.CutMiddle(strings.TrimSpace(r.other+" "+r.then), style, room), style)
			p.Text(textX, y+25, oneLine(r, room), muted)
		})
		y += rowStep
	}
	for _, r := range rest {
		what, together := p.restText(r)
		p.twig(node, y+8, up, draw.Stroke{Line: draw.ControlInk, Width: 1.2, Dash: "2 4"})
		p.Text(textX, y+8, draw.CutMiddle(what, muted, room), muted)
		p.Text(textX, y+25, together, muted)
		y += rowStep
	}
	return y + 8
}

// twig draws the line from the node on the trunk to a row.
func (p *edgePicture) twig(node, y float64, up bool, look draw.Stroke) {
	bend := y - 16
	if up {
		bend = y + 16
	}
	p.Path(draw.Data("M", trunkX, node, "V", bend, "C", trunkX, y, trunkX, y, trunkX+16, y, "H", branchX-4), look)
}

// oneLine is the label of a row in one line.
func oneLine(r edgeRow, room float64) string {
	below := ""
	if r.below != "" {
		below = draw.CutMiddle(" · "+r.below, muted, max(room/2, room-muted.WidthOf(r.above(muted, room))))
	}
	return r.above(muted, room-muted.WidthOf(below)) + below
}

// trunk draws the explained edge from the upper node to the lower node, with the other edges between these nodes beside it.
func (p *edgePicture) trunk(y float64) float64 {
	pair, rest := p.rowsAt(explain.AtBoth), p.restAt(explain.AtBoth)
	room := p.Width - margin - textX
	y += 8
	end := y + 84 + rowStep*float64(len(pair)+len(rest))
	p.Group(p.words.Edge+" "+p.own.id, func() {
		p.Path(draw.Data("M", trunkX, y+nodeRadius, "V", end-nodeRadius-12), draw.Stroke{Line: draw.TextInk, Width: 5})
		if p.x.Directed {
			tip := end - nodeRadius - 1
			p.Path(draw.Data("M", trunkX, tip, "L", trunkX-9, tip-16, "H", trunkX+9, "Z"), draw.Stroke{Fill: draw.TextInk})
		} else {
			p.Path(draw.Data("M", trunkX, end-nodeRadius-13, "V", end-nodeRadius), draw.Stroke{Line: draw.TextInk, Width: 5})
		}
		for _, at := range []float64{y, end} {
			p.Circle(trunkX, at, nodeRadius, draw.Stroke{Fill: draw.PageInk, Line: draw.TextInk, Width: 2})
		}
	})
	p.Text(trunkX+24, y+4.5, draw.CutMiddle(p.words.Source+" "+p.own.source, strong, room+8), strong)
	p.Text(trunkX+24, end+4.5, draw.CutMiddle(p.words.Target+" "+p.own.target, strong, room+8), strong)
	at := y + 40
	p.Text(trunkX+24, at, p.own.above(strong, room+8), strong)
	p.Text(trunkX+24, at+17, draw.CutMiddle(p.own.below, muted, room+8), muted)
	at += rowStep
	for _, r := range pair {
		p.Group(p.hover(r), func() {
			look := p.line(r)
			p.Path(draw.Data("M", trunkX+12, at-4, "H", branchX+4), look)
			p.Text(textX, at, draw.CutMiddle("the same pair", usual, room), usual)
			p.Text(textX, at+17, oneLine(r, room), muted)
		})
		at += rowStep
	}
	for _, r := range rest {
		what, together := p.restText(r)
		p.Text(textX, at, draw.CutMiddle(what, muted, room), muted)
		p.Text(textX, at+17, together, muted)
		at += rowStep
	}
	return end + 32
}
