package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// openAPI has the parts of an OpenAPI document that the screen shows.
type openAPI struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]schemaAPI `json:"schemas"`
	} `json:"components"`
}

type operationAPI struct {
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Parameters  []struct {
		Name        string    `json:"name"`
		In          string    `json:"in"`
		Required    bool      `json:"required"`
		Description string    `json:"description"`
		Schema      schemaAPI `json:"schema"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct{} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Description string `json:"description"`
		Content     map[string]struct {
			Schema schemaAPI `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schemaAPI struct {
	Ref         string               `json:"$ref"`
	Type        any                  `json:"type"`
	Description string               `json:"description"`
	Enum        []any                `json:"enum"`
	Items       *schemaAPI           `json:"items"`
	Properties  map[string]schemaAPI `json:"properties"`
	Required    []string             `json:"required"`
}

// String describes the type of a value.
func (s schemaAPI) String() string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.Items != nil:
		return "list of " + s.Items.String()
	case s.Enum != nil:
		of := lists.Map(s.Enum, func(v any) string { return fmt.Sprint(v) })
		return "one of " + short(strings.Join(of, ", "), 100)
	case s.Type == nil:
		return "any"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Type), " ", " or "), "[]")
}

// showDocs describes the API: each operation, then the types of bodies.
func (s *site) showDocs(r *http.Request) (*view, error) {
	v := &view{Title: "HTTP API", Tab: "docs", Lead: []string{"What programs can ask this server for. The same as a document in OpenAPI 3.1 is at openapi.json."}}
	if s.Describe == nil {
		v.Problem = "This server has no description of its API."
		return v, nil
	}
	text, err := s.Describe()
	if err != nil {
		return nil, err
	}
	var api openAPI
	if err := json.Unmarshal(text, &api); err != nil {
		return nil, err
	}
	d := &report.Document{}
	at := "http://" + r.Host
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		for _, method := range []string{"get", "post"} {
			raw, ok := api.Paths[path][method]
			if !ok {
				continue
			}
			var op operationAPI
			if err := json.Unmarshal(raw, &op); err != nil {
				return nil, err
			}
			d.Parts = append(d.Parts, op.parts(strings.ToUpper(method), path, at)...)
		}
	}
	d.Parts = append(d.Parts, report.Heading{Name: "Types", Title: "Types"})
	for _, name := range slices.Sorted(maps.Keys(api.Components.Schemas)) {
		if l := api.Components.Schemas[name].listing(name); l != nil {
			d.Parts = append(d.Parts, l)
		}
	}
	return v.setDocument(d)
}

// parts describes an operation.
func (op operationAPI) parts(method, path, at string) []report.Part {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if strings.Contains(name, "{") {
		name = "model"
	}
	heading := report.Heading{Name: method + " " + name, Title: method + " " + path, Lines: []string{op.Summary + "."}}
	for _, p := range op.Parameters {
		if p.In == "path" && len(p.Schema.Enum) > 0 {
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(fmt.Sprint(p.Schema.Enum[0])), 1)
		}
	}
	curl := "curl " + at + path
	facts := report.Definitions{}
	if len(op.RequestBody.Content) > 0 {
		curl = fmt.Sprintf("curl -H 'Content-Type: application/json' --data @graphs.json %s%s", at, path)
		facts = append(facts, [2]string{"body", strings.Join(slices.Sorted(maps.Keys(op.RequestBody.Content)), ", ")})
	}
	for _, code := range slices.Sorted(maps.Keys(op.Responses)) {
		reply := op.Responses[code]
		text := reply.Description
		for _, kind := range slices.Sorted(maps.Keys(reply.Content)) {
			text += " · " + kind + ": " + reply.Content[kind].Schema.String()
		}
		facts = append(facts, [2]string{code, text})
	}
	out := []report.Part{heading, report.Command{Line: curl, Facts: facts}}
	if len(op.Parameters) == 0 {
		return out
	}
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "parameter", Left: true}, {Name: "in", Left: true}, {Name: "value", Left: true}, {Name: "meaning", Left: true}}}
	for _, p := range op.Parameters {
		l.Rows = append(l.Rows, []string{p.Name, p.In, p.Schema.String(), p.Description})
	}
	t := proseTable(l, "Parameters of "+method+" "+path)
	t.Class += " meanings"
	return append(out, t)
}

// proseTable is a listing whose cells wrap.
func proseTable(l *report.Listing, label string) *report.DataTable {
	t := &report.DataTable{Label: label, Stack: true, Class: "prose"}
	for _, c := range l.Columns {
		t.Columns = append(t.Columns, report.DataColumn{Name: c.Name, Left: true})
	}
	for _, row := range l.Rows {
		var cells []report.DataCell
		for _, text := range row {
			cell := report.TextCell(text)
			cell.Wrap = true
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, report.DataRow{Cells: cells})
	}
	return t
}

// listing has the properties of a type, collapsed; nil for none.
func (s schemaAPI) listing(name string) report.Part {
	if len(s.Properties) == 0 {
		return nil
	}
	l := &report.Listing{Fold: name, Columns: []report.ListingColumn{{Name: "property", Left: true}, {Name: "type", Left: true}, {Name: "required", Left: true}}}
	for _, p := range slices.Sorted(maps.Keys(s.Properties)) {
		required := ""
		if slices.Contains(s.Required, p) {
			required = "yes"
		}
		l.Rows = append(l.Rows, []string{p, s.Properties[p].String(), required})
	}
	return l
}
