package draw

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter is a panel of points, as of true and predicted numbers.
type Scatter struct {
	Title, X, Y string
	Points      [][2]float64
	// Groups are the numbers, from 0, of the groups that points belong to, each of a colour and
	// shape of its own; nil for one group.
	Groups []int
	Line   [2][2]float64 // the ends of a line to compare with; both alike for none
}

func (s Scatter) plot() (*plot.Plot, error) {
	if s.Groups != nil && len(s.Groups) != len(s.Points) {
		return nil, fmt.Errorf("groups of %d points and %d points, expected as many", len(s.Groups), len(s.Points))
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = s.Title, s.X, s.Y
	for i, at := range s.Points {
		if math.IsNaN(at[0]+at[1]) || math.IsInf(at[0], 0) || math.IsInf(at[1], 0) {
			return nil, fmt.Errorf("point %d is at %v", i, at)
		}
	}
	if s.Line[0] != s.Line[1] {
		line, err := plotter.NewLine(plotter.XYs{{X: s.Line[0][0], Y: s.Line[0][1]}, {X: s.Line[1][0], Y: s.Line[1][1]}})
		if err != nil {
			return nil, fmt.Errorf("line: %w", err)
		}
		line.Color = faint
		p.Add(line)
	}
	p.Add(s)
	return p, nil
}

// DataRange is the box of the points.
func (s Scatter) DataRange() (xmin, xmax, ymin, ymax float64) { return bounds(s.Points) }

// Plot draws the points: one path for each group, or each point by itself, so that they are
// darker where they are many.
func (s Scatter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var paths []vg.Path
	size := vg.Length(pointSize)
	if len(s.Points) < fewPoints {
		size *= 1.8
	}
	for i, at := range s.Points {
		to := vg.Point{X: x(at[0]), Y: y(at[1])}
		if s.Groups == nil {
			c.SetColor(dot)
			c.Fill(circle(to, pointSize))
			continue
		}
		g := s.Groups[i]
		for len(paths) <= g {
			paths = append(paths, nil)
		}
		paths[g] = addMarker(paths[g], to, g, size)
	}
	for g, path := range paths {
		c.SetColor(GroupColour(g))
		c.Fill(path)
	}
}

// pointSize is the radius of a point, in points of 1/72 inch; markers of groups are larger where
// there are fewer than fewPoints.
const (
	pointSize = 1.3
	fewPoints = 1000
)

// groupColours are those of Okabe and Ito, which colour-blind readers can tell apart, with a
// darker yellow, which can be seen on white.
var groupColours = []color.NRGBA{
	{0x00, 0x72, 0xB2, 255}, {0xE6, 0x9F, 0x00, 255}, {0x00, 0x9E, 0x73, 255}, {0xCC, 0x79, 0xA7, 255},
	{0x56, 0xB4, 0xE9, 255}, {0xD5, 0x5E, 0x00, 255}, {0xB5, 0xA9, 0x00, 255},
}

// GroupColour is the colour of a group of points. With the shape it tells as many groups as
// the product of both.
func GroupColour(g int) color.NRGBA { return groupColours[g%len(groupColours)] }

// addMarker adds the shape of a group to a path.
func addMarker(path vg.Path, at vg.Point, group int, r vg.Length) vg.Path {
	corners := func(from, n int, r vg.Length) {
		for k := range n {
			sin, cos := math.Sincos(math.Pi * (float64(from)/4 + 2*float64(k)/float64(n)))
			corner := at.Add(vg.Point{X: r * vg.Length(cos), Y: r * vg.Length(sin)})
			if k == 0 {
				path.Move(corner)
			} else {
				path.Line(corner)
			}
		}
		path.Close()
	}
	switch group % 4 {
	case 0:
		path = append(path, circle(at, r)...)
	case 1:
		corners(1, 4, r*1.4) // a square
	case 2:
		corners(2, 3, r*1.6) // a triangle
	case 3:
		corners(0, 4, r*1.5) // a diamond
	}
	return path
}

func circle(at vg.Point, r vg.Length) (path vg.Path) {
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
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
