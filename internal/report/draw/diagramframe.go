package draw

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is a diagram on a canvas.
type frame struct {
	Diagram
	c          draw.Canvas
	at         []vg.Point // of each node
	near       [][]int32  // neighbours of each node
	unit, font vg.Length  // length of a usual edge, size of labels
}

// frame scales the points of the diagram to the canvas and puts them into its middle.
func (d Diagram) frame(c draw.Canvas) frame {
	f := frame{Diagram: d, c: c, at: make([]vg.Point, len(d.Points)), near: make([][]int32, len(d.Points))}
	var lengths []float64
	for _, l := range d.Edges {
		a, b := d.Points[l.From], d.Points[l.To]
		if length := math.Hypot(a[0]-b[0], a[1]-b[1]); length > 0 {
			lengths = append(lengths, length)
		}
		f.join(l.From, l.To)
		f.join(l.To, l.From)
	}
	usual := 1.0
	if len(lengths) > 0 {
		slices.Sort(lengths)
		usual = lengths[len(lengths)/2]
	}
	xmin, xmax, ymin, ymax := bounds(d.Points)
	width, height := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	room := func(of vg.Length) float64 { return float64(max(of-2*margin, 1)) }
	longest := max(maxBond, float64(width)/12)
	if d.Fill {
		longest = float64(max(width, height))
	}
	scale := min(room(width)/(xmax-xmin), room(height)/(ymax-ymin), longest/usual)
	middle := vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y) / 2}
	for v, at := range d.Points {
		f.at[v] = vg.Point{X: middle.X + vg.Length(scale*(at[0]-(xmin+xmax)/2)), Y: middle.Y + vg.Length(scale*(at[1]-(ymin+ymax)/2))}
	}
	f.unit = vg.Length(scale * usual)
	f.font = max(min(f.unit*0.42, titleSize), 4)
	return f
}

// join makes v a neighbour of u.
func (f frame) join(u, v int32) {
	if !slices.Contains(f.near[u], v) {
		f.near[u] = append(f.near[u], v)
	}
}

// bounds is the box of points.
func bounds(points [][2]float64) (xmin, xmax, ymin, ymax float64) {
	for i, at := range points {
		if i == 0 {
			xmin, xmax, ymin, ymax = at[0], at[0], at[1], at[1]
		}
		xmin, xmax = min(xmin, at[0]), max(xmax, at[0])
		ymin, ymax = min(ymin, at[1]), max(ymax, at[1])
	}
	return xmin, xmax, ymin, ymax
}

func (f frame) band() vg.Length { return min(max(f.unit*0.36, 2.5), 8) }

// ends are the points between which a line is drawn.
func (f frame) ends(i int) [2]vg.Point {
	l := f.Edges[i]
	a, b := f.at[l.From], f.at[l.To]
	if l.Half {
		b = middle(a, b)
	}
	return [2]vg.Point{a, b}
}

// strokes draws those of a line. At nodes with a label they end before it.
func (f frame) strokes(i int) {
	l, ends := f.Edges[i], f.ends(i)
	along := ends[1].Sub(ends[0])
	length := vg.Length(math.Hypot(float64(along.X), float64(along.Y)))
	if length == 0 {
		return
	}
	along = along.Scale(1 / length)
	across := vg.Point{X: -along.Y, Y: along.X}
	if room := f.font * 0.62; room < length/2 || l.Half && room < length {
		if f.label(int(l.From)) != "" {
			ends[0] = ends[0].Add(along.Scale(room))
		}
		if f.label(int(l.To)) != "" && !l.Half {
			ends[1] = ends[1].Sub(along.Scale(room))
		}
	}
	colour := l.Colour
	if colour.A == 0 {
		colour = color.NRGBA{A: 255}
	}
	var dashes []vg.Length
	if l.Dashed {
		dashes = []vg.Length{2.5, 2}
	}
	gap, width := max(f.unit*0.12, 1.6), min(max(f.unit*0.05, 0.6), thin)
	shifted := func(by, shorter vg.Length, dashes []vg.Length) {
		aside, inward := across.Scale(by), along.Scale(shorter)
		from, to := ends[0].Add(aside).Add(inward), ends[1].Add(aside)
		if !l.Half {
			to = to.Sub(inward)
		}
		f.stroke(colour, width, dashes, [2]vg.Point{from, to})
	}
	inner := dashes
	if l.Strokes == Aromatic {
		inner = []vg.Length{2, 1.5}
	}
	side := f.side(l)
	switch {
	case l.Strokes == Single:
		shifted(0, 0, dashes)
	case l.Strokes == Triple:
		shifted(0, 0, dashes)
		shifted(gap, 0, dashes)
		shifted(-gap, 0, dashes)
	case side == 0:
		shifted(gap/2, 0, dashes)
		shifted(-gap/2, 0, inner)
	default:
		shifted(0, 0, dashes)
		shifted(side*gap, gap, inner)
	}
}

// side is where the second stroke of a line is: 1 on the left of its direction, -1 on the
// right, 0 on both sides of the middle, as at an end of a chain.
func (f frame) side(l Line) vg.Length {
	from, to := f.at[l.From], f.at[l.To]
	if len(f.near[l.From]) == 1 || len(f.near[l.To]) == 1 {
		return 0
	}
	sum := 0
	for _, end := range []int32{l.From, l.To} {
		for _, v := range f.near[end] {
			a, b := to.Sub(from), f.at[v].Sub(from)
			switch cross := float64(a.X*b.Y - a.Y*b.X); {
			case cross > 1e-9:
				sum++
			case cross < -1e-9:
				sum--
			}
		}
	}
	if sum < 0 {
		return -1
	}
	return 1
}

func (f frame) stroke(c color.Color, width vg.Length, dashes []vg.Length, ends [2]vg.Point) {
	var path vg.Path
	path.Move(ends[0])
	path.Line(ends[1])
	f.c.SetLineStyle(draw.LineStyle{Color: c, Width: width, Dashes: dashes})
	f.c.Stroke(path)
}

func (f frame) text(label string, at vg.Point) {
	style := textStyle(f.font)
	style.XAlign, style.YAlign = text.XLeft, text.YCenter
	at.X -= style.Width(leading(label)) / 2
	f.c.FillText(style, at, label)
}

// leading is the symbol of the element that a label begins with, or all of another label.
func leading(label string) string {
	if label[0] < 'A' || label[0] > 'Z' {
		return label
	}
	end := 1
	for end < len(label) && label[end] >= 'a' && label[end] <= 'z' {
		end++
	}
	return label[:end]
}

func (f frame) dot(at vg.Point) {
	f.c.SetColor(color.NRGBA{R: 60, G: 60, B: 60, A: 255})
	f.c.Fill(circle(at, min(max(f.unit*0.09, 0.7), 2)))
}

func circle(at vg.Point, r vg.Length) (path vg.Path) {
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
}

// around is the square around a point.
func around(at vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: at.X - r, Y: at.Y - r}, Max: vg.Point{X: at.X + r, Y: at.Y + r}}
}

// mark draws a dashed box, or the circle in a square one.
func mark(c draw.Canvas, box vg.Rectangle, round bool) {
	path := box.Path()
	if round {
		path = circle(middle(box.Min, box.Max), box.Size().X/2)
	}
	c.SetLineStyle(draw.LineStyle{Color: MarkColour, Width: thin, Dashes: []vg.Length{2, 1.5}})
	c.Stroke(path)
}

// textStyle is that of a text of some size.
func textStyle(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans"}, size), Handler: plot.DefaultTextHandler}
}

func middle(a, b vg.Point) vg.Point { return a.Add(b).Scale(0.5) }
