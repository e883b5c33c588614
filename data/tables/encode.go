package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Unseen counts the rows of a column with a category that no training row had; such rows are
// encoded as missing. Columns with more categories than an encoder keeps are not counted, because
// their rare categories cannot be distinguished from new ones. If the column is the label, these
// rows have no class.
type Unseen struct {
	Of      Level  `json:"of"` // OfNodes or OfEdges
	Column  string `json:"column"`
	Rows    int    `json:"rows"`
	Example string `json:"example"` // category of the first such row
	Label   bool   `json:"label,omitempty"`
	Classes string `json:"-"` // classes of the training as text for the remark, if the column is the label
}

// String is the remark on such a column.
func (u Unseen) String() string {
	if u.Label {
		return fmt.Sprintf("column %q of %d %ss has a class that training has not seen; scores leave them out; the first is %q, expected one of %s", u.Column, u.Rows, u.Of, u.Example, u.Classes)
	}
	text := fmt.Sprintf("column %q of %d %ss has a category that training has not seen, which is taken for none", u.Column, u.Rows, u.Of)
	if u.Example == "" {
		return text
	}
	return fmt.Sprintf("%s; the first is %q", text, u.Example)
}

// encodable returns an error for an encoder that was fitted on data of another form.
func (s *Set) encodable(e *Encoder) error {
	if level := cmp.Or(e.Level, OfEdges); s.Level != level {
		return fmt.Errorf("tables: %s: labels are of each %s, and were of each %s in training", s.Name, s.Level, level)
	}
	if s.Directed != (e.Options.Form == data.Directed) {
		return fmt.Errorf("tables: %s: directed is %v, which training was not", s.Name, s.Directed)
	}
	return nil
}

// encode encodes the features of some nodes and edges.
func (s *Set) encode(e *Encoder, nodes, edges []int32) (node, edge graph.Features, unseen []Unseen, err error) {
	node, unseen, err = features(OfNodes, s.NodeColumns, e.Nodes, nodes)
	if err != nil {
		return node, edge, nil, fmt.Errorf("tables: %s: nodes: %w", s.Name, err)
	}
	edge, more, err := features(OfEdges, s.EdgeColumns, e.Edges, edges)
	if err != nil {
		return node, edge, nil, fmt.Errorf("tables: %s: edges: %w", s.Name, err)
	}
	return node, edge, append(unseen, more...), nil
}

// features encodes columns; without any, rows have the constant 1.
func features(of Level, columns []*Column, fs []Field, rows []int32) (graph.Features, []Unseen, error) {
	if len(fs) == 0 {
		return graph.Ones(len(rows)), nil, nil
	}
	var numeric, codes []block
	var unseen []Unseen
	named := make(map[string]*Column, len(columns))
	for _, c := range slices.Backward(columns) { // the first of equal names
		named[c.Name] = c
	}
	for _, f := range fs {
		column, ok := named[f.Name]
		if !ok {
			// The column may have had no values.
			column = emptyColumn(f.Name, f.Numeric(), maxRow(rows)+1)
		}
		b := block{Field: f, column: column}
		if f.Numeric() != b.column.Numeric() {
			return graph.Features{}, nil, fmt.Errorf("column %q is of another kind than in training", f.Name)
		}
		if f.Numeric() {
			numeric = append(numeric, b)
			if f.Gaps {
				codes = append(codes, b)
			}
			continue
		}
		if err := b.readTexts(); err != nil {
			return graph.Features{}, nil, fmt.Errorf("column %q %w", f.Name, err)
		}
		codes = append(codes, b)
		if n, example := b.unseen(rows); n > 0 {
			unseen = append(unseen, Unseen{Of: of, Column: f.Name, Rows: n, Example: example})
		}
	}
	out := schema.Layout(fs)
	if out.Dim > 0 {
		out.Dense = make([]float32, 0, len(rows)*out.Dim)
	}
	if len(codes) > 0 {
		out.Code = make([]int32, 0, len(rows)*len(out.Codes))
	}
	for _, r := range rows {
		for _, b := range numeric {
			out.Dense = append(out.Dense, b.number(r))
		}
		for _, b := range codes {
			out.Code = b.categories(out.Code, r)
		}
	}
	return out, unseen, nil
}

func maxRow(rows []int32) int {
	if len(rows) == 0 {
		return -1
	}
	return int(slices.Max(rows))
}

// emptyColumn is a column without values.
func emptyColumn(name string, numeric bool, rows int) *Column {
	c := &Column{Name: name}
	if numeric {
		c.Value = lists.Repeat(math.NaN(), rows)
		return c
	}
	c.Code = lists.Repeat[int32](-1, rows)
	return c
}

// block is a field with the column of a set.
type block struct {
	Field
	column *Column
	code   []int32  // codes of the field for each text of the column: one, or one for each member
	lacks  []string // for each text: what the field lacks of it; empty for nothing
}

// readTexts finds the codes of the texts of the column.
func (b *block) readTexts() (err error) {
	b.lacks = make([]string, len(b.column.Text))
	if !b.IsSet() {
		b.code = lists.Map(b.column.Text, func(text string) int32 { return word(&b.Field, text) })
		for k, code := range b.code {
			if code < 0 {
				b.lacks[k] = b.column.Text[k]
			}
		}
		return nil
	}
	reader := schema.NewFieldReader(&b.Field)
	for k, text := range b.column.Text {
		if b.code, b.lacks[k], err = reader.Codes(b.code, schema.TextCell(text)); err != nil {
			return err
		}
	}
	return nil
}

func (b block) number(row int32) float32 {
	return b.Standard(b.column.Value[row])
}

// word is the code of a category, -1 if the field lacks it.
func word(f *Field, text string) int32 {
	if at, ok := slices.BinarySearch(f.Values, text); ok {
		return int32(at)
	}
	return -1
}

// unseen returns the number of rows with a category that the field lacks, and the first such category.
func (b block) unseen(rows []int32) (n int, example string) {
	if len(b.Values) >= schema.MaxValues {
		return 0, ""
	}
	for _, r := range rows {
		if c := b.column.Code[r]; c >= 0 && b.lacks[c] != "" {
			if n++; n == 1 {
				example = b.lacks[c]
			}
		}
	}
	return n, example
}

// categories appends the codes of a row, -1 for a missing category; for a numeric field, 0 marks a missing number.
func (b block) categories(to []int32, row int32) []int32 {
	if b.Numeric() {
		return append(to, schema.Gap(b.column.Value[row]))
	}
	width := 1
	if b.IsSet() {
		width = len(b.Values)
	}
	if c := int(b.column.Code[row]); c >= 0 {
		return append(to, b.code[c*width:(c+1)*width]...)
	}
	for range width {
		to = append(to, -1)
	}
	return to
}
