package picture

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// mostTies is how many edges of a node are drawn at a side.
const mostTies = 12

// Positions of the rows of a node's edges, in pixels.
const (
	tieRow   = 26.0
	tieFan   = 220.0 // from the node to its rows
	leastFan = 56.0
)

// inRows reports whether one node and its edges are drawn: for graphs that are too large for arcs and have no
// explanation that ranks their edges.
func (p *graphPicture) inRows() bool { return len(p.g.Nodes) > mostNodes && p.g.Explanation == nil }

// tie is an edge of the node and the node at its other end.
type tie struct{ edge, other int32 }

// ties returns the edges of the node by importance: edges that lead to it, and others.
func (p *graphPicture) ties() (in, out []tie) {
	for _, e := range append([]int32{}, p.order...) {
		switch ends := p.g.Edges[e]; {
		case p.g.Directed && ends[1] == p.node && ends[0] != p.node:
			in = append(in, tie{e, ends[0]})
		case ends[0] == p.node:
			out = append(out, tie{e, ends[1]})
		case ends[1] == p.node:
			out = append(out, tie{e, ends[0]})
		}
	}
	return in, out
}

// drawTies draws the node with its edges in rows. In a directed graph, edges that lead to it are on the left; all others are on the right.
func (p *graphPicture) drawTies(y, room float64) extent {
	in, out := p.ties()
	wide := room >= 560
	fan, names := tieFan, 240.0
	if !wide || room < 2*(fan+names) {
		fan = max(leastFan, min(fan, room/5))
		names = room/2 - fan - 12
	}
	x := margin + fan + names + 12
	if !p.g.Directed {
		x, names = margin+16, room-fan-28
	}
	drawn := min(len(in), mostTies) + min(len(out), mostTies)
	title := func(text string, at float64, anchor draw.Anchor) {
		p.Text(at, y+13, text, anchored(muted, anchor))
	}
	if p.g.Directed {
		title(fmt.Sprintf("in %d", len(in)), x-fan, draw.End)
		title(fmt.Sprintf("out %d", len(out)), x+fan, draw.Start)
	} else {
		title(fmt.Sprintf("edges %d", len(out)), x+fan, draw.Start)
	}
	name := strong
	name.Size = 16
	top := y + 24
	if p.g.Directed {
		name.Anchor = draw.Middle
	}
	text := draw.CutMiddle(p.label(p.node), name, min(room, 2*(names+fan)))
	rows := max(rowsOf(in), rowsOf(out), 2)
	middle := top + 32 + tieRow*float64(rows)/2
	if p.g.Directed {
		p.Text(x, top+14, draw.CutMiddle(text, name, 2*min(x-margin, room-x+margin)), name)
	} else {
		p.Text(margin, top+14, text, name)
	}
	p.fan(in, x, middle, -fan, names)
	p.fan(out, x, middle, fan, names)
	p.Circle(x, middle, 8, draw.Stroke{Fill: draw.PageInk, Line: draw.TextInk, Width: 2})
	return extent{p.drawRest(middle+tieRow*float64(rows)/2+16, room, drawn), room}
}

// rowsOf is the number of rows for edges, including one for the rest.
func rowsOf(of []tie) int {
	if len(of) > mostTies {
		return mostTies + 1
	}
	return len(of)
}

// fan draws edges from the node to their rows at a distance, which is negative for the left.
func (p *graphPicture) fan(of []tie, x, middle, away, names float64) {
	rows := rowsOf(of)
	anchor, side := draw.Start, 1.0
	if away < 0 {
		anchor, side = draw.End, -1
	}
	for i, t := range of[:min(len(of), mostTies)] {
		y := middle + tieRow*(float64(i)-float64(rows-1)/2)
		look, text := p.looks[t.edge].line, p.looks[t.edge].text
		p.Named(edgeName(p.g, int(t.edge)), p.hover(t.edge), func() {
			p.Path(draw.Data("M", x+8*side, middle, "C", x+away/2, middle, x+away/2, y, x+away-10*side, y), look)
			if p.g.Directed {
				half := 4 + look.Width/2
				tip, back := x+away-8*side, x+away-17*side
				if away < 0 {
					tip, back = x-10, x-19
				}
				at := y
				if away < 0 {
					at = middle
				}
				p.Path(draw.Data("M", tip, at, "L", back, at-half, "V", at+half, "Z"), draw.Stroke{Fill: look.Line})
			}
		})
		style := anchored(usual, anchor)
		style.Bold = t.edge == p.item
		if muted.WidthOf(text) > names-96 { // the pointer shows it
			text = ""
		}
		room := names - 16 - muted.WidthOf(text)
		label := draw.CutMiddle(p.label(t.other), style, room)
		p.nodeText(t.other, x+away, y+4.5, style, room)
		p.Text(x+away+side*(style.WidthOf(label)+16), y+4.5, text, anchored(muted, anchor))
	}
	if more := len(of) - mostTies; more > 0 {
		p.Text(x+away, middle+tieRow*(float64(rows-1)/2)+4.5, fmt.Sprintf("%d more", more), anchored(muted, anchor))
	}
}
