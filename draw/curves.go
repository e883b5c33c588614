package draw

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
)

// Curves are numbers over a common axis, a line with marks for each.
type Curves struct {
	Title, X, Y string // of the panel and of the axes
	Curves      []Curve
}

// Curve is a line through points, by rising x.
type Curve struct {
	Name string
	X, Y []float64
}

func (c Curves) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Legend.Top = true
	p.Y.Min = 0
	for i, curve := range c.Curves {
		if len(curve.X) != len(curve.Y) {
			return nil, fmt.Errorf("curve %q has %d and %d coordinates, expected as many", curve.Name, len(curve.X), len(curve.Y))
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
		p.Legend.Add(curve.Name, line, marks)
	}
	return p, nil
}
