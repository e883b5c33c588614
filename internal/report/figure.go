package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
)

// Figure is a Part that is a picture, in two forms that show the same. Text leaves it to
// its files, Markdown links to the SVG file, and a page has the picture in it.
type Figure struct {
	Name    string // of the files, without .svg and .png
	Caption string
	// Description says more than the caption, for readers who do not see the picture; empty for
	// nothing.
	Description string
	SVG, PNG    []byte
	// Vector has a page take in the SVG however large it is.
	Vector bool
}

// Drawing is a picture that can be written in two forms, as one of package draw.
type Drawing interface {
	SVG() ([]byte, error)
	PNG() ([]byte, error)
}

// Drawn is a drawing as a part of a document. The name is that of its files; empty for a
// document that is only a page.
func Drawn(name, caption string, d Drawing) (*Figure, error) {
	svg, err := d.SVG()
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", caption, err)
	}
	png, err := d.PNG()
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", caption, err)
	}
	f := &Figure{Name: name, Caption: caption, SVG: svg, PNG: png}
	return f, nil
}

// Text says which file has the picture.
func (f *Figure) Text() string { return f.Caption + ": " + f.Name + ".svg, " + f.Name + ".png\n" }

// Markdown links to the picture.
func (f *Figure) Markdown() string {
	return "![" + escapeMarkdown(f.Caption) + "](" + f.Name + ".svg)\n"
}

// styleOf is the style element of a scene's SVG, which a page has in its own style.
var styleOf = regexp.MustCompile(`<style>[^<]*</style>`)

// maxInline is the size of a drawing, in bytes, above which a page has it as an image.
const maxInline = 200 << 10

func (f *Figure) html() (pagePart, error) {
	data := struct {
		Caption string
		Drawing template.HTML // the SVG as a part of the page; empty for an image
		Image   template.URL
	}{Caption: f.Caption}
	if f.Vector || len(f.SVG) <= maxInline {
		data.Drawing = f.inline()
	}
	if data.Drawing == "" {
		data.Image = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(f.PNG))
	}
	return render("figure", data)
}

// inks turns black and white of a drawing on paper into the colours of the page, light or
// dark.
var inks = []string{
	`fill="#FFFFFF"`, `fill="none"`,
	`fill="#000000"`, `fill="currentColor"`,
	`stroke="#000000"`, `stroke="currentColor"`,
}

// fonts are those that a drawing names; in a page it has the page's.
var fonts = regexp.MustCompile(` ?font-family="[^"]*"`)

// widths finds the width of a drawing in points.
var widths = regexp.MustCompile(`^width="(\d+)`)

// broad is the width above which narrow pages have a drawing scroll, and do not shrink it.
const broad = 420

// inline is the drawing as a part of a page: scalable, named for screen readers, in the page's
// colours unless it is on paper. It is empty where there is none.
func (f *Figure) inline() template.HTML {
	start := bytes.Index(f.SVG, []byte("<svg "))
	if start < 0 {
		return ""
	}
	if bytes.Contains(f.SVG, []byte(`class="pic"`)) { // a scene, whose style the page has
		return template.HTML(styleOf.ReplaceAll(f.SVG[start:], nil))
	}
	svg := f.SVG[start+len("<svg "):]
	class := ""
	if width := widths.FindSubmatch(svg); width != nil {
		if points, err := strconv.Atoi(string(width[1])); err == nil && points > broad {
			class = ` class="broad"`
		}
	}
	for i := 0; i < len(inks); i += 2 {
		svg = bytes.ReplaceAll(svg, []byte(inks[i]), []byte(inks[i+1]))
	}
	svg = fonts.ReplaceAll(svg, nil)
	head, body, _ := bytes.Cut(svg, []byte(">"))
	name := template.HTMLEscapeString(f.Caption)
	text := `<svg role="img"` + class + ` aria-label="` + name + `" fill="currentColor" ` + string(head) + `><title>` + name + `</title>`
	if f.Description != "" {
		text += `<desc>` + template.HTMLEscapeString(f.Description) + `</desc>`
	}
	return template.HTML(text + string(body))
}

// plain writes bytes as they are.
func plain(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
