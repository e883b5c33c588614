package draw

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Diagram is a drawing of a graph small enough to look at each edge, as chemists draw
// molecules: edges of several strokes with a band of colour behind them, nodes with labels,
// and marks around either. Both axes have one scale, and the edges of small graphs one length,
// so that diagrams side by side compare.
type Diagram struct {
	Title  string
	Points [][2]float64
	// Labels are the texts at nodes, nil for none at all. A node with an empty text is where
	// its edges meet. An element at the beginning, as of NH2, is what is centred.
	Labels []string
	// Dots draws a dot at each node that has no text.
	Dots    bool
	Edges   []Line
	Squared []int32 // nodes with a square around them
	// Fill makes the diagram as large as its panel, however long edges become.
	Fill bool
}

// Line is an edge of a Diagram.
type Line struct {
	From, To int32
	Strokes  Strokes
	Colour   color.NRGBA // of the strokes; the zero value is black
	Band     color.NRGBA // behind them; the zero value is none
	Dashed   bool
	Circled  bool // has a circle around its middle
	Half     bool // reaches from From to the middle alone, as an arc whose twin has the rest
	// Name tells the paths of the line in SVG, as their attribute data-line; empty for none.
	Name string
}

// Strokes is what a Line is drawn by.
type Strokes int

// The numbers of strokes are the orders of bonds.
const (
	Single Strokes = iota // also what is no bond
	Double                // the second stroke is on the side of the neighbours
	Triple
	Aromatic // a second stroke with dashes
)

// MarkColour is that of squares and circles around nodes and edges.
var MarkColour = color.NRGBA{R: 0xE0, G: 0x10, B: 0x20, A: 255}

// Sizes in points.
const (
	maxBond   = 24.0 // of an edge of usual length, more in wide panels
	margin    = 12.0 // around the points of a diagram
	titleSize = 9.0
	thin      = 1.0
)

func (d Diagram) plot() (*plot.Plot, error) {
	if d.Labels != nil && len(d.Labels) != len(d.Points) {
		return nil, fmt.Errorf("%d labels of %d nodes, expected as many", len(d.Labels), len(d.Points))
	}
	for i, l := range d.Edges {
		for _, v := range []int32{l.From, l.To} {
			if v < 0 || int(v) >= len(d.Points) {
				return nil, fmt.Errorf("edge %d ends in node %d of %d", i, v, len(d.Points))
			}
		}
	}
	for _, v := range d.Squared {
		if v < 0 || int(v) >= len(d.Points) {
			return nil, fmt.Errorf("node %d of %d has a square", v, len(d.Points))
		}
	}
	p := plot.New()
	p.Title.Text = d.Title
	p.Title.TextStyle.Font = textStyle(titleSize).Font
	p.HideAxes()
	p.Add(d)
	return p, nil
}

// Plot draws bands, strokes, labels and marks, one above the other.
func (d Diagram) Plot(c draw.Canvas, _ *plot.Plot) {
	f := d.frame(c)
	for i, l := range d.Edges {
		if l.Band.A > 0 {
			naming(c, l.Name)
			f.stroke(l.Band, f.band(), nil, f.ends(i))
		}
	}
	for i, l := range d.Edges {
		naming(c, l.Name)
		f.strokes(i)
	}
	naming(c, "")
	for v, at := range f.at {
		switch {
		case d.label(v) != "":
			f.text(d.label(v), at)
		case d.Dots:
			f.dot(at)
		}
	}
	for i, l := range d.Edges {
		if l.Circled {
			ends := f.ends(i)
			mark(f.c, around(middle(ends[0], ends[1]), f.unit*0.38+2), true)
		}
	}
	for _, v := range d.Squared {
		box := around(f.at[v], f.font*0.75+2)
		if l := f.label(int(v)); l != "" { // which may be long
			style := textStyle(f.font)
			box.Max.X = max(box.Max.X, f.at[v].X-style.Width(leading(l))/2+style.Width(l)+2)
		}
		mark(f.c, box, false)
	}
}

func (d Diagram) label(v int) string {
	if d.Labels == nil {
		return ""
	}
	return d.Labels[v]
}
