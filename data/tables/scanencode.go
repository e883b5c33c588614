package tables

import (
	"fmt"
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
)

// RowEncoder encodes the rows of a Scan as Set.Whole does those of a set.
type RowEncoder struct {
	scan    *Scan
	encoder *Encoder
	of      Level
	columns []rowField
	classes map[string]int32
	labels  int64 // rows that have one
}

// rowField is a field with its column.
type rowField struct {
	Field
	column int // -1 for none
	code   int // which categorical column of the features it is, of text
	// What is counted of a column of text: rows that have a category that the field lacks, the
	// first of these, and which there are, until there are too many with those of the field.
	unseen  int
	example string
	met     []bool
	others  map[string]bool
	left    bool // out
}

// Encoder begins to encode the rows of a scan.
func (s *Scan) Encoder(e *Encoder) (*RowEncoder, error) {
	if len(e.Structure) > 0 || e.Times != nil || e.Level != "" && e.Level != OfEdges {
		return nil, fmt.Errorf("tables: the encoder has columns of structure or of times, or is not of edges, so rows cannot be encoded one by one")
	}
	r := &RowEncoder{scan: s, encoder: e, of: OfEdges, classes: make(map[string]int32, len(e.Classes))}
	fields := e.Edges
	if s.h.at[nodeID] >= 0 {
		r.of, fields = OfNodes, e.Nodes
	}
	for k, c := range e.Classes {
		r.classes[c] = int32(k)
	}
	named := map[string]int{}
	for c, n := range s.h.names {
		if s.h.roles[c] == feature {
			named[n] = c
		}
	}
	codes := 0
	for _, f := range fields {
		x := rowField{Field: f, column: -1, code: codes}
		if c, ok := named[f.Name]; ok {
			x.column = c
		}
		if !f.Numeric() {
			x.met, x.others = make([]bool, len(f.Values)), map[string]bool{}
		}
		if !f.Numeric() || f.Gaps {
			codes++
		}
		r.columns = append(r.columns, x)
	}
	return r, nil
}

// Layout is the form of the features.
func (r *RowEncoder) Layout() graph.Features {
	if r.of == OfNodes {
		return Layout(r.encoder.Nodes)
	}
	return Layout(r.encoder.Edges)
}

// Append adds the features of the row to f, which has the Layout.
func (r *RowEncoder) Append(f *graph.Features) error {
	if len(r.columns) == 0 {
		f.Code = append(f.Code, 0) // the constant 1
		return nil
	}
	for i := range r.columns {
		x := &r.columns[i]
		text := ""
		if x.column >= 0 {
			text = strings.TrimSpace(r.scan.row[x.column])
		}
		if !x.Numeric() {
			k, err := x.category(text)
			if err != nil {
				return r.scan.at(x.column, err)
			}
			f.Code = append(f.Code, k)
			continue
		}
		v, err := mustNumber(text)
		if err != nil {
			return r.scan.at(x.column, err)
		}
		f.Dense = append(f.Dense, x.standard(v))
		if x.Gaps {
			f.Code = append(f.Code, gap(v))
		}
	}
	return nil
}

// mustNumber is the number that a text says, NaN where it is missing.
func mustNumber(text string) (float64, error) {
	v, ok, err := numberOf(text)
	if err == nil && !ok {
		err = fmt.Errorf("is %s, expected a number", shown(text))
	}
	return v, err
}

// category is the code of a text.
func (x *rowField) category(text string) (int32, error) {
	if missing(text) {
		return -1, nil
	}
	if k := x.word(text); k >= 0 {
		x.met[k] = true
		return k, nil
	}
	if err := checkWord(text); err != nil {
		return -1, err
	}
	if x.unseen++; x.unseen == 1 {
		x.example = strings.Clone(text)
	}
	if !x.left && !x.others[text] {
		if len(x.others) == maxTexts+1 {
			x.left, x.others = true, nil
		} else {
			x.others[strings.Clone(text)] = true
		}
	}
	return -1, nil
}

// Class is the class of the row's label, graph.NoLabel where there is none.
func (r *RowEncoder) Class() (int32, error) {
	c := r.scan.h.at[label]
	if c < 0 {
		return graph.NoLabel, nil
	}
	text := strings.TrimSpace(r.scan.row[c])
	if missing(text) {
		return graph.NoLabel, nil
	}
	k, ok := r.classes[text]
	if !ok {
		return 0, r.scan.at(c, fmt.Errorf("has class %s, which no training edge has (%s)", shown(text), shownClasses(r.encoder.Classes)))
	}
	r.labels++
	return k, nil
}

// Number is the row's label where that is a number, NaN where there is none.
func (r *RowEncoder) Number() (float32, error) {
	c := r.scan.h.at[label]
	if c < 0 {
		return float32(math.NaN()), nil
	}
	v, err := mustNumber(strings.TrimSpace(r.scan.row[c]))
	if v == v {
		r.labels++
	}
	return float32(v), r.scan.at(c, err)
}

// Labels is how many of the rows so far have a label, by Class and Number.
func (r *RowEncoder) Labels() int64 { return r.labels }

// Unseen are the categories of the rows so far that training lacked.
func (r *RowEncoder) Unseen() []Unseen {
	var out []Unseen
	for i := range r.columns {
		if x := &r.columns[i]; x.unseen > 0 && !x.tooMany() && len(x.Values) < maxValues {
			out = append(out, Unseen{Of: r.of, Column: x.Name, Rows: x.unseen, Example: x.example})
		}
	}
	return out
}

// tooMany reports whether the column has more categories than a set keeps.
func (x *rowField) tooMany() bool {
	n := len(x.others)
	for _, met := range x.met {
		if met {
			n++
		}
	}
	return x.left || n > maxTexts
}

// LeftOut are the categorical columns of the features that a Set leaves out, as they have too many
// categories: all of their codes are -1 there. names are those of the tables.
func (r *RowEncoder) LeftOut() (codes []int, names []string) {
	for i := range r.columns {
		if x := &r.columns[i]; !x.Numeric() && x.tooMany() {
			codes, names = append(codes, x.code), append(names, x.Name)
		}
	}
	return codes, names
}
