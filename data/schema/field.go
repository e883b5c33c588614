package schema

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// MaxValues is how many categories of a field are kept: the most frequent ones of the training
// part. Other categories are encoded as unseen.
const MaxValues = 256

// Unseen is the code of a category that no training row has.
const Unseen = -2

// FieldKind is the kind of values of a field.
type FieldKind string

// The kinds of fields.
const (
	KindNumber   FieldKind = "number"
	KindCode     FieldKind = "code"     // a whole number that names a category
	KindCategory FieldKind = "category" // a text that names a category
	KindDegree   FieldKind = "degree"   // degree of the node, if the data have no features
	KindConstant FieldKind = "constant" // 1, if the data have no features
	// KindStructure is a structure column of an edge, as named by package structure.
	KindStructure FieldKind = "structure"
	// KindTime is a time column of an edge, as named by package tables.
	KindTime FieldKind = "time"
)

// Field is a column of node or edge attributes of a trained model, and its conversion to features.
type Field struct {
	Name string    `json:"name"`
	Kind FieldKind `json:"kind,omitempty"`
	// Width is the number of one-hot columns of codes. Offset is subtracted from a label to get its
	// code.
	Width  int `json:"width,omitempty"`
	Offset int `json:"offset,omitempty"`
	// Values are the categories in the order of their codes, which is ascending.
	Values []string `json:"values,omitempty"`
	// Separator separates the Values in a cell that is a set (see IsSet): a text, or ListSeparator. It is empty for a category.
	Separator string `json:"separator,omitempty"`
	// Mean and Scale standardise a number; Scale is the standard deviation, or 1 if it is 0. A Scale
	// of 0 means no standardisation. Gaps says that a separate column marks missing numbers.
	Mean  float64 `json:"mean,omitempty"`
	Scale float64 `json:"scale,omitempty"`
	Gaps  bool    `json:"gaps,omitempty"`
	// Date is the attribute with the dates of the times of day in this one; empty if there is none.
	Date string `json:"date,omitempty"`
	// Notation is the notation of new cells; nil for a computed field.
	Notation *Notation `json:"notation,omitempty"`
}

// Numeric reports whether the field holds numbers.
func (f *Field) Numeric() bool { return f.Kind == KindNumber }

// Standard is a number as a feature: standardised, and 0 if it is missing.
func (f *Field) Standard(v float64) float32 {
	switch {
	case math.IsNaN(v):
		return 0
	case f.Scale == 0:
		return float32(v)
	}
	return float32(min(max((v-f.Mean)/f.Scale, -data.MaxDeviation), data.MaxDeviation))
}

// Gap is the code of a number in the feature that marks missing numbers.
func Gap(v float64) int32 {
	if math.IsNaN(v) {
		return 0
	}
	return -1
}

// Layout is the form of the features of fields, without rows: numbers first, then codes.
func Layout(fs []Field) graph.Features {
	if len(fs) == 0 {
		return graph.Ones(0)
	}
	var out graph.Features
	for _, f := range fs {
		if f.Numeric() {
			out.Dim++
		}
		out.Codes = append(out.Codes, f.CodeWidths()...)
	}
	return out
}

// Fit fits a field to some rows of a column; ok is false if none of them has a value.
func Fit(c *Column, rows []int32) (f Field, ok bool) {
	f = Field{Name: c.Name, Kind: KindCategory, Date: c.Date, Notation: c.Notation}
	if c.Numeric() {
		n := 0
		f.Kind = KindNumber
		f.Mean, f.Scale, n = MeanScale(c.Value, rows)
		f.Gaps = n < len(rows)
		return f, n > 0
	}
	f.measure(c.Text, c.Counts(rows), c.Single)
	return f, f.Width > 0
}

// MeanScale returns the mean and the standard deviation (1 if it is 0) over the rows that are not
// NaN, and the number of these rows.
func MeanScale(value []float64, rows []int32) (mean, scale float64, n int) {
	each := func(f func(float64)) {
		for _, r := range rows {
			if v := value[r]; !math.IsNaN(v) {
				f(v)
			}
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	each(func(v float64) { n, mean, lo, hi = n+1, mean+v, min(lo, v), max(hi, v) })
	switch {
	case n == 0:
		return 0, 1, 0
	case lo == hi: // compares values, because rounding gives a constant a small deviation
		return lo, 1, n
	}
	mean /= float64(n)
	each(func(v float64) { scale += (v - mean) * (v - mean) })
	if scale = math.Sqrt(scale / float64(n)); scale == 0 { // squares of very small numbers are 0
		scale = 1
	}
	return mean, scale, n
}

// frequent returns the most frequent categories, sorted; categories with count 0 are left out.
func frequent(texts []string, count []int) []string {
	codes := lists.Where[int](count, func(_ int, n int) bool { return n > 0 })
	slices.SortFunc(codes, func(a, b int) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(texts[a], texts[b]))
	})
	out := lists.Take(texts, codes[:min(len(codes), MaxValues)])
	slices.Sort(out)
	return out
}

// FieldReader reads cells of new data like those of a field in training. Several goroutines may use
// it.
type FieldReader struct {
	n         Notation
	missing   wordSet
	code      map[string]int32
	values    int
	separator string // of a set
}

// NewFieldReader returns the reader of a field.
func NewFieldReader(f *Field) *FieldReader {
	r := &FieldReader{n: f.notation(), values: len(f.Values), separator: f.Separator}
	r.missing = newWordSet(r.n.Missing)
	r.code = make(map[string]int32, len(f.Values))
	for i, v := range slices.Backward(f.Values) { // the first of equal keys
		r.code[r.n.keyOf(TextCell(v))] = int32(i)
	}
	return r
}

// trimmed is a cell without blanks around its text.
func trimmed(c Cell) Cell {
	if c.Kind == Text {
		c.Text = Trim(c.Text)
	}
	return c
}

// Missing reports whether a cell has no value.
func (r *FieldReader) Missing(c Cell) bool {
	return r.missing.missingCell(trimmed(c))
}

// Number is the number of a cell, or seconds since 1970 if the field holds times; NaN if it is
// missing. The error describes the problem without its place.
func (r *FieldReader) Number(c Cell) (float64, error) {
	c = trimmed(c)
	if r.Missing(c) {
		return math.NaN(), nil
	}
	switch c.Kind {
	case Text:
		if r.n.Time != "" {
			return r.time(c.Text)
		}
		return r.n.number(c.Text)
	case Time:
		if r.n.Time == "" || r.n.Time == plainTime {
			return 0, fmt.Errorf("is the time %s, expected a number", c)
		}
		return c.Number, nil
	}
	v := c.Number
	if !(math.Abs(v) <= math.MaxFloat32) {
		return 0, fmt.Errorf("is %s, expected a finite number", c)
	}
	if r.n.Time == "" {
		return v, nil
	}
	if c.Kind == Boolean {
		return 0, fmt.Errorf("is %s, expected a time", c)
	}
	return r.number(v, c.String())
}

// number is the time of a number.
func (r *FieldReader) number(v float64, text string) (float64, error) {
	seconds, ok := secondsIn(v, r.n.Time)
	switch k := unitAt(v); {
	case !ok:
		return 0, fmt.Errorf("is %s, expected a date as 20240131", text)
	case k >= 0 && isUnit(r.n.Time) && r.n.Time != plainTime && r.n.Time != compact && r.n.Time != units[k].name:
		return 0, fmt.Errorf("is %s, as %s are, expected %s, as in training", Shown(text), describeTime(units[k].name), describeTime(r.n.Time))
	}
	return seconds, nil
}

// time parses a text that is a time.
func (r *FieldReader) time(text string) (float64, error) {
	if isUnit(r.n.Time) && r.n.Time != compact {
		n, ok := scanNumber(text)
		v, finite := n.value(withPoint)
		if !ok || n.marks&withPoint == 0 || !finite {
			return 0, fmt.Errorf("is %s, expected a number, as times had in training", Shown(text))
		}
		return r.number(v, text)
	}
	if t, ok := parseTime(text, r.n.Time); ok {
		return t, nil
	}
	return 0, fmt.Errorf("is %s, expected a time written as in training: %s", Shown(text), describeTime(r.n.Time))
}

// Code is the index of a cell's category in Field.Values: -1 if it is missing, Unseen if it is not
// there.
func (r *FieldReader) Code(c Cell) (int32, error) {
	c = trimmed(c)
	if r.Missing(c) {
		return -1, nil
	}
	if k, ok := r.code[r.n.keyOf(c)]; ok {
		return k, nil
	}
	if c.Kind == Boolean { // in a column of 1 and 0
		if k, ok := r.code[formatNumber(c.Number)]; ok {
			return k, nil
		}
	}
	return Unseen, checkWord(c)
}

// Key is the form of a category in which categories are compared; empty if it is missing.
func (r *FieldReader) Key(c Cell) string {
	if r.Missing(c) {
		return ""
	}
	return strings.Clone(r.n.keyOf(trimmed(c)))
}

// checkWord returns an error for a text that is not a category.
func checkWord(c Cell) error {
	if c.Kind == Text && !utf8.ValidString(c.Text) {
		return fmt.Errorf("is %s, expected UTF-8 text", Shown(c.Text))
	}
	return nil
}
