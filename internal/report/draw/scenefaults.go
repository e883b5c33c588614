package draw

import (
	"fmt"
	"strings"
)

// Faults lists problems of the layout, using the widths that layouts assume: texts that overlap, leave the picture or
// are too small to read. It is empty for a correct picture.
func (s *Scene) Faults() (out []string) {
	type box struct {
		text                     string
		left, right, top, bottom float64
	}
	var boxes []box
	for _, m := range s.marks {
		if strings.TrimSpace(m.text) == "" {
			continue
		}
		w, size := m.style.WidthOf(m.text), m.style.sizeOf()
		b := box{m.text, m.x, m.x + w, m.y - 0.8*size, m.y + 0.2*size}
		switch m.style.Anchor {
		case Middle:
			b.left, b.right = m.x-w/2, m.x+w/2
		case End:
			b.left, b.right = m.x-w, m.x
		}
		if b.left < 0 || b.right > s.Width || b.top < 0 || b.bottom > s.Height {
			out = append(out, fmt.Sprintf("%q leaves the picture: %.0f to %.0f of %.0f, %.0f to %.0f of %.0f", m.text, b.left, b.right, s.Width, b.top, b.bottom, s.Height))
		}
		if size < 12 {
			out = append(out, fmt.Sprintf("%q is %g pixels high", m.text, size))
		}
		for _, a := range boxes {
			if min(a.right, b.right)-max(a.left, b.left) > 1 && min(a.bottom, b.bottom)-max(a.top, b.top) > 1 {
				out = append(out, fmt.Sprintf("%q and %q overlap", a.text, m.text))
			}
		}
		boxes = append(boxes, b)
	}
	return out
}
