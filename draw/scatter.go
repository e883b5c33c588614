package draw

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter is a panel of points, as of true and predicted numbers.
type Scatter struct {
	Title, X, Y string
	Points      [][2]float64
	Line        [2][2]float64 // the ends of a line to compare with; both alike for none
}

func (s Scatter) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = s.Title, s.X, s.Y
	points := make(plotter.XYs, len(s.Points))
	for i, at := range s.Points {
		points[i] = plotter.XY{X: at[0], Y: at[1]}
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return nil, fmt.Errorf("points: %w", err)
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: dot, Radius: vg.Points(1.3), Shape: draw.CircleGlyph{}}
	if s.Line[0] != s.Line[1] {
		line, err := plotter.NewLine(plotter.XYs{{X: s.Line[0][0], Y: s.Line[0][1]}, {X: s.Line[1][0], Y: s.Line[1][1]}})
		if err != nil {
			return nil, fmt.Errorf("line: %w", err)
		}
		line.Color = faint
		p.Add(line)
	}
	p.Add(marks)
	return p, nil
}
