package report

import (
	"bytes"
	"html/template"
	"regexp"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Widths of the forms of a Scene in pixels.
const (
	WideForm   = 1280.0
	MiddleForm = 918.0
	NarrowForm = 368.0
)

// Scene is a Part that is a table and a picture of it, in three forms of the widths above, of which a page shows the widest that
// there is room for. As text it is the table.
type Scene struct {
	Wide, Middle, Narrow *draw.Scene
	Table                *Listing
}

// SceneOf draws a picture of a table at all widths.
func SceneOf(table *Listing, at func(width float64) *draw.Scene) *Scene {
	return &Scene{at(WideForm), at(MiddleForm), at(NarrowForm), table}
}

// Text is the table.
func (s *Scene) Text() string { return s.Table.Text() }

// Markdown is the table.
func (s *Scene) Markdown() string { return s.Table.Markdown() }

// sceneStyle is the style of scenes in a page: one form is shown, by the room that there is.
const sceneStyle = `
.forms{container-type:inline-size}.forms .pic{display:none}
@container (max-width:917px){.forms .narrow{display:block}}
@container (min-width:918px) and (max-width:1279px){.forms .middle{display:block}}
@container (min-width:1280px){.forms .wide-form{display:block}}
`

func init() { style += sceneStyle + draw.SceneCSS + "\n" }

// styleOf is the style element of a scene's SVG, which a page has in its own style.
var styleOf = regexp.MustCompile(`<style>[^<]*</style>`)

func (s *Scene) html() (pagePart, error) {
	var b bytes.Buffer
	b.WriteString(`<div class="forms">`)
	for _, form := range []struct {
		class string
		scene *draw.Scene
	}{{"wide-form", s.Wide}, {"middle", s.Middle}, {"narrow", s.Narrow}} {
		svg, err := form.scene.SVG()
		if err != nil {
			return "", err
		}
		svg = styleOf.ReplaceAll(svg, nil)
		b.Write(bytes.Replace(svg, []byte(`class="pic"`), []byte(`class="pic `+form.class+`"`), 1))
	}
	b.WriteString("</div>")
	table, err := s.Table.html()
	return template.HTML(b.String()) + table, err
}
