package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// exampleFile is the file of a run folder with an input graph.
const exampleFile = "input_example.json"

// tryForm is the content of the screen for trying graphs.
type tryForm struct {
	Example string // a graph as JSON; empty for none
	API     string // address of the model
	// Explained is the address that draws explanations.
	Explained string
	Explains  bool
	Kind      string // node or edge, if the run predicts for them
	Methods   []choice
	Fields    []field
}

// field is an attribute that graphs must have.
type field struct{ Of, Name, Kind string }

// showTry shows a graph to change and to send to the API.
func (s *site) showTry(o *opened, _ *http.Request) (*view, error) {
	v := &view{Title: "Try " + o.Name, Tab: "try", Form: "try", Lead: []string{
		"A graph as JSON, for which the model of the run predicts. The server does not store it.",
	}}
	f := &tryForm{API: "../../v1/models/" + url.PathEscape(o.Name), Explained: "explained", Example: example(o.Dir)}
	m := o.Model()
	if f.Explains = m.Explains(); f.Explains && m.Level() != ehgnn.Graphs {
		f.Kind = string(m.Level())
	}
	f.Methods = choices(explain.Occlusion, explain.Occlusion, explain.Gradient, explain.Mask, explain.Chance)
	schema := m.Schema()
	for _, of := range []struct {
		name   string
		fields []ehgnn.Field
	}{{"node", schema.Nodes}, {"edge", schema.Edges}} {
		for _, c := range of.fields {
			switch c.Kind {
			case settings.KindConstant, settings.KindDegree, settings.KindStructure, settings.KindTime: // computed from the graph
			default:
				f.Fields = append(f.Fields, field{of.name, c.Name, string(c.Kind)})
			}
		}
	}
	v.Data = f
	return v, nil
}

// example is the example graph of a run with one node or edge in each line; empty if there is none.
func example(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, exampleFile))
	if err != nil {
		return ""
	}
	var g struct {
		Directed   bool              `json:"directed"`
		Multigraph bool              `json:"multigraph"`
		Nodes      []json.RawMessage `json:"nodes"`
		Edges      []json.RawMessage `json:"edges"`
	}
	if json.Unmarshal(text, &g) != nil {
		return ""
	}
	var b bytes.Buffer
	flag := func(v bool) string {
		if v {
			return "true"
		}
		return "false"
	}
	b.WriteString("{\n  \"directed\": " + flag(g.Directed) + ", \"multigraph\": " + flag(g.Multigraph) + ",\n  \"graph\": {\"id\": \"example\"},\n")
	list := func(name string, of []json.RawMessage, end string) {
		b.WriteString("  \"" + name + "\": [")
		for i, one := range of {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n    ")
			var line bytes.Buffer // with spaces, for line breaks
			json.Indent(&line, one, "", "")
			b.Write(bytes.ReplaceAll(line.Bytes(), []byte("\n"), []byte(" ")))
		}
		b.WriteString("\n  ]" + end + "\n")
	}
	list("nodes", g.Nodes, ",")
	list("edges", g.Edges, "")
	b.WriteString("}\n")
	return b.String()
}
