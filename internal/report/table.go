package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Table is a result in columns of the same length n: row i of every column describes the same
// graph, node or edge.
type Table struct {
	Columns []Column
}

// kind is the kind of values in a Column.
type kind int

const (
	kindNone kind = iota
	kindStrings
	kindInts
	kindFloats
	kindVectors
	kindCells
)

// Column is a named column. Make it with Strings, Ints, Floats or Vectors; these set the kind, so
// that a table without rows still has columns.
type Column struct {
	Name string

	kind     kind
	strings  []string
	optional bool // an empty text is missing
	ints     []int64
	numbers  []float64 // of Cells; NaN if the text is empty
	floats   []float32 // of Vectors: n rows of width numbers
	width    int
}

// Strings returns a column of n texts, which must be UTF-8.
func Strings(name string, values []string) Column {
	return Column{Name: name, kind: kindStrings, strings: values}
}

// Optional returns a column of n texts in which an empty text is missing: null in Parquet and JSON,
// empty in CSV.
func Optional(name string, values []string) Column {
	c := Strings(name, values)
	c.optional = true
	return c
}

// Ints returns a column of n whole numbers. The values are copied.
func Ints[T int | int32 | int64](name string, values []T) Column {
	ints := lists.Convert[int64](values)
	return Column{Name: name, kind: kindInts, ints: ints}
}

// Floats returns a column of n numbers. NaN is a missing value, for example an unknown label.
func Floats(name string, values []float32) Column {
	return Column{Name: name, kind: kindFloats, floats: values}
}

// Cells returns a column of n texts of a user's table, in which an empty text is missing. If all other
// texts are numbers, it is a column of numbers, which CSV and JSON write as they are.
func Cells(name string, texts []string) Column {
	numbers, any := make([]float64, len(texts)), false
	for i, text := range texts {
		numbers[i] = math.NaN()
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !plainNumber.MatchString(text) || len(text) > mostDigits {
			return Optional(name, texts)
		}
		numbers[i], any = v, true
	}
	if !any {
		return Optional(name, texts)
	}
	return Column{Name: name, kind: kindCells, strings: texts, numbers: numbers, optional: true}
}

// plainNumber matches numbers without an exponent that are valid JSON: codes with leading zeros are
// not. mostDigits keeps numbers with more digits than a float64 holds as texts.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

const mostDigits = 15

// Vectors returns a column of n vectors of width numbers; values holds them one after another, like
// a tensor of shape [n, width]. Writing a table with width 0 is an error, because n is unknown.
func Vectors(name string, values []float32, width int) Column {
	return Column{Name: name, kind: kindVectors, floats: values, width: width}
}

// Width is the width of the vectors of a column, 0 for other columns.
func (c Column) Width() int { return c.width }

// Values returns the numbers of a column of numbers or vectors, without a copy.
func (c Column) Values() []float32 { return c.floats }

// MayLack reports whether a value may be missing (Optional).
func (c Column) MayLack() bool { return c.optional }

// Texts returns the values of a column of texts or whole numbers as in CSV, without quotes.
func (c Column) Texts() []string {
	if c.kind != kindInts {
		return c.strings
	}
	return lists.Map(c.ints, func(v int64) string { return strconv.FormatInt(v, 10) })
}

// Rows is the number of rows, or 0 if the columns have different lengths.
func (t *Table) Rows() int {
	rows, _ := t.check()
	return rows
}

// rows is the length of a checked column.
func (c *Column) rows() int {
	switch c.kind {
	case kindStrings, kindCells:
		return len(c.strings)
	case kindInts:
		return len(c.ints)
	case kindFloats:
		return len(c.floats)
	default:
		return len(c.floats) / c.width
	}
}

// vector is row i of a column of vectors.
func (c *Column) vector(i int) []float32 { return c.floats[i*c.width : (i+1)*c.width] }

// check returns the number of rows, or an error if this is not a table.
func (t *Table) check() (rows int, err error) {
	if len(t.Columns) == 0 {
		return 0, fmt.Errorf("the table has no columns")
	}
	seen := make(map[string]bool, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		if err := c.check(); err != nil {
			return 0, fmt.Errorf("column %q: %w", c.Name, err)
		}
		if seen[c.Name] {
			return 0, fmt.Errorf("column %q is there twice", c.Name)
		}
		seen[c.Name] = true
		if i == 0 {
			rows = c.rows()
		} else if n := c.rows(); n != rows {
			return 0, fmt.Errorf("column %q has %d rows, column %q has %d", c.Name, n, t.Columns[0].Name, rows)
		}
	}
	return rows, nil
}

func (c *Column) check() error {
	switch {
	case c.kind == kindNone:
		return fmt.Errorf("no values: columns are made by Strings, Ints, Floats or Vectors")
	case c.Name == "" || !utf8.ValidString(c.Name):
		return fmt.Errorf("the name is empty or not UTF-8")
	case c.kind == kindVectors && c.width < 1:
		return fmt.Errorf("vectors of width %d, expected 1 or more", c.width)
	case c.kind == kindVectors && len(c.floats)%c.width != 0:
		return fmt.Errorf("%d values are no whole number of vectors of width %d", len(c.floats), c.width)
	}
	for i, s := range c.strings {
		if !utf8.ValidString(s) {
			return fmt.Errorf("row %d, %q, is not UTF-8", i, s)
		}
	}
	return nil
}

// AppendFloat appends v in the fewest digits that read back as the same float32, with an exponent
// by the rule of encoding/json.
func AppendFloat(b []byte, v float32) []byte {
	format := byte('f')
	if abs := max(v, -v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, float64(v), format, -1, 32)
}
