package graphfile

import (
	"encoding/xml"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// gexf reads a GEXF file. The reader of gonum (formats/gexf12) only reads version 1.2, keeps the
// whole file, and treats a missing weight as 0.
type gexf struct {
	*xmlGraph
	attributes map[string]map[string]*attribute // by class (node, edge) and id
	labelled   bool                             // a node has a label that is not its id
	left       map[string]bool                  // names of what is left out
}

// attribute is a column of GEXF.
type attribute struct {
	name   string
	kind   valueKind
	column int
	left   bool // changes over time, so left out
}

// Columns of elements that come from attributes of their tags.
const (
	nodeLabelAt = 1
	edgeLabelAt = 3 // the kind follows
	weightAt    = 5
)

// Elements that are left out, in the order of the note.
var leftOut = []string{
	"times at which nodes, edges and values are there (spells, start, end)",
	"colours, positions, sizes and shapes (viz)",
}

func readGEXF(x *xmlFile) (*Graph, error) {
	r := &gexf{xmlGraph: newXMLGraph(x), left: map[string]bool{}, attributes: map[string]map[string]*attribute{"node": {}, "edge": {}}}
	r.nodes.columns = append(r.nodes.columns, column{name: labelColumn, optional: true})
	r.edges.columns = append(r.edges.columns, column{name: labelColumn, optional: true}, column{name: kindColumn, optional: true},
		column{name: weightColumn, optional: true, absent: schema.NumberCell(1)})
	if err := r.read("GEXF", r.graph, func(xml.StartElement) error { return x.skip() }); err != nil {
		return nil, err
	}
	r.nodes.columns[nodeLabelAt].used = r.labelled
	g := r.result()
	for _, what := range leftOut {
		if r.left[what] {
			g.Notes = append(g.Notes, x.name+": left out: "+what)
		}
	}
	return g, nil
}

func (r *gexf) graph(a map[string]string) error {
	// The default of GEXF is undirected.
	usual := a["defaultedgetype"]
	if usual == "" {
		usual = undirected
	}
	if err := r.form.set(usual); err != nil {
		return r.failf("defaultedgetype %s", err)
	}
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "attributes":
			return r.declare(attributes(e))
		case "nodes":
			return r.list("node", r.node)
		case "edges":
			return r.list("edge", r.edge)
		}
		return r.skip()
	})
}

// list reads the elements with one name.
func (r *gexf) list(name string, each func(map[string]string) error) error {
	return r.children(func(e xml.StartElement) error {
		if e.Name.Local != name {
			return r.skip()
		}
		return each(attributes(e))
	})
}

// declare reads the attributes of a class.
func (r *gexf) declare(class map[string]string) error {
	known, ok := r.attributes[class["class"]]
	if !ok {
		return r.failf("attributes of class %q, expected node or edge", class["class"])
	}
	t := r.nodes
	if class["class"] == "edge" {
		t = r.edges
	}
	return r.list("attribute", func(a map[string]string) error {
		id := a["id"]
		if _, ok := known[id]; ok || id == "" {
			return r.failf("attribute %q has no id of its own", id)
		}
		x := &attribute{name: strings.TrimSpace(a["title"]), kind: kinds[strings.ToLower(a["type"])], left: class["mode"] == "dynamic"}
		if x.name == "" {
			x.name = id
		}
		known[id] = x
		absent, err := r.absent(x.name, x.kind)
		if err != nil {
			return err
		}
		if x.left {
			r.left[leftOut[0]] = true
			return nil
		}
		x.column, err = t.addColumn(column{name: x.name, absent: absent})
		return err
	})
}

func (r *gexf) node(a map[string]string) error {
	line := r.line()
	if a["pid"] != "" {
		return r.failf("node %q is in node %q; hierarchies of nodes are not read", a["id"], a["pid"])
	}
	row, err := r.newNode(a)
	if err != nil {
		return err
	}
	label, err := r.keep(a["label"])
	if err != nil {
		return err
	}
	row[nodeLabelAt] = schema.TextCell(label)
	r.labelled = r.labelled || label != "" && label != a["id"]
	if err := r.values("node", a, row); err != nil {
		return err
	}
	r.nodes.add(row, line)
	return nil
}

func (r *gexf) edge(a map[string]string) error {
	line := r.line()
	kind := strings.ToLower(a["type"])
	if kind != "" && kind != directed && kind != undirected {
		return r.failf("an edge of type %q; edges that are not directed or undirected are not read", kind)
	}
	row, err := r.newEdge(a, kind)
	if err != nil {
		return err
	}
	for i, name := range []string{labelColumn, kindColumn} {
		text, err := r.keep(a[name])
		if err != nil {
			return err
		}
		row[edgeLabelAt+i] = schema.TextCell(text)
	}
	var ok bool
	if row[weightAt], ok = typed(numberValue, a["weight"]); !ok {
		return r.failf("weight of an edge is %q, expected a number", a["weight"])
	}
	if err := r.values("edge", a, row); err != nil {
		return err
	}
	r.edges.add(row, line)
	return nil
}

// values reads a node or an edge to the end of its element.
func (r *gexf) values(class string, a map[string]string, row []schema.Cell) error {
	r.left[leftOut[0]] = r.left[leftOut[0]] || changes(a)
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "attvalues":
			return r.list("attvalue", func(a map[string]string) error { return r.value(class, a, row) })
		case "nodes", "edges":
			return r.failf("nodes in a node; hierarchies of nodes are not read")
		case "spells", "slices":
			r.left[leftOut[0]] = true
		case "color", "position", "size", "shape", "thickness":
			r.left[leftOut[1]] = true
		case "parents":
			return r.failf("parents of a node; hierarchies of nodes are not read")
		}
		return r.skip()
	})
}

// changes reports whether an element exists only for some time.
func changes(a map[string]string) bool {
	for _, name := range []string{"start", "end", "startopen", "endopen", "timestamp"} {
		if a[name] != "" {
			return true
		}
	}
	return false
}

// value reads the value of an attribute into a row.
func (r *gexf) value(class string, a map[string]string, row []schema.Cell) error {
	id := a["for"]
	if id == "" {
		id = a["id"] // before version 1.1
	}
	x, ok := r.attributes[class][id]
	if !ok {
		return r.failf("attribute %q of class %s is not declared before the %ss", id, class, class)
	}
	if x.left {
		return r.skip()
	}
	switch {
	case changes(a):
		return r.failf("%s has a value for a time, but its attributes are not dynamic", x.name)
	case x.column >= len(row):
		return r.failf("attribute %q is declared behind the first %s", x.name, class)
	case row[x.column].Kind != schema.Missing:
		return r.failf("%s has two values", x.name)
	}
	text, err := r.keep(a["value"])
	if err != nil {
		return err
	}
	if row[x.column], ok = typed(x.kind, text); !ok {
		return r.failf("%s is %q, expected %s", x.name, text, x.kind)
	}
	return r.skip()
}
