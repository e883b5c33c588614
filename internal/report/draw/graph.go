package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Graph is a drawing of a graph: its edges as lines of a colour each, between points of the
// plane. Nodes are not marked.
type Graph struct {
	Title  string
	Points [][2]float64
	Ends   []int32 // of edge e the nodes Ends[2e] and Ends[2e+1]
	// Colours are red, green and blue of each edge; numbers outside [0, 1] are cut off.
	Colours [][3]float32
	Width   float64 // of lines, in points
}

func (g Graph) plot() (*plot.Plot, error) {
	if len(g.Ends) != 2*len(g.Colours) {
		return nil, fmt.Errorf("%d ends of edges and %d colours, expected two ends for a colour", len(g.Ends), len(g.Colours))
	}
	for i, v := range g.Ends {
		if v < 0 || int(v) >= len(g.Points) {
			return nil, fmt.Errorf("edge %d ends in node %d of %d", i/2, v, len(g.Points))
		}
	}
	p := plot.New()
	p.Title.Text = g.Title
	p.HideAxes()
	p.Add(g)
	return p, nil
}

// DataRange is the box of the points.
func (g Graph) DataRange() (xmin, xmax, ymin, ymax float64) {
	return bounds(g.Points)
}

// shades are the steps of each channel: edges of nearly equal colour are drawn as one path,
// which makes files of many edges a fraction of their size.
const shades = 48

// Plot draws the edges, one path for each colour.
func (g Graph) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(v int32) vg.Point { return vg.Point{X: x(g.Points[v][0]), Y: y(g.Points[v][1])} }
	paths := map[color.NRGBA]vg.Path{}
	for e, rgb := range g.Colours {
		k := shade(rgb)
		path := paths[k]
		path.Move(at(g.Ends[2*e]))
		path.Line(at(g.Ends[2*e+1]))
		paths[k] = path
	}
	c.SetLineWidth(vg.Length(g.Width))
	for _, k := range slices.SortedFunc(maps.Keys(paths), func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	}) {
		c.SetColor(k)
		c.Stroke(paths[k])
	}
}

// shade is the nearest of the colours that are drawn.
func shade(rgb [3]float32) color.NRGBA {
	var out [3]uint8
	for i, v := range rgb {
		step := int(min(max(v, 0), 1)*(shades-1) + 0.5)
		out[i] = uint8(step * 255 / (shades - 1))
	}
	return color.NRGBA{out[0], out[1], out[2], 255}
}
