package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
)

// Figure is a Part that is a picture, in two forms that show the same. Text leaves it to
// its files, Markdown links to the SVG file, and a page has the picture in it.
type Figure struct {
	Name     string // of the files, without .svg and .png
	Caption  string
	SVG, PNG []byte
	charts   Cards // what a page has in place of the picture; without parts the picture
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

// inline is the drawing as a part of a page, which has the style of scenes; empty where there is none.
func (f *Figure) inline() template.HTML {
	start := bytes.Index(f.SVG, []byte("<svg "))
	if start < 0 {
		return ""
	}
	return template.HTML(styleOf.ReplaceAll(f.SVG[start:], nil))
}

// plain writes bytes as they are.
func plain(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
