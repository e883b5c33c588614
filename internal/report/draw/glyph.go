package draw

import (
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// coordinate finds the numbers of path data.
var coordinate = regexp.MustCompile(`-?[0-9.]+`)

// Glyph fills a letter given as a path. Letters with the same shape, up to rounding, share one outline, which the SVG
// has once.
func (s *Scene) Glyph(x, y float64, d string, ink Ink) {
	var left, top float64
	n := 0
	shape, key := "", strings.Builder{}
	shape = coordinate.ReplaceAllStringFunc(d, func(text string) string {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		if n == 0 {
			left = v
		} else if n == 1 {
			top = v
		}
		if n%2 == 0 {
			v -= left
		} else {
			v -= top
		}
		n++
		fmt.Fprintf(&key, "%.0f ", math.Round(v/1.5))
		return pixels(v)
	})
	if s.glyphs == nil {
		s.glyphs = map[string]string{}
	}
	if known, ok := s.glyphs[key.String()]; ok {
		shape = known
	} else {
		s.glyphs[key.String()] = shape
	}
	s.marks = append(s.marks, sceneMark{x: x + left, y: y + top, path: shape, look: Stroke{Fill: ink}, glyph: true})
}

// writeGlyph writes a letter: its outline the first time, a reference later. The name is derived from the outline, so
// that names of several pictures in one page do not conflict.
func (m sceneMark) writeGlyph(b *strings.Builder, written map[string]bool) {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(m.path + string(m.look.Fill)))
	name := fmt.Sprintf("g%x", sum.Sum64())
	if !written[name] {
		written[name] = true
		class, attributes := inkOf(m.look.Fill, "f", "fill")
		fmt.Fprintf(b, `<defs><path id="%s"%s%s d="%s"/></defs>`, name, classOf(class), attributes, m.path)
	}
	fmt.Fprintf(b, `<use href="#%s" x="%s" y="%s"/>`, name, pixels(m.x), pixels(m.y))
}
