package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngScale is the number of PNG pixels for each pixel of a scene.
const pngScale = 2

// PNG is the scene as an image in light colours.
func (s *Scene) PNG() ([]byte, error) {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(s.Width), vg.Length(s.Height)), vgimg.UseDPI(72*pngScale))}
	for _, m := range s.marks {
		switch {
		case m.text != "":
			s.textOn(c, m)
		case m.path != "":
			if err := s.pathOn(c, m); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// bold is the weight of bold letters, WeightBold of golang.org/x/image/font.
const bold = 3

// textOn writes a text on a canvas, whose y axis points up.
func (s *Scene) textOn(c vg.Canvas, m sceneMark) {
	look := font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans"}
	if m.style.Bold {
		look.Weight = bold
	}
	face := plot.DefaultTextHandler.Cache().Lookup(look, vg.Length(m.style.sizeOf()))
	m.text = strings.NewReplacer(Isolate, "", EndIsolate, "").Replace(m.text)
	x := vg.Length(m.x)
	switch m.style.Anchor {
	case Middle:
		x -= face.Width(m.text) / 2
	case End:
		x -= face.Width(m.text)
	}
	c.SetColor(lightOf(m.style.Ink, TextInk))
	c.FillString(face, vg.Point{X: x, Y: vg.Length(s.Height - m.y)}, m.text)
}

func (s *Scene) pathOn(c vg.Canvas, m sceneMark) error {
	path, err := s.parse(m)
	if err != nil {
		return err
	}
	alpha := func(of color.NRGBA) color.NRGBA {
		if m.look.Faint {
			of.A /= 2
		}
		if m.look.Pale {
			of.A = uint8(0.15 * float64(of.A))
		}
		return of
	}
	if m.look.Fill != "" {
		c.SetColor(alpha(lightOf(m.look.Fill, TextInk)))
		c.Fill(path)
	}
	if m.look.Line != "" {
		var dashes []vg.Length
		for _, d := range strings.Fields(m.look.Dash) {
			v, err := strconv.ParseFloat(d, 64)
			if err != nil {
				return fmt.Errorf("draw: dash %q: %w", m.look.Dash, err)
			}
			dashes = append(dashes, vg.Length(v))
		}
		c.SetColor(alpha(lightOf(m.look.Line, TextInk)))
		c.SetLineWidth(vg.Length(m.look.Width))
		c.SetLineDash(dashes, 0)
		c.Stroke(path)
		if m.look.Round {
			s.roundEnds(c, path, m.look.Width)
		}
	}
	return nil
}

// roundEnds fills a circle at every corner of a path, because the canvas has no round line ends.
func (s *Scene) roundEnds(c vg.Canvas, path vg.Path, width float64) {
	for _, part := range path {
		if part.Type == vg.MoveComp || part.Type == vg.LineComp {
			c.Fill(circle(part.Pos, vg.Length(width/2)))
		}
	}
}

// lightOf is the light form of an ink.
func lightOf(ink, usual Ink) color.NRGBA {
	if ink == "" {
		ink = usual
	}
	text := string(ink)
	for _, have := range inks {
		if have.name == ink {
			text = have.light
		}
	}
	v, _ := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// arguments is how many numbers a command of path data has.
var arguments = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'Q': 4, 'Z': 0}

// parse makes a path from its data.
func (s *Scene) parse(m sceneMark) (path vg.Path, err error) {
	var at vg.Point
	point := func(x, y float64) vg.Point { return vg.Point{X: vg.Length(m.x + x), Y: vg.Length(s.Height - m.y - y)} }
	for rest := strings.TrimSpace(m.path); rest != ""; {
		command := rest[0]
		n, ok := arguments[command]
		if !ok {
			return nil, fmt.Errorf("draw: command %q of a path", command)
		}
		rest = rest[1:]
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= 'A' && r <= 'Z' })
		if end < 0 {
			end = len(rest)
		}
		v, err := numbers(rest[:end])
		if err != nil || n > 0 && len(v)%n != 0 || n == 0 && len(v) > 0 {
			return nil, fmt.Errorf("draw: %q has %d numbers in %q: %w", command, len(v), m.path, err)
		}
		rest = strings.TrimSpace(rest[end:])
		for {
			switch command {
			case 'M':
				at = point(v[0], v[1])
				path.Move(at)
				command = 'L'
			case 'L':
				at = point(v[0], v[1])
				path.Line(at)
			case 'H':
				at.X = point(v[0], 0).X
				path.Line(at)
			case 'V':
				at.Y = point(0, v[0]).Y
				path.Line(at)
			case 'C':
				at = point(v[4], v[5])
				path.CubeTo(point(v[0], v[1]), point(v[2], v[3]), at)
			case 'Q':
				at = point(v[2], v[3])
				path.QuadTo(point(v[0], v[1]), at)
			case 'Z':
				path.Close()
			}
			if v = v[n:]; len(v) == 0 {
				break
			}
		}
	}
	return path, nil
}

// numbers reads numbers separated by blanks, commas or minus signs.
func numbers(text string) (out []float64, err error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "-", " -"), ",", " ")
	for _, f := range strings.Fields(text) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("draw: number %q of a path", f)
		}
		out = append(out, v)
	}
	return out, nil
}

func circle(at vg.Point, r vg.Length) (path vg.Path) {
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
}
