package task

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// Field is a column of attributes of nodes or edges, and how it is turned into features.
type Field struct {
	Name string    `json:"name"`
	Kind FieldKind `json:"kind"`
	// Width is the number of one-hot columns of codes. Offset is subtracted from a label to
	// get its code.
	Width  int `json:"width,omitempty"`
	Offset int `json:"offset,omitempty"`
	// Values are the categories in the order of their codes.
	Values []string `json:"values,omitempty"`
	// Mean and Scale standardise a number; a Scale of 0 leaves it as it is. Gaps says that
	// missing numbers are marked in a column of their own.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	Gaps  bool    `json:"gaps,omitempty"`
}

// FieldKind says what values a field has.
type FieldKind string

// The kinds of fields.
const (
	KindNumber   FieldKind = "number"
	KindCode     FieldKind = "code"     // a whole number that names a category
	KindCategory FieldKind = "category" // a text that names a category
	KindDegree   FieldKind = "degree"   // degree of the node, where the data have no features
	KindConstant FieldKind = "constant" // 1, where the data have no features
	// KindStructure is a column of the graph around an edge, as package structure names it.
	KindStructure FieldKind = "structure"
	// KindTime is a column of the time of an edge, as package tables names it.
	KindTime FieldKind = "time"
)

// fieldsOf describes the columns of features of a collection: numbers, then codes. Where
// own is false the data have no features, and the one column is of kind otherwise.
func fieldsOf(f graph.Features, offsets []int, own bool, otherwise FieldKind) []Field {
	var out []Field
	if !own {
		if f.Dim > 0 {
			return []Field{{Name: string(otherwise), Kind: otherwise}}
		}
		if offsets == nil && len(f.Codes) == 1 {
			return []Field{{Name: string(otherwise), Kind: otherwise, Width: f.Codes[0]}}
		}
	}
	for k := range f.Dim {
		out = append(out, Field{Name: fmt.Sprintf("attribute_%d", k), Kind: KindNumber})
	}
	for k, width := range f.Codes {
		c := Field{Name: "label", Kind: KindCode, Width: width}
		if len(f.Codes) > 1 {
			c.Name = fmt.Sprintf("label_%d", k)
		}
		if k < len(offsets) {
			c.Offset = offsets[k]
		}
		out = append(out, c)
	}
	return out
}

// Schema says which attributes nodes and edges have in the data of a run.
type Schema struct {
	Directed bool
	Nodes    []Field
	Edges    []Field
}

// Schema is the schema of the data that the run was trained on. ok is false for runs of
// version 0.1 on collections, which did not keep it.
func (s *Settings) Schema() (schema Schema, ok bool) {
	schema.Directed = s.Data.Directed()
	if t := s.Data.Tables; t != nil {
		schema.Nodes, schema.Edges = columnFields(t.Encoder.Nodes), edgeFields(t.Encoder)
		return schema, true
	}
	g := s.Data.Graphs
	if g.NodeFields == nil {
		return schema, false
	}
	schema.Nodes, schema.Edges = scaledFields(g.NodeFields, g.NodeScale), scaledFields(g.EdgeFields, g.EdgeScale)
	return schema, true
}

// columnFields are the fields of an encoder of tables.
func columnFields(fields []tables.Field) []Field {
	if len(fields) == 0 {
		return []Field{{Name: string(KindConstant), Kind: KindConstant, Width: 1}}
	}
	var out []Field
	for _, f := range fields {
		to := Field{Name: f.Name, Kind: KindCategory, Values: f.Values, Width: len(f.Values)}
		if f.Numeric() {
			to = Field{Name: f.Name, Kind: KindNumber, Mean: f.Mean, Scale: f.Scale, Gaps: f.Gaps}
		}
		out = append(out, to)
	}
	return out
}

// edgeFields are the fields of edges: their own, if any, and those of their structure and time.
func edgeFields(e *tables.Encoder) []Field {
	if len(e.Structure) == 0 && e.Times == nil {
		return columnFields(e.Edges)
	}
	var out []Field
	if len(e.Edges) > 0 {
		out = columnFields(e.Edges)
	}
	for _, f := range e.Structure {
		out = append(out, Field{Name: f.Name, Kind: KindStructure, Mean: f.Mean, Scale: f.Scale})
	}
	if e.Times != nil {
		for _, f := range e.Times.Fields {
			out = append(out, Field{Name: f.Name, Kind: KindTime, Mean: f.Mean, Scale: f.Scale})
		}
	}
	return out
}

// scaledFields are fields with the means and scales of their numbers, in their order.
func scaledFields(fields []Field, s *data.Scale) []Field {
	if s == nil {
		return fields
	}
	out := slices.Clone(fields)
	for k := range s.Mean { // numbers are the first fields
		out[k].Mean, out[k].Scale = s.Mean[k], s.Scale[k]
	}
	return out
}
