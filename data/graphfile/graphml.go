package graphfile

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// graphML reads a GraphML file.
type graphML struct {
	*xmlFile
	nodes, edges *table
	keys         map[string]*key
	left         []string // names of keys that are left out
	form         form
	graphs       int
}

// key is a key of GraphML: an attribute of nodes, of edges or of both.
type key struct {
	name         string
	kind         valueKind
	nodes, edges int  // the columns, -1 for none
	left         bool // its values are left out
}

// Columns that the tables have before those of keys.
const (
	nodeIDAt = 0
	sourceAt = 0
	targetAt = 1
	edgeIDAt = 2
)

// newTables are the tables of an XML file with the columns that its elements have.
func newTables(b *data.Budget) (nodes, edges *table) {
	nodes = &table{budget: b, columns: []column{{name: idColumn}}}
	edges = &table{budget: b, columns: []column{{name: sourceColumn}, {name: targetColumn}, {name: idColumn, optional: true}}}
	return nodes, edges
}

func readGraphML(x *xmlFile) (*Graph, error) {
	r := &graphML{xmlFile: x, keys: map[string]*key{}}
	r.nodes, r.edges = newTables(x.budget)
	err := x.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "key":
			return r.key(attributes(e))
		case "graph":
			if r.graphs++; r.graphs > 1 {
				return x.failf("a second graph; several graphs of one GraphML file are not read, give each a file of its own")
			}
			return r.graph(attributes(e))
		}
		return x.skip()
	})
	if err != nil {
		return nil, err
	}
	if r.graphs == 0 {
		return nil, x.failf("has no element graph")
	}
	if err := x.finish(); err != nil {
		return nil, err
	}
	g := &Graph{Edges: r.edges, Nodes: r.nodes, Directed: r.form.edges()}
	if len(r.left) > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%s: graphics and nested values are left out: %s", x.name, listed(r.left)))
	}
	r.nodes.finish(x.text.Sum())
	r.edges.finish(x.text.Sum())
	return g, nil
}

// key reads the declaration of an attribute.
func (r *graphML) key(a map[string]string) error {
	k := &key{name: strings.TrimSpace(a["attr.name"]), kind: kinds[strings.ToLower(a["attr.type"])], nodes: -1, edges: -1}
	id := a["id"]
	if _, ok := r.keys[id]; ok || id == "" {
		return r.failf("key %q has no id of its own", id)
	}
	r.keys[id] = k
	if k.name == "" {
		k.name = id
		if graphics := a["yfiles.type"]; graphics != "" { // of yEd
			k.name, k.left = graphics, true
		}
	}
	absent, err := r.absent(k.name, k.kind)
	if err != nil {
		return err
	}
	all := a["for"] == "" || a["for"] == "all"
	c := column{name: k.name, absent: absent, optional: all && absent.Kind == schema.Missing}
	if !k.left && (all || a["for"] == "node") {
		if k.nodes, err = r.nodes.addColumn(c); err != nil {
			return err
		}
	}
	if !k.left && (all || a["for"] == "edge") {
		k.edges, err = r.edges.addColumn(c)
	}
	return err
}

// graph reads the nodes and edges.
func (r *graphML) graph(a map[string]string) error {
	if err := r.form.set(a["edgedefault"]); err != nil {
		return r.failf("edgedefault %s", err)
	}
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "node":
			return r.node(attributes(e))
		case "edge":
			return r.edge(attributes(e))
		case "hyperedge":
			return r.failf("a hyperedge; hyperedges are not read")
		}
		return r.skip()
	})
}

func (r *graphML) node(a map[string]string) error {
	line := r.line()
	row, err := r.nodes.newRow()
	if err == nil {
		err = r.id(row, nodeIDAt, "id of a node", a["id"])
	}
	if err != nil {
		return err
	}
	if err := r.values(row, func(k *key) int { return k.nodes }); err != nil {
		return err
	}
	r.nodes.add(row, line)
	return nil
}

func (r *graphML) edge(a map[string]string) error {
	line := r.line()
	if a["sourceport"] != "" || a["targetport"] != "" {
		return r.failf("an edge that ends at a port; ports are not read")
	}
	kind := ""
	switch strings.ToLower(a["directed"]) {
	case "":
	case "true", "1":
		kind = directed
	case "false", "0":
		kind = undirected
	default:
		return r.failf("directed is %q, expected true or false", a["directed"])
	}
	if err := r.form.add(kind); err != nil {
		return r.failf("%s", err)
	}
	row, err := r.edges.newRow()
	if err == nil {
		err = r.ends(row, a)
	}
	if err != nil {
		return err
	}
	if err := r.values(row, func(k *key) int { return k.edges }); err != nil {
		return err
	}
	r.edges.add(row, line)
	return nil
}

// values reads the data of a node or an edge into its row, to the end of the element.
func (r *graphML) values(row []schema.Cell, at func(*key) int) error {
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "data":
			return r.value(row, at, attributes(e)["key"])
		case "graph":
			return r.failf("a graph in a node; nested graphs are not read")
		case "port":
			return r.failf("a port of a node; ports are not read")
		}
		return r.skip()
	})
}

func (r *graphML) value(row []schema.Cell, at func(*key) int, id string) error {
	k, ok := r.keys[id]
	if !ok {
		return r.failf("key %q is not declared before the graph", id)
	}
	line := r.line()
	text, nested, err := r.content()
	if err != nil {
		return err
	}
	if nested || k.left {
		if !slices.Contains(r.left, k.name) {
			r.left = append(r.left, k.name)
		}
		return nil
	}
	c := at(k)
	if c < 0 || c >= len(row) {
		return r.errorf(line, nil, "key %q (%s) is declared for other elements", id, k.name)
	}
	if row[c].Kind != schema.Missing {
		return r.errorf(line, nil, "%s has two values", k.name)
	}
	if row[c], ok = typed(k.kind, text); !ok {
		return r.errorf(line, nil, "%s is %q, expected %s", k.name, text, k.kind)
	}
	return nil
}
