package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// maxValues bounds the vocabulary of a categorical column: the most frequent
// values of training. Rarer ones are encoded as unseen ones are.
const maxValues = 256

// maxDeviation bounds a standardised number, so that a value of new data that is
// far off stays finite.
const maxDeviation = 1e6

// Encoder turns the columns of a set into features and labels, as fitted on the
// training edges. It is plain data: kept as JSON with a model, it encodes new
// tables as those of the training were.
type Encoder struct {
	// Options read new tables with the roles and kinds of columns of the training.
	Options Options `json:"options"`
	Nodes   []Field `json:"nodes"`
	Edges   []Field `json:"edges"`
	// Classes are those of the training edges: in rising order where all are
	// numbers, else of their text. Nil when the label is a number.
	Classes []string `json:"classes,omitempty"`
	// Mean and Scale are those of a label that is a number, over training edges;
	// Scale is 1 where all are equal. Labels stay as they are: this is for models.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
}

// Field encodes one column.
type Field struct {
	Name string `json:"name"`
	// Mean and Scale, the standard deviation or 1 where that is 0, standardise a
	// numeric column. Gaps says that missing numbers have a feature that says so.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	Gaps  bool    `json:"gaps,omitempty"`
	// Values are the categories of a categorical column, sorted.
	Values []string `json:"values,omitempty"`
}

// Numeric reports whether the column holds numbers.
func (f Field) Numeric() bool { return f.Scale != 0 }

// Fit measures the training edges of a set and the nodes at their ends, and
// nothing else.
func (s *Set) Fit(train []int) (*Encoder, error) {
	if len(train) == 0 {
		return nil, fmt.Errorf("tables: %s: no edges to train on", s.Name)
	}
	seen := make([]bool, len(s.NodeIDs))
	edges := make([]int32, len(train))
	for i, e := range train {
		if e < 0 || e >= s.NumEdges() {
			return nil, fmt.Errorf("tables: %s: training edge %d, expected 0 to %d", s.Name, e, s.NumEdges()-1)
		}
		edges[i] = int32(e)
		seen[s.Ends[2*e]], seen[s.Ends[2*e+1]] = true, true
	}
	slices.Sort(edges) // sums do not depend on the order of the list
	var nodes []int32
	for v, ok := range seen {
		if ok {
			nodes = append(nodes, int32(v))
		}
	}
	e := &Encoder{Options: s.Options, Nodes: fields(s.NodeColumns, nodes), Edges: fields(s.EdgeColumns, edges)}
	o := &e.Options
	o.Ignore, o.Numbers, o.Categories = nil, nil, nil
	o.Nodes, o.Edges = "", "" // names of files are of the data
	if s.Options.Nodes == None {
		o.Nodes = None
	}
	o.Form = data.Undirected
	if s.Directed {
		o.Form = data.Directed
	}
	for _, f := range slices.Concat(e.Nodes, e.Edges) {
		if f.Numeric() && !has(o.Numbers, f.Name) {
			o.Numbers = append(o.Numbers, f.Name)
		} else if !f.Numeric() && !has(o.Categories, f.Name) {
			o.Categories = append(o.Categories, f.Name)
		}
	}
	for _, n := range o.Numbers { // one name, in two tables, of two kinds
		if has(o.Categories, n) {
			return nil, fmt.Errorf("tables: %s: column %q is numeric in one table and text in the other; name it in the option Categories, or rename one", s.Name, n)
		}
	}
	switch {
	case s.Label == nil:
	case s.Label.Numeric():
		e.Mean, e.Scale, _ = meanScale(s.Label.Value, edges)
	default:
		e.Classes = classes(s.Label, edges)
	}
	return e, nil
}

// fields measures columns over some rows. Columns that none of the rows has are
// left out.
func fields(columns []*Column, rows []int32) []Field {
	var out []Field
	for _, c := range columns {
		f := Field{Name: c.Name}
		if c.Numeric() {
			var n int
			if f.Mean, f.Scale, n = meanScale(c.Value, rows); n == 0 {
				continue
			}
			f.Gaps = n < len(rows)
		} else if f.Values = frequent(c, rows); len(f.Values) == 0 {
			continue
		}
		out = append(out, f)
	}
	return out
}

// meanScale are mean and standard deviation over the rows that are not NaN, and
// how many these are.
func meanScale(value []float64, rows []int32) (mean, scale float64, n int) {
	each := func(f func(float64)) {
		for _, r := range rows {
			if v := value[r]; !math.IsNaN(v) {
				f(v)
			}
		}
	}
	each(func(v float64) { n, mean = n+1, mean+v })
	if n == 0 {
		return 0, 1, 0
	}
	mean /= float64(n)
	each(func(v float64) { scale += (v - mean) * (v - mean) })
	if scale = math.Sqrt(scale / float64(n)); scale == 0 {
		scale = 1
	}
	return mean, scale, n
}

// frequent are the most frequent categories over some rows, sorted.
func frequent(c *Column, rows []int32) []string {
	count := make([]int, len(c.Text))
	for _, r := range rows {
		if c.Code[r] >= 0 {
			count[c.Code[r]]++
		}
	}
	var codes []int
	for k, n := range count {
		if n > 0 {
			codes = append(codes, k)
		}
	}
	slices.SortFunc(codes, func(a, b int) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(c.Text[a], c.Text[b]))
	})
	var out []string
	for _, k := range codes[:min(len(codes), maxValues)] {
		out = append(out, c.Text[k])
	}
	slices.Sort(out)
	return out
}

// classes are the labels of some rows.
func classes(c *Column, rows []int32) []string {
	seen := make([]bool, len(c.Text))
	for _, r := range rows {
		if c.Code[r] >= 0 {
			seen[c.Code[r]] = true
		}
	}
	var out []string
	for k, ok := range seen {
		if ok {
			out = append(out, c.Text[k])
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		switch {
		case errX == nil && errY == nil:
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		case errX == nil: // numbers before words, so that the order is one
			return -1
		case errY == nil:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return out
}

// Open reads the tables at a path of the operating system as those of the
// training; label, time and group may be missing.
func (e *Encoder) Open(name string) (*Set, error) {
	o := e.Options
	o.optional = true
	return Open(name, o)
}

// features encodes columns; without any, rows have the constant 1.
func features(columns []*Column, fs []Field, rows []int32) (graph.Features, error) {
	if len(fs) == 0 {
		return graph.Ones(len(rows)), nil
	}
	var numeric, codes []block
	for _, f := range fs {
		k := slices.IndexFunc(columns, func(c *Column) bool { return c.Name == f.Name })
		if k < 0 {
			// The column may have been there without a value.
			columns = append(columns[:len(columns):len(columns)], emptyColumn(f, maxRow(rows)+1))
			k = len(columns) - 1
		}
		b := block{Field: f, column: columns[k]}
		if f.Numeric() != b.column.Numeric() {
			return graph.Features{}, fmt.Errorf("column %q is of another kind than in training", f.Name)
		}
		if f.Numeric() {
			numeric = append(numeric, b)
			if f.Gaps {
				codes = append(codes, b)
			}
			continue
		}
		b.code = make([]int32, len(b.column.Text))
		for i, text := range b.column.Text {
			b.code[i] = -1
			if at, ok := slices.BinarySearch(f.Values, text); ok {
				b.code[i] = int32(at)
			}
		}
		codes = append(codes, b)
	}
	out := graph.Features{Dim: len(numeric)}
	for _, b := range codes {
		out.Codes = append(out.Codes, max(len(b.Values), 1))
	}
	if out.Dim > 0 {
		out.Dense = make([]float32, 0, len(rows)*out.Dim)
	}
	if len(codes) > 0 {
		out.Code = make([]int32, 0, len(rows)*len(codes))
	}
	for _, r := range rows {
		for _, b := range numeric {
			out.Dense = append(out.Dense, b.number(r))
		}
		for _, b := range codes {
			out.Code = append(out.Code, b.category(r))
		}
	}
	return out, nil
}

func maxRow(rows []int32) int {
	if len(rows) == 0 {
		return -1
	}
	return int(slices.Max(rows))
}

// emptyColumn is a column of a field without a value.
func emptyColumn(f Field, rows int) *Column {
	c := &Column{Name: f.Name}
	if f.Numeric() {
		c.Value = make([]float64, rows)
		for i := range c.Value {
			c.Value[i] = math.NaN()
		}
		return c
	}
	c.Code = make([]int32, rows)
	for i := range c.Code {
		c.Code[i] = -1
	}
	return c
}

// block is a field with the column of a set.
type block struct {
	Field
	column *Column
	code   []int32 // of the field for each text of the column
}

func (b block) number(row int32) float32 {
	v := b.column.Value[row]
	if math.IsNaN(v) {
		return 0
	}
	return float32(min(max((v-b.Mean)/b.Scale, -maxDeviation), maxDeviation))
}

// category is the code of a row, or -1; of a numeric field, 0 where it is missing.
func (b block) category(row int32) int32 {
	if b.Numeric() {
		if math.IsNaN(b.column.Value[row]) {
			return 0
		}
		return -1
	}
	if c := b.column.Code[row]; c >= 0 {
		return b.code[c]
	}
	return -1
}
