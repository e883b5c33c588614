package tables

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
)

// RowEncoder encodes the rows of a Scan like Set.Whole encodes a set.
type RowEncoder struct {
	scan    *Scan
	encoder *Encoder
	of      Level
	columns []rowField
	label   *schema.FieldReader
	labels  int64  // rows with a label
	lacking Unseen // rows with a class that the training lacks
}

// rowField is a field with its column.
type rowField struct {
	Field
	reader  *schema.FieldReader
	column  int    // -1 for none
	unseen  int    // rows with a category that the field lacks
	example string // the first such category
}

// Encoder returns an encoder of the rows of a scan.
func (s *Scan) Encoder(e *Encoder) (*RowEncoder, error) {
	if len(e.Structure) > 0 || e.Times != nil || e.Level != "" && e.Level != OfEdges {
		return nil, fmt.Errorf("tables: the encoder has columns of structure or of times, or is not of edges, so rows cannot be encoded one by one")
	}
	r := &RowEncoder{scan: s, encoder: e, of: OfEdges}
	fields := e.Edges
	if s.h.at[nodeID] >= 0 {
		r.of, fields = OfNodes, e.Nodes
	}
	for _, f := range fields {
		x := rowField{Field: f, reader: schema.NewFieldReader(&f), column: -1}
		if c := s.h.find(f.Name); c >= 0 && (s.h.roles[c] == feature || s.h.roles[c] == edgeID) {
			x.column = c
		}
		r.columns = append(r.columns, x)
	}
	r.label = schema.NewFieldReader(e.LabelField(""))
	r.lacking = Unseen{Of: r.of, Label: true, Classes: shownClasses(e.Classes)}
	if c := s.h.at[label]; c >= 0 {
		r.lacking.Column = s.h.names[c]
	}
	return r, nil
}

// Layout is the form of the features.
func (r *RowEncoder) Layout() graph.Features {
	if r.of == OfNodes {
		return schema.Layout(r.encoder.Nodes)
	}
	return schema.Layout(r.encoder.Edges)
}

// Append adds the features of the row to f, which has the Layout.
func (r *RowEncoder) Append(f *graph.Features) error {
	if len(r.columns) == 0 {
		f.Code = append(f.Code, 0) // the constant 1
		return nil
	}
	for i := range r.columns {
		x := &r.columns[i]
		cell := schema.Cell{}
		if x.column >= 0 {
			cell = r.scan.row[x.column]
		}
		if !x.Numeric() {
			var lacks string
			var err error
			if f.Code, lacks, err = x.reader.Codes(f.Code, cell); err != nil {
				return r.scan.errorAt(x.column, err)
			}
			if lacks != "" {
				if x.unseen++; x.unseen == 1 {
					x.example = lacks
				}
			}
			continue
		}
		v, err := x.reader.Number(cell)
		if err != nil {
			return r.scan.errorAt(x.column, err)
		}
		f.Dense = append(f.Dense, x.Standard(v))
		if x.Gaps {
			f.Code = append(f.Code, schema.Gap(v))
		}
	}
	return nil
}

// Class is the class of the row's label, graph.NoLabel if it is missing or if the training lacks it, which Unseen counts.
func (r *RowEncoder) Class() (int32, error) {
	c := r.scan.h.at[label]
	if c < 0 {
		return graph.NoLabel, nil
	}
	k, err := r.label.Code(r.scan.row[c])
	switch {
	case err != nil:
		return 0, r.scan.errorAt(c, err)
	case k >= 0:
		r.labels++
		return k, nil
	case k == schema.Unseen:
		if r.lacking.Rows++; r.lacking.Rows == 1 {
			r.lacking.Example = r.label.Key(r.scan.row[c])
		}
	}
	return graph.NoLabel, nil
}

// Number is the row's label if it is a number, NaN if it is missing.
func (r *RowEncoder) Number() (float32, error) {
	c := r.scan.h.at[label]
	if c < 0 {
		return float32(math.NaN()), nil
	}
	v, err := r.label.Number(r.scan.row[c])
	if v == v {
		r.labels++
	}
	return float32(v), r.scan.errorAt(c, err)
}

// Labels is the number of rows with a label so far, counted by Class and Number.
func (r *RowEncoder) Labels() int64 { return r.labels }

// Unseen returns the categories of the rows so far that training lacked.
func (r *RowEncoder) Unseen() []Unseen {
	var out []Unseen
	for i := range r.columns {
		if x := &r.columns[i]; x.unseen > 0 && len(x.Values) < schema.MaxValues {
			out = append(out, Unseen{Of: r.of, Column: x.Name, Rows: x.unseen, Example: x.example})
		}
	}
	if r.lacking.Rows > 0 {
		out = append(out, r.lacking)
	}
	return out
}
