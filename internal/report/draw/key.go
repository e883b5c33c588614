package draw

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Key is an entry of the key of a figure: a sample of what is drawn and what it stands for.
type Key struct {
	Text    string
	Line    Line // the sample, whose ends do not count
	Squared bool // the sample is a square, not a line
	// Group is the number, from 1, of the group of points whose marker is the sample; 0 for a line.
	Group int
}

// Sizes of the key in points.
const (
	keySample = 22.0 // width of a sample
	keyGap    = 14.0 // between entries
	keyRow    = 16.0
	keyMargin = 8.0
)

// keyRows divides the key into rows that fit into a width.
func (f Figure) keyRows(width vg.Length) (rows [][]Key) {
	at := vg.Length(0)
	for _, k := range f.Key {
		w := k.width()
		if len(rows) == 0 || at+w > width-2*keyMargin {
			rows, at = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		at += w
	}
	return rows
}

func (k Key) width() vg.Length { return keySample + 4 + textStyle(titleSize).Width(k.Text) + keyGap }

// drawKey draws rows of the key at the foot of a canvas, which it makes white.
func drawKey(c draw.Canvas, rows [][]Key) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	style := textStyle(titleSize)
	style.XAlign, style.YAlign = text.XLeft, text.YCenter
	for i, row := range rows {
		at := vg.Point{X: c.Min.X + keyMargin, Y: c.Min.Y + keyMargin + vg.Length(len(rows)-i)*keyRow - keyRow/2}
		for _, k := range row {
			k.sample(c, at)
			c.FillText(style, vg.Point{X: at.X + keySample + 4, Y: at.Y}, k.Text)
			at.X += k.width()
		}
	}
}

// sample draws that of an entry from a point to the right.
func (k Key) sample(c draw.Canvas, at vg.Point) {
	middle := vg.Point{X: at.X + keySample/2, Y: at.Y}
	if k.Squared {
		mark(c, around(middle, 6), false)
		return
	}
	if k.Group > 0 {
		c.SetColor(GroupColour(k.Group - 1))
		c.Fill(addMarker(nil, middle, k.Group-1, 3))
		return
	}
	k.Line.From, k.Line.To = 0, 1
	f := frame{Diagram: Diagram{Edges: []Line{k.Line}}, c: c, at: []vg.Point{at, {X: at.X + keySample, Y: at.Y}}, near: [][]int32{{1}, {0}}, unit: keySample}
	if k.Line.Band.A > 0 {
		f.stroke(k.Line.Band, f.band(), nil, f.ends(0))
	}
	f.strokes(0)
	if k.Line.Circled {
		mark(c, around(middle, 7), true)
	}
}
