package graphfile

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// graphML reads a GraphML file.
type graphML struct {
	*xmlGraph
	keys map[string]*key
	left []string // names of keys that are left out
}

// key is a key of GraphML: an attribute of nodes, of edges or of both.
type key struct {
	name         string
	kind         valueKind
	nodes, edges int  // the columns; -1 if there is none
	left         bool // its values are left out
}

func readGraphML(x *xmlFile) (*Graph, error) {
	r := &graphML{xmlGraph: newXMLGraph(x), keys: map[string]*key{}}
	err := r.read("GraphML", r.graph, func(e xml.StartElement) error {
		if e.Name.Local == "key" {
			return r.key(attributes(e))
		}
		return x.skip()
	})
	if err != nil {
		return nil, err
	}
	g := r.result()
	if len(r.left) > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%s: graphics and nested values are left out: %s", x.name, listed(r.left)))
	}
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
	row, err := r.newNode(a)
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
	row, err := r.newEdge(a, kind)
	if err != nil {
		return err
	}
	if err := r.values(row, func(k *key) int { return k.edges }); err != nil {
		return err
	}
	r.edges.add(row, line)
	return nil
}

// values reads the data of a node or an edge into its row, up to the end of the element.
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
