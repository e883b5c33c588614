package report

import (
	"bytes"
	"html/template"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Widths of the forms of a Scene, in pixels.
const (
	WideForm   = 1232.0
	MiddleForm = 918.0
	NarrowForm = 368.0
)

// Scene is a Part that is a picture in three forms of different widths, and the table that it shows, nil for
// none. A page shows the widest form that fits, or only the narrow one. As text it is the table.
type Scene struct {
	Wide, Middle, Narrow *draw.Scene
	Table                *Listing
	Caption              string // empty for none
}

// PictureMargin is the margin of pictures at each side in pixels. A page shows them without it.
const PictureMargin = 24.0

// SceneOf draws a picture of a table at all widths. The picture is drawn with PictureMargin, which a page leaves out.
func SceneOf(table *Listing, at func(width float64) *draw.Scene) *Scene {
	form := func(width float64) *draw.Scene { return at(width + 2*PictureMargin) }
	return &Scene{Wide: form(WideForm), Middle: form(MiddleForm), Narrow: form(NarrowForm), Table: table}
}

// Text is the table, empty if there is none.
func (s *Scene) Text() string {
	if s.Table == nil {
		return ""
	}
	return s.Table.Text()
}

// Markdown is the table, empty if there is none.
func (s *Scene) Markdown() string {
	if s.Table == nil {
		return ""
	}
	return s.Table.Markdown()
}

// sceneStyle is the style of scenes in a page: the form that fits is shown.
const sceneStyle = `
.forms{container-type:inline-size}.forms .pic{display:none}
@container (max-width:917px){.forms .narrow{display:block}}
@container (min-width:918px) and (max-width:1231px){.forms .middle{display:block}}
@container (min-width:1232px){.forms .wide-form{display:block}}
`

func init() { style += sceneStyle + draw.SceneCSS + "\n" }

func (s *Scene) html() (pagePart, error) {
	forms := []struct {
		class string
		scene *draw.Scene
	}{{" wide-form", s.Wide}, {" middle", s.Middle}, {" narrow", s.Narrow}}
	box := `<figure><div class="forms">`
	if s.Wide == nil {
		forms, box = forms[2:], `<figure><div>`
	}
	var b bytes.Buffer
	b.WriteString(box)
	for _, form := range forms {
		svg, err := form.scene.Inner(PictureMargin)
		if err != nil {
			return "", err
		}
		b.Write(bytes.Replace(svg, []byte(`class="pic"`), []byte(`class="pic`+form.class+`"`), 1))
	}
	b.WriteString("</div>")
	if s.Caption != "" {
		b.WriteString("<figcaption>" + template.HTMLEscapeString(s.Caption) + "</figcaption>")
	}
	b.WriteString("</figure>")
	if s.Table == nil {
		return template.HTML(b.String()), nil
	}
	table, err := s.Table.html()
	return template.HTML(b.String()) + table, err
}
