package draw

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
)

// Curves are numbers over a common axis, a line with marks for each.
type Curves struct {
	Title, X, Y string // of the panel and of the axes
	Curves      []Curve
	Legend      Legend
}

// Legend is where the names of curves stand in a panel.
type Legend int

const (
	TopRight Legend = iota
	BottomRight
	NoLegend // the names are those of another panel
)

// Curve is a line through points, by rising x.
type Curve struct {
	Name string
	X, Y []float64
	// Spread is how far a band reaches to either side of the line at each point; nil for none.
	Spread []float64
}

func (c Curves) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Legend.Top = c.Legend == TopRight
	p.Y.Min = 0
	for i, curve := range c.Curves {
		if len(curve.X) != len(curve.Y) {
			return nil, fmt.Errorf("curve %q has %d and %d coordinates, expected as many", curve.Name, len(curve.X), len(curve.Y))
		}
		if curve.Spread != nil {
			band, err := curve.band(plotutil.Color(i))
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
		line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i)
		marks.Color, marks.Shape = line.Color, plotutil.Shape(i)
		p.Add(line, marks)
		if c.Legend != NoLegend {
			p.Legend.Add(curve.Name, line, marks)
		}
	}
	return p, nil
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

// bandAlpha is how much a band covers, of 255.
const bandAlpha = 48
