package graphfile

import (
	"encoding/xml"

	"github.com/ehgnn/ehgnn/data/schema"
)

// xmlGraph is a graph in an XML file: the common part of GraphML and GEXF.
type xmlGraph struct {
	*xmlFile
	nodes, edges *table
	form         form
	graphs       int
}

// Columns of the tables before those of attributes.
const (
	nodeIDAt = 0
	sourceAt = 0
	targetAt = 1
	edgeIDAt = 2
)

func newXMLGraph(x *xmlFile) *xmlGraph {
	return &xmlGraph{xmlFile: x, nodes: &table{budget: x.budget, columns: []column{{name: idColumn}}},
		edges: &table{budget: x.budget, columns: []column{{name: sourceColumn}, {name: targetColumn}, {name: idColumn, optional: true}}}}
}

// read reads the file. graph reads its only graph, other reads other elements.
func (r *xmlGraph) read(format string, graph func(a map[string]string) error, other func(xml.StartElement) error) error {
	err := r.children(func(e xml.StartElement) error {
		if e.Name.Local != "graph" {
			return other(e)
		}
		if r.graphs++; r.graphs > 1 {
			return r.failf("a second graph; several graphs of one %s file are not read, give each a file of its own", format)
		}
		return graph(attributes(e))
	})
	if err != nil {
		return err
	}
	if r.graphs == 0 {
		return r.failf("has no element graph")
	}
	return r.finish()
}

// result returns the graph.
func (r *xmlGraph) result() *Graph {
	r.nodes.finish(r.text.Sum())
	r.edges.finish(r.text.Sum())
	return &Graph{Edges: r.edges, Nodes: r.nodes, Directed: r.form.edges()}
}

// newNode begins the row of a node.
func (r *xmlGraph) newNode(a map[string]string) (schema.Row, error) {
	row, err := r.nodes.newRow()
	if err == nil {
		err = r.id(row, nodeIDAt, "id of a node", a["id"])
	}
	return row, err
}

// newEdge begins the row of an edge. kind is directed, undirected, or empty for the kind of the
// graph.
func (r *xmlGraph) newEdge(a map[string]string, kind string) (schema.Row, error) {
	if err := r.form.add(kind); err != nil {
		return nil, r.failf("%s", err)
	}
	row, err := r.edges.newRow()
	if err == nil {
		err = r.ends(row, a)
	}
	return row, err
}
