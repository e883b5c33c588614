package draw

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Curves are numbers over a common axis, a line with marks for each.
type Curves struct {
	Title, X, Y string // of the panel and of the axes
	Curves      []Curve
	Legend      Legend
	Bare        bool // lines without marks, as of many points
	// Headroom is left free above the curves for the legend, as a share of their height.
	Headroom float64
}

// Legend is where the names of curves stand in a panel.
type Legend int

const (
	TopRight Legend = iota
	BottomRight
	NoLegend // the names are those of another panel
)

// Curve is a line through points, by rising x; without a name it is not in the legend.
type Curve struct {
	Name string
	X, Y []float64
	// Faint draws a thin grey line, to compare with, without marks.
	Faint bool
	// Spread is how far a band reaches to either side of the line at each point; nil for none.
	Spread []float64
}

func (c Curves) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Legend.Top = c.Legend == TopRight
	for i, curve := range c.Curves {
		if len(curve.X) != len(curve.Y) {
			return nil, fmt.Errorf("curve %q has %d and %d coordinates, expected as many", curve.Name, len(curve.X), len(curve.Y))
		}
		if curve.Spread != nil {
			band, err := curve.band(palette[i%len(palette)])
			if err != nil {
				return nil, fmt.Errorf("curve %q: %w", curve.Name, err)
			}
			p.Add(band)
		}
		points := make(plotter.XYs, len(curve.X))
		for k := range points {
			points[k] = plotter.XY{X: curve.X[k], Y: curve.Y[k]}
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, fmt.Errorf("curve %q: %w", curve.Name, err)
		}
		line.Color, line.Dashes = palette[i%len(palette)], plotutil.Dashes(i)
		marks.Color, marks.Shape = line.Color, plotutil.Shape(i)
		if curve.Faint {
			line.Color, line.Dashes = faint, []vg.Length{vg.Points(3), vg.Points(3)}
		}
		shown := []plot.Thumbnailer{line}
		p.Add(line)
		if !c.Bare && !curve.Faint {
			shown = append(shown, marks)
			p.Add(marks)
		}
		if c.Legend != NoLegend && curve.Name != "" {
			p.Legend.Add(curve.Name, shown...)
		}
	}
	p.Y.Min = 0
	if c.Headroom > 0 {
		p.Y.Max *= 1 + c.Headroom
	}
	return p, nil
}

// palette are the colours of curves, those of Okabe and Ito, which everyone can tell apart,
// without the two that are hard to see on white or on black.
var palette = []color.Color{
	color.NRGBA{0x00, 0x72, 0xB2, 255}, color.NRGBA{0xD5, 0x5E, 0x00, 255}, color.NRGBA{0x00, 0x9E, 0x73, 255},
	color.NRGBA{0xCC, 0x79, 0xA7, 255}, color.NRGBA{0xE6, 0x9F, 0x00, 255}, color.NRGBA{0x56, 0xB4, 0xE9, 255},
}

// band is the area within Spread of the line, in a pale form of its colour.
func (c Curve) band(of color.Color) (*plotter.Polygon, error) {
	if len(c.Spread) != len(c.X) {
		return nil, fmt.Errorf("%d spreads of %d points, expected as many", len(c.Spread), len(c.X))
	}
	var edge plotter.XYs
	for k, s := range c.Spread {
		edge = append(edge, plotter.XY{X: c.X[k], Y: c.Y[k] + s})
	}
	for k, s := range slices.Backward(c.Spread) {
		edge = append(edge, plotter.XY{X: c.X[k], Y: c.Y[k] - s})
	}
	band, err := plotter.NewPolygon(edge)
	if err != nil {
		return nil, err
	}
	r, g, b, _ := of.RGBA()
	band.Color = color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), bandAlpha}
	band.LineStyle.Width = 0
	return band, nil
}

// faint is the colour of lines to compare with, which is seen on white and on black.
var faint = color.NRGBA{0x88, 0x88, 0x88, 255}

// dot is the colour of points, the blue of Okabe and Ito.
var dot = color.NRGBA{0x00, 0x72, 0xB2, 160}

// bandAlpha is how much a band covers, of 255.
const bandAlpha = 48
