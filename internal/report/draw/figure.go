package draw

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is panels in rows.
type Figure struct {
	Panels  []Panel
	Columns int // panels a row, at least 1
	// Width and Height of a panel in points, a point being 1/72 inch.
	Width, Height float64
	Key           []Key // below the panels; nil for none
}

// Panel is one picture of a figure: a Graph, Curves or a Scatter.
type Panel interface {
	plot() (*plot.Plot, error)
}

func init() { plot.DefaultFont.Variant = "Sans" } // of axes and titles, as of all other text here

// resolution of PNG files, in dots per inch.
const resolution = 110

// SVG renders the figure as a document in SVG.
func (f Figure) SVG() ([]byte, error) {
	return f.render(func(w, h vg.Length) vg.CanvasWriterTo { return &svgCanvas{vgsvg.New(w, h)} })
}

// PNG renders the figure as an image in PNG.
func (f Figure) PNG() ([]byte, error) {
	return f.render(func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(resolution))}
	})
}

func (f Figure) render(canvas func(w, h vg.Length) vg.CanvasWriterTo) ([]byte, error) {
	if len(f.Panels) == 0 || f.Columns < 1 || !(f.Width > 0) || !(f.Height > 0) {
		return nil, fmt.Errorf("draw: %d panels of %v by %v points, %d a row, expected at least one of a size above 0", len(f.Panels), f.Width, f.Height, f.Columns)
	}
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, f.Columns)
	}
	for i, p := range f.Panels {
		made, err := p.plot()
		if err != nil {
			return nil, fmt.Errorf("draw: panel %d: %w", i+1, err)
		}
		plots[i/f.Columns][i%f.Columns] = made
	}
	width := vg.Length(float64(f.Columns) * f.Width)
	key, below := f.keyRows(width), vg.Length(0)
	if key != nil {
		below = vg.Length(len(key))*keyRow + keyMargin
	}
	c := canvas(width, vg.Length(float64(rows)*f.Height)+below)
	if key != nil {
		drawKey(draw.New(c), key)
	}
	tiles := draw.Tiles{Rows: rows, Cols: f.Columns, PadX: 6, PadY: 6, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 6}
	for i, row := range plot.Align(plots, tiles, draw.Crop(draw.New(c), 0, 0, below, 0)) {
		for j, tile := range row {
			if plots[i][j] != nil {
				plots[i][j].Draw(tile)
			}
		}
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	return b.Bytes(), nil
}
