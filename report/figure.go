package report

import (
	"encoding/base64"
	"html/template"
	"io"
)

// Figure is a Part that is a picture, in two forms that show the same. Text leaves it to
// its files, Markdown links to the SVG file, and a page has the PNG in it.
type Figure struct {
	Name     string // of the files, without .svg and .png
	Caption  string
	SVG, PNG []byte
}

// Text says which file has the picture.
func (f *Figure) Text() string { return f.Caption + ": " + f.Name + ".svg, " + f.Name + ".png\n" }

// Markdown links to the picture.
func (f *Figure) Markdown() string {
	return "![" + escapeMarkdown(f.Caption) + "](" + f.Name + ".svg)\n"
}

func (f *Figure) html() (pagePart, error) {
	return render("figure", struct {
		Caption string
		Source  template.URL
	}{f.Caption, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(f.PNG))})
}

// plain writes bytes as they are.
func plain(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}
