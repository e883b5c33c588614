package picture

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Horizontal positions in the wide form, in pixels from the left of the drawing.
const (
	wideDrawing = 870.0 // width
	barsGap     = 48.0
	leastBars   = 300.0 // smallest width of bars beside the drawing; with less room they are below it
	rowHeight   = 56.0
	farDot      = 108.0 // node at the far end of a row on the left
	farEnd      = 116.0 // segment of a row
	nearEnd     = 260.0
	sourceNode  = 336.0
	targetNode  = 534.0
	nodeRadius  = 13.0
	middleText  = targetNode - sourceNode - 44
)

// wide draws rows to the left and right of the edge, and bars beside them.
func (p *edgePicture) wide() {
	title, note := p.subject()
	p.Text(margin, 38, draw.CutMiddle(title, draw.TextStyle{Size: 16, Bold: true}, p.room()), draw.TextStyle{Size: 16, Bold: true})
	p.Text(margin, 62, draw.CutMiddle(note, muted, p.room()), muted)
	y := p.legend(90) + 22
	left, right := p.sideHeight(explain.AtSource), p.sideHeight(explain.AtTarget)
	below := rowHeight*float64(len(p.rowsAt(explain.AtBoth))+len(p.restAt(explain.AtBoth))) + 48
	height := max(left, right, 2*56, 56+below)
	middle := y + max(max(left, right)/2, 56) + 8
	p.middle(middle)
	p.side(explain.AtSource, middle)
	p.side(explain.AtTarget, middle)
	p.pair(middle)
	end := max(y+height+16, middle+below)
	if room := p.room() - wideDrawing - barsGap; room >= leastBars {
		end = max(end, p.drawBars(margin+wideDrawing+barsGap, y, room))
	} else {
		end = p.drawBars(margin, end+24, min(p.room(), 640))
	}
	sentence, numbers := p.verdict()
	end = p.paragraph(margin, end+28, p.room(), sentence, strong)
	end = p.paragraph(margin, end, p.room(), numbers, muted)
	p.Height = math.Ceil(end + 4)
}

// sideHeight is the height of the rows of a side.
func (p *edgePicture) sideHeight(side explain.Side) float64 {
	return rowHeight * float64(len(p.rowsAt(side))+len(p.restAt(side)))
}

// middle draws the explained edge.
func (p *edgePicture) middle(y float64) {
	p.Group(p.words.Edge+" "+p.own.id, func() {
		end := margin + targetNode - nodeRadius - 1
		if p.x.Directed {
			p.Path(draw.Data("M", margin+sourceNode+nodeRadius, y, "H", end-12), draw.Stroke{Line: draw.TextInk, Width: 5})
			p.Path(draw.Data("M", end, y, "L", end-16, y-9, "V", y+9, "Z"), draw.Stroke{Fill: draw.TextInk})
		} else {
			p.Path(draw.Data("M", margin+sourceNode+nodeRadius, y, "H", end), draw.Stroke{Line: draw.TextInk, Width: 5})
		}
		for _, x := range []float64{sourceNode, targetNode} {
			p.Circle(margin+x, y, nodeRadius, draw.Stroke{Fill: draw.PageInk, Line: draw.TextInk, Width: 2})
		}
	})
	at := margin + (sourceNode+targetNode)/2
	p.Text(at, y-30, p.own.above(strong, middleText+20), anchored(strong, draw.Middle))
	p.Text(at, y-13, draw.CutMiddle(p.own.below, muted, middleText+20), anchored(muted, draw.Middle))
	source, target := draw.CutMiddle(p.own.source, strong, middleText), draw.CutMiddle(p.own.target, strong, middleText)
	down := 0.0
	if strong.WidthOf(source)+strong.WidthOf(target) > middleText-16 {
		down = 16
	}
	p.Text(margin+sourceNode+20, y+22, source, strong)
	p.Text(margin+targetNode-20, y+22+down, target, anchored(strong, draw.End))
}

// side draws the rows of a side around the middle.
func (p *edgePicture) side(side explain.Side, middle float64) {
	s := mirrored{p, side == explain.AtTarget}
	rows, rest := p.rowsAt(side), p.restAt(side)
	if len(rows)+len(rest) == 0 {
		s.text(sourceNode-24, middle+4.5, "no other "+p.words.Edge+"s", muted, true)
		return
	}
	y := middle - rowHeight*float64(len(rows)+len(rest)-1)/2
	for _, r := range rows {
		p.Group(p.hover(r), func() { s.row(r, middle, y) })
		y += rowHeight
	}
	for _, r := range rest {
		what, together := p.restText(r)
		s.curve(middle, y, nearEnd, draw.Stroke{Line: draw.ControlInk, Width: 1.2, Dash: "2 4"})
		for k := range 3 {
			s.dot(nearEnd-6-7*float64(k), y, 2)
		}
		s.text(232, y-2, draw.CutMiddle(what, muted, 232), muted, true)
		s.text(232, y+14, together, muted, true)
		y += rowHeight
	}
}

// mirrored draws on the left of the picture, or on the right, where x counts from the right end.
type mirrored struct {
	*edgePicture
	right bool
}

func (s mirrored) x(x float64) float64 {
	if s.right {
		return margin + wideDrawing - x
	}
	return margin + x
}

func (s mirrored) dot(x, y, r float64) {
	s.Circle(s.x(x), y, r, draw.Stroke{Fill: draw.ControlInk})
}

// text writes a text that ends at x on the side away from the middle of the picture, or is centred there.
func (s mirrored) text(x, y float64, text string, style draw.TextStyle, ends bool) {
	switch {
	case !ends:
		style.Anchor = draw.Middle
	case !s.right:
		style.Anchor = draw.End
	}
	s.Text(s.x(x), y, text, style)
}

// curve draws the line from the node at the end of the edge to a row.
func (s mirrored) curve(middle, y, to float64, look draw.Stroke) {
	d := []any{"M", s.x(sourceNode - nodeRadius - 3), middle, "C", s.x(280), middle, s.x(292), y, s.x(nearEnd), y}
	if to != nearEnd {
		d = append(d, "H", s.x(to))
	}
	s.Path(draw.Data(d...), look)
}

func (s mirrored) row(r edgeRow, middle, y float64) {
	look := s.line(r)
	s.curve(middle, y, farEnd, look)
	if s.x0(r) {
		s.arrow(r, y, look)
	}
	s.dot(farDot, y, 4.5)
	at := (farEnd + nearEnd) / 2
	gap := 8 + look.Width/2
	s.text(at, y-gap, r.above(usual, nearEnd-farEnd), usual, false)
	s.text(at, y+gap+9, draw.CutMiddle(r.below, muted, nearEnd-farEnd), muted, false)
	style := usual
	style.Bold = r.bold
	const room = 98.0
	switch {
	case r.then == "":
		s.text(98, y+4.5, draw.CutMiddle(r.other, style, room), style, true)
	case style.WidthOf(r.other+" "+r.then) <= room:
		s.text(98, y+4.5, r.other+" "+r.then, style, true)
	default:
		s.text(98, y-3, draw.CutMiddle(r.other, style, room), style, true)
		s.text(98, y+13, draw.CutMiddle(r.then, style, room), style, true)
	}
}

// x0 reports whether a row has an arrow: edges of directed graphs at the end itself.
func (s mirrored) x0(r edgeRow) bool { return s.edgePicture.x.Directed && r.steps <= 1 }

// arrow draws the head of the arrow at the target of the edge.
func (s mirrored) arrow(r edgeRow, y float64, look draw.Stroke) {
	half := 4 + look.Width/2
	tip, back := farDot+4.5, farDot+14
	if r.in {
		tip, back = nearEnd+6, nearEnd-4
	}
	s.Path(draw.Data("M", s.x(tip), y, "L", s.x(back), y-half, "V", y+half, "Z"), draw.Stroke{Fill: look.Line})
}

// pair draws the other edges between the two nodes, below the middle.
func (p *edgePicture) pair(middle float64) {
	left, right := margin+sourceNode, margin+targetNode
	y := middle + 40
	if strong.WidthOf(p.own.source)+strong.WidthOf(p.own.target) > middleText-16 {
		y += 16
	}
	for _, r := range p.rowsAt(explain.AtBoth) {
		y += rowHeight
		p.Group(p.hover(r), func() {
			look := p.line(r)
			p.Path(draw.Data("M", left, middle+nodeRadius+2, "V", y-24, "C", left, y-4, left+8, y, left+24, y, "H", right-24, "C", right-8, y, right, y-4, right, y-24, "V", middle+nodeRadius+2), look)
			at := (left + right) / 2
			if half := 4 + look.Width/2; p.x.Directed {
				tip, back := right-20, right-32
				if r.source != p.own.source {
					tip, back = left+20, left+32
				}
				p.Path(draw.Data("M", tip, y, "L", back, y-half, "V", y+half, "Z"), draw.Stroke{Fill: look.Line})
			}
			gap := 8 + look.Width/2
			p.Text(at, y-gap, r.above(usual, middleText-16), anchored(usual, draw.Middle))
			p.Text(at, y+gap+9, draw.CutMiddle(r.below, muted, middleText-16), anchored(muted, draw.Middle))
		})
	}
	for _, r := range p.restAt(explain.AtBoth) {
		y += rowHeight - 8
		what, together := p.restText(r)
		p.Text((left+right)/2, y, draw.CutMiddle(what, muted, middleText+60), anchored(muted, draw.Middle))
		p.Text((left+right)/2, y+16, together, anchored(muted, draw.Middle))
	}
}
