package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
)

// Figure is a Part that is a picture, in two equivalent file forms. Text names its files, Markdown
// links to the SVG file, and a page contains the picture.
type Figure struct {
	Name     string // of the files, without .svg and .png
	Caption  string
	SVG, PNG []byte
	charts   Cards // parts that a page shows instead of the picture; none for the picture
}

// Drawing is a picture that can be written in two forms, for example a scene of package draw.
type Drawing interface {
	SVG() ([]byte, error)
	PNG() ([]byte, error)
}

// Drawn returns a drawing as a part of a document. name is the name of its files; empty for a
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

// Text names the file with the picture.
func (f *Figure) Text() string { return f.Caption + ": " + f.Name + ".svg, " + f.Name + ".png\n" }

// Markdown links to the picture.
func (f *Figure) Markdown() string {
	return "![" + escapeMarkdown(f.Caption) + "](" + f.Name + ".svg)\n"
}

// styleOf is the style element of a scene's SVG; a page has it in its own style.
var styleOf = regexp.MustCompile(`<style>[^<]*</style>`)

// maxInline is the size of a drawing, in bytes, above which a page has it as an image.
const maxInline = 200 << 10

func (f *Figure) html() (pagePart, error) {
	if f.charts.Parts != nil {
		return Stacked{Title: f.Caption, Parts: []Part{f.charts}}.html()
	}
	data := struct {
		Caption string
		Drawing template.HTML // the SVG as a part of the page; empty for an image
		Image   template.URL
	}{Caption: f.Caption}
	if len(f.SVG) <= maxInline {
		data.Drawing = f.inline()
	}
	if data.Drawing == "" {
		data.Image = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(f.PNG))
	}
	return render("figure", data)
}

// inline is the drawing as a part of a page that has the style of scenes; empty if there is none.
func (f *Figure) inline() template.HTML {
	start := bytes.Index(f.SVG, []byte("<svg "))
	if start < 0 {
		return ""
	}
	return template.HTML(styleOf.ReplaceAll(f.SVG[start:], nil))
}

// plain writes bytes unchanged.
func plain(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
