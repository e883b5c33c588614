package settings

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// Field is a column of node or edge attributes and its conversion to features (package schema).
type Field = schema.Field

// FieldKind is the kind of values of a field.
type FieldKind = schema.FieldKind

// The kinds of fields.
const (
	KindNumber    = schema.KindNumber
	KindCode      = schema.KindCode
	KindCategory  = schema.KindCategory
	KindDegree    = schema.KindDegree
	KindConstant  = schema.KindConstant
	KindStructure = schema.KindStructure
	KindTime      = schema.KindTime
)

// FieldsOf describes the columns of features of a collection: numbers, then codes. If own is false,
// the data have no features, and the only column has the kind otherwise.
func FieldsOf(f graph.Features, offsets []int, own bool, otherwise FieldKind) []Field {
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

// Schema lists the attributes of nodes and edges in the data of a run.
type Schema struct {
	Directed bool
	Nodes    []Field
	Edges    []Field
}

// Schema is the schema of the training data.
func (s *Settings) Schema() (out Schema) {
	out.Directed = s.Data.Directed()
	if t := s.Data.Tables; t != nil {
		out.Nodes, out.Edges = columnFields(t.Encoder.Nodes), edgeFields(t.Encoder)
		return out
	}
	g := s.Data.Graphs
	out.Nodes, out.Edges = scaledFields(g.NodeFields, g.NodeScale), scaledFields(g.EdgeFields, g.EdgeScale)
	return out
}

// columnFields returns the fields of a table encoder.
func columnFields(fields []tables.Field) []Field {
	if len(fields) == 0 {
		return []Field{{Name: string(KindConstant), Kind: KindConstant, Width: 1}}
	}
	return fields
}

// edgeFields returns the fields of edges: their own, if any, and the fields of structure and time columns.
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

// scaledFields returns fields with the means and scales of their numbers added, in order.
func scaledFields(fields []Field, s *data.Scale) []Field {
	if s == nil {
		return fields
	}
	out := slices.Clone(fields)
	for k := range s.Mean { // numbers come first
		out[k].Mean, out[k].Scale = s.Mean[k], s.Scale[k]
	}
	return out
}
