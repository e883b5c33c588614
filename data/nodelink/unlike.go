package nodelink

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// What errors say about other forms of JSON.
const (
	noLists = `expected the lists "nodes" and "edges" (or "links") in a document`
	asTable = `in Python pandas.DataFrame(records).to_csv("edges.csv", index=False) makes a table of a list of records`
)

// readJSON is the line of Python that converts a data frame written by pandas to a table.
const readJSON = `in Python pandas.read_json("FILE"%s).to_json("edges.jsonl", orient="records", lines=True) converts it to a table`

// unlike says what a document without both lists may be and how to convert it.
func unlike(d *Document, nodes bool, edges string) string {
	has := map[string]bool{}
	columns := len(d.Graph) > 0 // columns as pandas writes them
	var nested []string
	for _, a := range d.Graph {
		has[a.Name] = true
		if a.Value.Kind == Nested {
			nested = append(nested, a.Name)
		}
		columns = columns && (a.Value.Kind == Nested || a.Value.Kind == Texts)
	}
	switch {
	case has["vertices"] && has["mode"], has["vertices"] && edges != "":
		return `, found "vertices", as in GraphSON; in gremlin.sh graph.io(graphml()).writeGraph("NAME.graphml") writes a file that can be read`
	case edges != "":
		return fmt.Sprintf(", found only %q", edges)
	case has["@graph"] || has["@context"]:
		return `, found JSON-LD; in Python rdflib.Graph().parse("FILE", format="json-ld").serialize("NAME.nt", format="nt", encoding="utf-8") writes its triples`
	case has["nodes"] && has["edges"]:
		return `, found them in "graph", as in the JSON Graph Format; in Python g = json.load(open("FILE"))["graph"] and json.dump({"nodes": [{"id": k, **v} for k, v in g["nodes"].items()], "edges": g["edges"]}, open("NAME.json", "w")) makes a document`
	case columns && ofNeighbours(d.Graph):
		return ", found lists of texts, such as lists of neighbours; in Python networkx.node_link_data(networkx.from_dict_of_lists(json.load(open(\"FILE\")))) makes a document"
	case has["columns"] && has["data"]:
		return `, found "columns" and "data"; ` + fmt.Sprintf(readJSON, `, orient="split"`)
	case !columns && (has["source"] && has["target"] || has["from"] && has["to"] || has["src"] && has["dst"]):
		return ", found a record of an edge; " + asTable
	case has["features"], has["geometry"], has["coordinates"]:
		return ", found GeoJSON, which has no edges"
	case has["elements"]:
		return `, found "elements", as Cytoscape writes; in Python networkx.cytoscape_graph reads it and networkx.node_link_data makes a document`
	case has["children"]:
		return `, found a tree of "children"; in Python networkx.tree_graph reads it and networkx.node_link_data makes a document`
	case has["adjacency"]:
		return `, found "adjacency"; in Python networkx.adjacency_graph reads it and networkx.node_link_data makes a document`
	case len(nested) == 1: // as web services answer: {"data": [...]}
		return fmt.Sprintf(", found %[1]q; if it is a list of records, python -c \"import json; json.dump(json.load(open('FILE'))['%[1]s'], open('edges.json', 'w'))\" takes it out", nested[0])
	case columns:
		return ", found " + names(d) + " as objects; " + fmt.Sprintf(readJSON, "")
	case nodes:
		return `, found only "nodes"`
	}
	return ", found " + names(d) + "; " + asTable
}

// ofNeighbours reports whether attributes are lists of texts that are names of these attributes:
// lists of neighbours.
func ofNeighbours(list []Attribute) bool {
	var text strings.Builder
	for _, a := range list {
		if a.Value.Kind != Texts {
			return false
		}
		text.WriteString(a.Value.Text)
	}
	return slices.ContainsFunc(list, func(a Attribute) bool {
		return strings.Contains(text.String(), schema.ListItem(schema.TextCell(a.Name)))
	})
}

// names returns the first names of members of a document, quoted for an error.
func names(d *Document) string {
	const most = 5
	var out []string
	for _, a := range d.Graph {
		if len(out) == most {
			out = append(out, "...")
			break
		}
		out = append(out, schema.Shown(a.Name))
	}
	if out == nil {
		return "neither"
	}
	return strings.Join(out, ", ")
}
