package experiment

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// meanLine is the mean of a measure over seeds as a function of x, with its deviation.
type meanLine struct {
	name               string
	x, mean, deviation []float64
}

// add adds the mean of values at x.
func (l *meanLine) add(x float64, values []float64) {
	mean, deviation := report.MeanStd(values)
	l.x, l.mean, l.deviation = append(l.x, x), append(l.mean, mean), append(l.deviation, deviation)
}

// meanOver returns the mean line of some runs, at the points that all of them have.
func meanOver[R any](name string, runs []R, points func(R) int, x func(i int) float64, y func(r R, i int) float64) meanLine {
	l := meanLine{name: name}
	for i := range slices.Min(lists.Map(runs, points)) {
		l.add(x(i), lists.Map(runs, func(r R) float64 { return y(r, i) }))
	}
	return l
}

// meanChart draws lines with the deviation over seeds as a band, if there is one. The axis starts at 0 unless means are negative.
func meanChart(title, x, y string, lines []meanLine) *report.Chart {
	c := &report.Chart{Title: title, Hide: true}
	left, right, low, high := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for k, l := range lines {
		if l.x == nil {
			continue
		}
		line := report.Series{Name: l.name, Colour: report.ColourOf(k % 4), Dash: k >= 4, X: l.x, Y: l.mean}
		band := report.Series{Group: l.name, Kind: report.Band, Colour: line.Colour, X: l.x}
		for i, m := range l.mean {
			band.Low, band.High = append(band.Low, m-l.deviation[i]), append(band.High, m+l.deviation[i])
		}
		left, right = min(left, slices.Min(l.x)), max(right, slices.Max(l.x))
		low, high = min(low, slices.Min(band.Low)), max(high, slices.Max(band.High))
		if slices.Max(l.deviation) > 0 {
			c.Series = append(c.Series, band)
		}
		c.Series = append(c.Series, line)
	}
	c.X, c.Y = report.LinearAxis(x, left, right), report.LinearAxis(y, low, high)
	return c
}

// listing is a table without rows; its first columns hold text.
func listing(texts int, columns ...string) *report.Listing {
	l := &report.Listing{}
	for i, name := range columns {
		l.Columns = append(l.Columns, report.ListingColumn{Name: name, Left: i < texts})
	}
	return l
}

// drawn returns the charts that have a line.
func drawnCharts(charts []*report.Chart) []*report.Chart {
	return slices.DeleteFunc(charts, func(c *report.Chart) bool { return c.Series == nil })
}
