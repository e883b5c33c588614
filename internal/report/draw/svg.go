package draw

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas writes SVG that pages can take in under a policy without inline styles: looks are
// attributes, and the paths of named lines are told by an attribute of theirs, data-line.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // of lines, on the stack of the canvas
	paths  int         // that were written
	names  map[int]string
	name   string
}

func newSVGCanvas(w, h vg.Length) *svgCanvas {
	c := &svgCanvas{Canvas: vgsvg.New(w, h), widths: []vg.Length{0}, names: map[int]string{}}
	vg.Initialize(c)
	return c
}

func (c *svgCanvas) SetLineWidth(w vg.Length) {
	c.widths[len(c.widths)-1] = w
	c.Canvas.SetLineWidth(w)
}

func (c *svgCanvas) Push() {
	c.widths = append(c.widths, c.widths[len(c.widths)-1])
	c.Canvas.Push()
}

func (c *svgCanvas) Pop() {
	c.widths = c.widths[:len(c.widths)-1]
	c.Canvas.Pop()
}

// Stroke counts what the canvas writes: lines that have a width.
func (c *svgCanvas) Stroke(p vg.Path) {
	if c.widths[len(c.widths)-1] > 0 {
		c.count()
	}
	c.Canvas.Stroke(p)
}

func (c *svgCanvas) Fill(p vg.Path) {
	c.count()
	c.Canvas.Fill(p)
}

func (c *svgCanvas) count() {
	if c.name != "" {
		c.names[c.paths] = c.name
	}
	c.paths++
}

// naming gives the paths that follow on a canvas a name, if it is one of SVG.
func naming(c vg.Canvas, name string) {
	switch c := c.(type) {
	case draw.Canvas: // a part of another
		naming(c.Canvas, name)
	case *svgCanvas:
		c.name = name
	}
}

var (
	styles    = regexp.MustCompile(`style="([^"]*)"`)
	property  = regexp.MustCompile(`([a-z-]+):([^;]*);?`)
	pathStart = []byte("<path ")
)

// WriteTo writes the document.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	text := styles.ReplaceAllFunc(b.Bytes(), func(style []byte) []byte {
		return bytes.TrimSpace(property.ReplaceAll(style[len(`style="`):len(style)-1], []byte(`$1="$2" `)))
	})
	var out bytes.Buffer
	for i := 0; ; i++ {
		at := bytes.Index(text, pathStart)
		if at < 0 {
			break
		}
		at += len(pathStart)
		out.Write(text[:at])
		if name, ok := c.names[i]; ok {
			out.WriteString("data-line=" + strconv.Quote(html.EscapeString(name)) + " ")
		}
		text = text[at:]
	}
	out.Write(text)
	return out.WriteTo(w)
}
