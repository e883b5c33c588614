package draw

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Key is an entry of the key of a figure: the marker of a group of points and what it stands for.
type Key struct {
	Text  string
	Group int // from 1
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
	c.SetColor(GroupColour(k.Group - 1))
	c.Fill(addMarker(nil, vg.Point{X: at.X + keySample/2, Y: at.Y}, k.Group-1, 3))
}

// titleSize is the size of texts of the key in points.
const titleSize = 9.0

// textStyle is that of a text of some size.
func textStyle(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans"}, size), Handler: plot.DefaultTextHandler}
}
