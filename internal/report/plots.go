package report

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Sizes of charts in files, in pixels.
const (
	plotWidth  = 360.0
	plotHeight = 280.0
	plotGap    = 24.0
)

// Charted is a part of a document with several charts: a page shows the charts, and the files have a picture of them.
// Lines, bands and dots are drawn.
func Charted(name, caption string, columns int, charts []*Chart) (*Figure, error) {
	f, err := Drawn(name, caption, plots(caption, columns, charts))
	if err != nil {
		return nil, err
	}
	f.charts.Three = columns > 2
	for _, c := range charts {
		f.charts.Parts = append(f.charts.Parts, c)
	}
	return f, nil
}

// plots is a picture of charts in rows, with one legend above all.
func plots(label string, columns int, charts []*Chart) *draw.Scene {
	columns = min(columns, max(len(charts), 1))
	s := &draw.Scene{Width: PictureMargin + float64(columns)*(plotWidth+plotGap), Label: label}
	y := plotLegend(s, charts)
	for i, c := range charts {
		c.on(s, PictureMargin+float64(i%columns)*(plotWidth+plotGap), y+float64(i/columns)*(plotHeight+plotGap))
	}
	s.Height = y + math.Ceil(float64(len(charts))/float64(columns))*(plotHeight+plotGap)
	return s
}

var mutedText = draw.TextStyle{Ink: draw.MutedInk}

// plotLegend draws the names of the series of all charts and returns its lower end.
func plotLegend(s *draw.Scene, charts []*Chart) float64 {
	const sample = 30.0
	var seen []string
	x, y := PictureMargin, PictureMargin+10
	for _, c := range charts {
		for _, series := range c.Series {
			if series.Name == "" || series.Kind == Band || slices.Contains(seen, series.Name) {
				continue
			}
			seen = append(seen, series.Name)
			name := draw.CutMiddle(series.Name, mutedText, s.Width-2*PictureMargin-sample)
			w := sample + mutedText.WidthOf(name)
			if x > PictureMargin && x+w > s.Width-PictureMargin {
				x, y = PictureMargin, y+20
			}
			if series.Kind == Dots {
				s.Circle(x+11, y-4.5, 4, draw.Stroke{Fill: series.ink()})
			} else {
				s.Path(draw.Data("M", x, y-4.5, "H", x+22), series.stroke())
			}
			s.Text(x+sample, y, name, mutedText)
			x += w + 20
		}
	}
	if seen == nil {
		return PictureMargin
	}
	return y + 20
}

// ink is the colour of a series in a picture.
func (s Series) ink() draw.Ink {
	return map[string]draw.Ink{"c1": draw.DownInk, "c2": draw.UpInk, "c3": draw.ThirdInk, "c4": draw.FourthInk, "c5": draw.OtherInk}[s.Colour]
}

func (s Series) stroke() draw.Stroke {
	look := draw.Stroke{Line: s.ink(), Width: 2}
	if s.Dash {
		look.Dash = "4 4"
	}
	return look
}

// on draws the chart with its upper left corner at x and y.
func (c *Chart) on(s *draw.Scene, x, y float64) {
	s.Text(x, y+14, draw.CutMiddle(c.Title, draw.TextStyle{Bold: true}, plotWidth), draw.TextStyle{Bold: true})
	s.Text(x, y+34, draw.CutMiddle(c.Y.Name, mutedText, plotWidth), mutedText)
	left, top, right, bottom := x+12, y+46, x+plotWidth-14, y+plotHeight-40
	for _, v := range c.Y.Ticks {
		left = max(left, x+12+mutedText.WidthOf(c.Y.Text(v)))
	}
	px := func(v float64) float64 { return left + c.X.At(v)*(right-left) }
	py := func(v float64) float64 { return bottom - c.Y.At(v)*(bottom-top) }
	end := mutedText
	end.Anchor = draw.End
	for _, v := range c.Y.Ticks {
		s.Path(draw.Data("M", left, py(v), "H", right), draw.Stroke{Line: draw.LineInk, Width: 1})
		s.Text(left-8, py(v)+4.5, c.Y.Text(v), end)
	}
	s.Path(draw.Data("M", left, bottom, "H", right), draw.Stroke{Line: draw.ControlInk, Width: 1})
	for _, v := range c.X.Narrow {
		s.Path(draw.Data("M", px(v), bottom, "V", bottom+4), draw.Stroke{Line: draw.ControlInk, Width: 1})
		style, at := mutedText, px(v)
		switch style.Anchor = draw.Middle; {
		case v == c.X.High && len(c.X.Text(v)) > 3: // a long text ends at the end of the chart
			style.Anchor, at = draw.End, right+14
		}
		s.Text(at, bottom+18, c.X.Text(v), style)
	}
	s.Text(right+14, bottom+36, c.X.Name, end)
	for _, series := range c.Series {
		series.on(s, px, py)
	}
}

// on draws a series, given the positions of values.
func (s Series) on(scene *draw.Scene, px, py func(v float64) float64) {
	var d []any
	to := func(x, y float64) {
		command := "L"
		if d == nil {
			command = "M"
		}
		d = append(d, command, px(x), py(y))
	}
	switch s.Kind {
	case Dots:
		for i := range s.X {
			scene.Circle(px(s.X[i]), py(s.Y[i]), 4, draw.Stroke{Fill: s.ink()})
		}
	case Band:
		for i := range s.X {
			to(s.X[i], s.High[i])
		}
		for i := range slices.Backward(s.X) {
			to(s.X[i], s.Low[i])
		}
		scene.Path(draw.Data(append(d, "Z")...), draw.Stroke{Fill: s.ink(), Pale: true})
	case Line:
		for i := range s.X {
			to(s.X[i], s.Y[i])
		}
		look := s.stroke()
		look.Round = look.Dash == ""
		scene.Path(draw.Data(d...), look)
	}
}
