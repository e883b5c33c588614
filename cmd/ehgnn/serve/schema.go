package serve

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// The types here describe bodies in the OpenAPI document; decoder and replyNames read and write
// them.

// Name is a string or a number.
type Name struct{}

// Schema implements huma.SchemaProvider.
func (Name) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}}}
}

// Cell is the value of an attribute; null is missing.
type Cell struct{}

// Schema implements huma.SchemaProvider.
func (Cell) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}, {Type: "null"}}}
}

// Graph is a graph in the form of this program.
type Graph struct {
	ID        Name              `json:"id,omitempty" doc:"A string or a number by which the reply names the graph."`
	NumNodes  int               `json:"num_nodes" minimum:"0"`
	Edges     [][2]int          `json:"edges" doc:"The two nodes of each edge, from 0." example:"[[0,1],[1,2]]"`
	Node      map[string][]Cell `json:"node,omitempty" doc:"The attributes in the schema of the run, a value for each node."`
	Edge      map[string][]Cell `json:"edge,omitempty" doc:"Likewise for edges."`
	Directed  bool              `json:"directed,omitempty"`
	Labels    []Cell            `json:"labels,omitempty" doc:"Known labels of edges, null where unknown, for runs with label context."`
	Groups    []Cell            `json:"groups,omitempty" doc:"Groups of edges, for runs with label context that were split by group; an edge reads no labels of its own group."`
	Time      []Cell            `json:"time,omitempty" doc:"Times of edges, for runs that read them."`
	NodeNames []Name            `json:"node_names,omitempty" doc:"Names of nodes, by which explanations call them."`
	Score     []bool            `json:"score,omitempty" doc:"Edges that are asked for, of runs that predict for edges (default: all)."`
}

// NodeLink is a graph as networkx.node_link_data writes it.
type NodeLink struct {
	Directed bool             `json:"directed,omitempty"`
	Nodes    []map[string]any `json:"nodes" doc:"Objects with an id and attributes."`
	Edges    []map[string]any `json:"edges,omitempty" doc:"Objects with source, target and attributes; score marks those that are asked for, of runs that predict for edges (default: all)."`
	Links    []map[string]any `json:"links,omitempty" doc:"What edges were called before NetworkX 3.6."`
	Graph    map[string]any   `json:"graph,omitempty" doc:"Attributes of the graph; id or name names it in the reply."`
}

// Molecule is a graph as SMILES, in the chemistry build.
type Molecule struct {
	ID     Name   `json:"id,omitempty"`
	SMILES string `json:"smiles" example:"CCO"`
}

// Item is the prediction for one graph, node or edge.
type Item struct {
	Edge          int      `json:"edge,omitempty" doc:"The number of the edge, where only some were asked for."`
	Class         string   `json:"class,omitempty"`
	Probabilities any      `json:"probabilities,omitempty" doc:"By class or label; a list where they have no names."`
	Values        any      `json:"values,omitempty" doc:"Numbers in the unit of the data by target; a list where they have no names."`
	Lower         any      `json:"lower,omitempty" doc:"The ends of intervals, for runs that were trained for a coverage."`
	Upper         any      `json:"upper,omitempty"`
	Std           any      `json:"std,omitempty" doc:"Standard deviation across the members of an ensemble."`
	Set           []string `json:"set,omitempty" doc:"Classes that cover the true one, for runs that were trained for a coverage."`
}

// Prediction is the prediction for a graph.
type Prediction struct {
	ID string `json:"id" doc:"The id of the graph, or its number from 0."`
	Item
	Nodes    []Item   `json:"nodes,omitempty"`
	Edges    []Item   `json:"edges,omitempty"`
	Warnings []string `json:"warnings,omitempty" doc:"What of the graph the training has not seen."`
}

// Predictions is the reply to a request for predictions.
type Predictions struct {
	Model       string       `json:"model"`
	Digest      string       `json:"digest"`
	Predictions []Prediction `json:"predictions"`
}

// Embedding has the embeddings of a graph.
type Embedding struct {
	ID       string      `json:"id"`
	Vectors  [][]float32 `json:"vectors" doc:"One for the graph, or for each of its nodes or edges."`
	Warnings []string    `json:"warnings,omitempty"`
}

// Embeddings is the reply to a request for embeddings.
type Embeddings struct {
	Model      string      `json:"model"`
	Digest     string      `json:"digest"`
	Level      string      `json:"level" enum:"graph,node,edge"`
	Embeddings []Embedding `json:"embeddings"`
}

// query describes a query parameter.
func query(name, doc string, values ...string) *huma.Param {
	s := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: s}
}

// modelNames are the names of runs in requests.
func (s *Server) modelNames() *huma.Schema {
	out := &huma.Schema{Type: huma.TypeString}
	for _, r := range s.list {
		out.Enum = append(out.Enum, r.name)
	}
	return out
}

// streamed registers POST /v1/models/{m}/NAME, whose handler reads the body and writes the reply
// itself.
func (s *Server) streamed(mux *http.ServeMux, name, summary string, out reflect.Type, handler http.HandlerFunc, params ...*huma.Param) {
	document := s.api.OpenAPI()
	schemas := document.Components.Schemas
	of := func(t reflect.Type) *huma.Schema { return schemas.Schema(t, true, "") }
	graph := &huma.Schema{AnyOf: []*huma.Schema{of(reflect.TypeFor[Graph]()), of(reflect.TypeFor[NodeLink]()), of(reflect.TypeFor[Molecule]())}}
	op := &huma.Operation{
		OperationID: name, Method: http.MethodPost, Path: "/v1/models/{m}/" + name, Summary: summary,
		Parameters: append([]*huma.Param{{Name: "m", In: "path", Required: true, Description: "The name of the run.", Schema: &huma.Schema{Type: huma.TypeString}}}, params...),
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"graphs"}, AdditionalProperties: false,
				Properties: map[string]*huma.Schema{"graphs": {Type: huma.TypeArray, Items: graph}}}},
			"multipart/form-data": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"edges"}, AdditionalProperties: false, Description: "Tables as CSV, for runs on tables; nodes is there twice for a run on two tables of nodes.",
				Properties: map[string]*huma.Schema{"edges": {Type: huma.TypeString}, "nodes": {Type: huma.TypeString}}}},
		}},
		Responses: map[string]*huma.Response{"200": {Description: "What was asked for.", Content: map[string]*huma.MediaType{"application/json": {Schema: of(out)}}}},
	}
	if name != "explain" {
		// An invalid line is answered with an error, and the body is not rejected.
		op.RequestBody.Content[mediaTypes[formatNDJSON]] = &huma.MediaType{Schema: &huma.Schema{Description: "A graph on each line, as JSON."}}
		text := &huma.Schema{Type: huma.TypeString}
		for _, f := range []format{formatNDJSON, formatCSV, formatParquet} {
			op.Responses["200"].Content[mediaTypes[f]] = &huma.MediaType{Schema: text}
		}
	}
	for _, status := range []int{400, 401, 403, 404, 406, 408, 413, 415, 421, 422, 503, 504} {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status),
			Content: map[string]*huma.MediaType{"application/problem+json": {Schema: of(reflect.TypeFor[Problem]())}}}
	}
	document.AddOperation(op)
	mux.HandleFunc(op.Method+" "+op.Path, handler)
}
