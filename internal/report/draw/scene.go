package draw

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Scene is a picture of texts, paths and circles at positions in pixels, x to the right and y down. The
// same marks are written as SVG, whose colours follow the reader's light or dark scheme, and as PNG in
// light colours at twice the size. Colours are named: see Ink.
type Scene struct {
	Width, Height float64 // pixels
	Label         string  // a sentence for readers who cannot see the picture
	plate         Ink     // background; empty for PageInk
	marks         []sceneMark
	glyphs        map[string]string // outlines of letters by their rounded form
	links         bool              // some text is a link
}

// Plate sets the background of the scene.
func (s *Scene) Plate(ink Ink) { s.plate = ink }

// Ink is a colour: a token of SceneCSS, which has a light and a dark form, or "#rrggbb" for both.
type Ink string

// Inks by their use.
const (
	TextInk    Ink = "text"
	MutedInk   Ink = "muted"
	LineInk    Ink = "line"
	ControlInk Ink = "ctl"
	UpInk      Ink = "up"
	DownInk    Ink = "down"
	PageInk    Ink = "bg"
	LinkInk    Ink = "accent"
	ThirdInk   Ink = "c3"
	FourthInk  Ink = "c4"
	OtherInk   Ink = "c5"
	BlackInk   Ink = "#1a1d21" // on white in both schemes
	WhiteInk   Ink = "#ffffff"
)

// inks are the light and the dark form of each token.
var inks = []struct {
	name        Ink
	light, dark string
}{
	{TextInk, "#1a1d21", "#e8eaed"}, {MutedInk, "#565e6b", "#a8b0bb"}, {LineInk, "#d8dce2", "#3a414a"}, {ControlInk, "#7d8693", "#7f8996"},
	{UpInk, "#b85200", "#f0974a"}, {DownInk, "#0b62b0", "#6bb1f2"}, {PageInk, "#ffffff", "#14171a"},
	{LinkInk, "#0a58a6", "#7ab8f5"}, {ThirdInk, "#00775c", "#3fbf98"}, {FourthInk, "#8a3d8f", "#d08fd6"}, {OtherInk, "#5b6472", "#a3abb6"},
}

// Anchor says which point of a text is at its position.
type Anchor string

// The anchors of a text.
const (
	Start  Anchor = ""
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// TextStyle is how a text looks.
type TextStyle struct {
	Size   float64 // pixels; 0 for 13
	Bold   bool
	Ink    Ink // empty for TextInk
	Anchor Anchor
}

// Stroke is the style of a path; an empty ink means none.
type Stroke struct {
	Fill, Line Ink
	Width      float64 // of the line
	Round      bool    // round ends and corners of a line that is not filled
	Dash       string  // stroke-dasharray of SVG, in pixels
	Faint      bool    // half transparent
	Pale       bool    // nearly transparent, for bands
}

// sceneMark is a text, a path, or the start or end of a group with a title.
type sceneMark struct {
	x, y  float64
	text  string
	style TextStyle
	path  string
	look  Stroke
	tag   string // SVG that starts or ends a group
	glyph bool   // the path is a letter
}

// sizeOf is the size of a text; 0 means the default.
func (s TextStyle) sizeOf() float64 {
	if s.Size == 0 {
		return 13
	}
	return s.Size
}

// WidthOf is the width of a text in the style, for layouts.
func (s TextStyle) WidthOf(text string) float64 { return TextWidth(text, s.sizeOf(), s.Bold) }

// Text writes a text with its baseline at y.
func (s *Scene) Text(x, y float64, text string, style TextStyle) {
	if text != "" {
		s.marks = append(s.marks, sceneMark{x: x, y: y, text: text, style: style})
	}
}

// Path draws a path: absolute M, L, H, V, C, Q and Z of SVG.
func (s *Scene) Path(d string, look Stroke) {
	s.marks = append(s.marks, sceneMark{path: d, look: look})
}

// PathAt draws a path moved by x and y.
func (s *Scene) PathAt(x, y float64, d string, look Stroke) {
	s.marks = append(s.marks, sceneMark{x: x, y: y, path: d, look: look})
}

// Circle draws a circle around a point.
func (s *Scene) Circle(x, y, r float64, look Stroke) {
	const k = 0.5523 // of a quarter circle as a cubic curve
	s.PathAt(x, y, Data("M", r, 0, "C", r, k*r, k*r, r, 0, r, "C", -k*r, r, -r, k*r, -r, 0, "C", -r, -k*r, -k*r, -r, 0, -r, "C", k*r, -r, r, -k*r, r, 0, "Z"), look)
}

// Box draws a rectangle.
func (s *Scene) Box(x, y, w, h float64, look Stroke) {
	s.Path(Data("M", x, y, "H", x+w, "V", y+h, "H", x, "Z"), look)
}

// Group draws marks that share a title, which is shown while the pointer is on them.
func (s *Scene) Group(title string, marks func()) { s.Named("", title, marks) }

// Named is Group with a name that the page uses, for example for a row of its table: the attribute data-line.
func (s *Scene) Named(name, title string, marks func()) {
	if name != "" {
		name = ` data-line="` + html.EscapeString(name) + `"`
	}
	s.grouped("\n<g"+name+"><title>"+html.EscapeString(title)+"</title>", "</g>", marks)
}

// Link draws marks that link to an address, relative to the page with the picture.
func (s *Scene) Link(address string, marks func()) {
	s.links = true
	s.grouped(`<a href="`+html.EscapeString(address)+`">`, "</a>", marks)
}

func (s *Scene) grouped(open, end string, marks func()) {
	s.marks = append(s.marks, sceneMark{tag: open})
	marks()
	s.marks = append(s.marks, sceneMark{tag: end})
}

// Add draws another scene with its origin at x and y.
func (s *Scene) Add(x, y float64, other *Scene) {
	for _, m := range other.marks {
		m.x, m.y = m.x+x, m.y+y
		s.marks = append(s.marks, m)
	}
	s.links = s.links || other.links
}

// Data builds path data from commands (strings) and coordinates (float64 or int); other types cause a panic.
func Data(parts ...any) string {
	var b strings.Builder
	number := false
	for _, p := range parts {
		if command, ok := p.(string); ok {
			b.WriteString(command)
			number = false
			continue
		}
		v, ok := p.(float64)
		if i, whole := p.(int); whole {
			v, ok = float64(i), true
		}
		if !ok {
			panic(fmt.Sprintf("draw: %T in path data", p))
		}
		text := pixels(v)
		if number && text[0] != '-' {
			b.WriteByte(' ')
		}
		b.WriteString(text)
		number = true
	}
	return b.String()
}

// pixels formats a coordinate with one decimal.
func pixels(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 {
		return "0" // avoids -0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// SceneCSS has the rules of scenes, for a page that contains their SVG without its own style.
var SceneCSS = func() string {
	var light, dark strings.Builder
	for _, ink := range inks {
		fmt.Fprintf(&light, ".pic .f-%s{fill:%s}.pic .s-%[1]s{stroke:%[2]s}", ink.name, ink.light)
		fmt.Fprintf(&dark, ".pic .f-%s{fill:%s}.pic .s-%[1]s{stroke:%[2]s}", ink.name, ink.dark)
	}
	return `.pic text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;font-size:13px;font-variant-numeric:tabular-nums;white-space:pre}` +
		`.pic .b{font-weight:650}.pic .h{font-size:16px}.pic a text{text-decoration:underline}.pic .r{fill:none;stroke-linecap:round;stroke-linejoin:round}` + light.String() + "@media screen and (prefers-color-scheme:dark){" + dark.String() + "}"
}()

// SVG is the scene as a self-contained document.
func (s *Scene) SVG() ([]byte, error) { return s.svg("<style>"+SceneCSS+"</style>", 0) }

// Inner is the SVG for a page that has SceneCSS, with so many pixels of margin removed at all sides, because the page
// has its own margin. A scene with a background keeps its margin.
func (s *Scene) Inner(margin float64) ([]byte, error) {
	if s.plate != "" {
		margin = 0
	}
	return s.svg("", margin)
}

func (s *Scene) svg(style string, margin float64) ([]byte, error) {
	var b strings.Builder
	w, h, from := pixels(s.Width-2*margin), pixels(s.Height-margin), pixels(margin)
	if margin == 0 {
		h = pixels(s.Height)
	}
	role := "img"
	if s.links { // links in an image do not work
		role = "group"
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="pic" width="%s" height="%s" viewBox="%[6]s %[7]s %[1]s %[2]s" role="%[5]s" aria-label="%[3]s">%[4]s`+"\n", w, h, html.EscapeString(s.Label), style, role, from, pixels(margin/2))
	if margin == 0 { // otherwise the page has the background
		plate := s.plate
		if plate == "" {
			plate = PageInk
		}
		class, attributes := inkOf(plate, "f", "fill")
		fmt.Fprintf(&b, `<path%s%s d="M0 0H%sV%sH0Z"/>`, classOf(class), attributes, w, h)
	}
	written := map[string]bool{}
	for _, m := range s.marks {
		switch {
		case m.glyph:
			m.writeGlyph(&b, written)
		case m.tag != "":
			b.WriteString(m.tag)
		case m.text != "":
			m.writeText(&b)
		default:
			m.writePath(&b)
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String()), nil
}

func (m sceneMark) writeText(b *strings.Builder) {
	ink := m.style.Ink
	if ink == "" {
		ink = TextInk
	}
	class, attributes := inkOf(ink, "f", "fill")
	if m.style.Bold {
		class = strings.TrimSpace(class + " b")
	}
	switch size := m.style.sizeOf(); size {
	case 13:
	case 16:
		class = strings.TrimSpace(class + " h")
	default:
		attributes += fmt.Sprintf(` font-size="%s"`, pixels(size))
	}
	if m.style.Anchor != Start {
		attributes += ` text-anchor="` + string(m.style.Anchor) + `"`
	}
	fmt.Fprintf(b, `<text x="%s" y="%s"%s%s>%s</text>`, pixels(m.x), pixels(m.y), classOf(class), attributes, html.EscapeString(m.text))
}

func (m sceneMark) writePath(b *strings.Builder) {
	class, attributes := inkOf(m.look.Fill, "f", "fill")
	switch {
	case m.look.Round:
		class = strings.TrimSpace(class + " r")
	case m.look.Fill == "":
		attributes = ` fill="none"`
	}
	if m.look.Line != "" {
		c, a := inkOf(m.look.Line, "s", "stroke")
		class, attributes = strings.TrimSpace(class+" "+c), attributes+a
		if m.look.Width != 1 {
			attributes += fmt.Sprintf(` stroke-width="%s"`, pixels(m.look.Width))
		}
		if m.look.Dash != "" {
			attributes += ` stroke-dasharray="` + m.look.Dash + `"`
		}
	}
	if m.look.Faint {
		attributes += ` opacity=".5"`
	}
	if m.look.Pale {
		attributes += ` opacity=".15"`
	}
	if m.x != 0 || m.y != 0 {
		attributes += fmt.Sprintf(` transform="translate(%s %s)"`, pixels(m.x), pixels(m.y))
	}
	fmt.Fprintf(b, `<path%s%s d="%s"/>`, classOf(class), attributes, m.path)
}

// inkOf is the class or the attribute of an ink.
func inkOf(ink Ink, prefix, attribute string) (class, attributes string) {
	switch {
	case ink == "":
		return "", ""
	case ink[0] == '#':
		return "", fmt.Sprintf(` %s="%s"`, attribute, ink)
	}
	return prefix + "-" + string(ink), ""
}

func classOf(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}
