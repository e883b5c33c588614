package schema

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Column is a column of features or labels as read, row by row.
type Column struct {
	Name string
	// Value holds the numbers of a numeric column, NaN if missing; nil for a categorical column. Times
	// are seconds since 1970 (see Notation.Time).
	Value []float64
	// Code is the index in Text of each row's category, -1 if missing.
	Code []int32
	Text []string // categories in the order of their first rows
	// Notation says how its cells are written; nil if this is not known.
	Notation *Notation
	// Date is the attribute with the dates of the times of day in this one; empty if there is none.
	Date string
	// Key says that the column identifies its rows, so that it is not a feature.
	Key bool
	// Single says that each text is one category, also if it looks like a set (--categories).
	Single bool
}

// Numeric reports whether the column holds numbers.
func (c *Column) Numeric() bool { return c.Value != nil }

// Times reports whether the numbers of the column are times.
func (c *Column) Times() bool { return c.Notation != nil && c.Notation.Time != "" }

// Remark is a remark on a number or a time that may stand for a missing value.
func (c *Column) Remark() string {
	switch {
	case c.Key:
		return ""
	case c.Times() && c.Notation.Time == plainTime && mayBeExcelDays(c.Value):
		return "has numbers that may be days as spreadsheets count them, 45322 for 2024-01-31: --time-format excel reads them so"
	case c.Times():
		return standIn(c.Value, c.Notation.Time)
	}
	return standIn(c.Value, "")
}

// Take returns the column with only the listed rows.
func (c *Column) Take(rows []int32) {
	if c.Numeric() {
		c.Value = lists.Take(c.Value, rows)
		return
	}
	c.Code = lists.Take(c.Code, rows)
}

// Counts returns how many of some rows have each category.
func (c *Column) Counts(rows []int32) []int {
	count := make([]int, len(c.Text))
	for _, r := range rows {
		if c.Code[r] >= 0 {
			count[c.Code[r]]++
		}
	}
	return count
}

// AllCounts returns how many rows have each category.
func (c *Column) AllCounts() []int {
	count := make([]int, len(c.Text))
	for _, k := range c.Code {
		if k >= 0 {
			count[k]++
		}
	}
	return count
}

// Set returns the members of a column of sets, given the number of rows with each text, and the number of rows with
// each member. The separator is empty if the texts are categories.
func (c *Column) Set(count []int) (separator string, parts []string, rows []int) {
	f := Field{Notation: c.Notation}
	if f.measure(c.Text, count, c.Single); !f.IsSet() {
		return "", nil, nil
	}
	rows = make([]int, len(f.Values))
	n := f.notation()
	for k, text := range c.Text {
		for _, p := range n.parts(text, f.Separator) {
			if at, ok := slices.BinarySearch(f.Values, p); ok {
				rows[at] += count[k]
			}
		}
	}
	return f.Separator, f.Values, rows
}

// String is the value of a row as text, "" if it is missing.
func (c *Column) String(row int) string {
	switch {
	case !c.Numeric() && c.Code[row] < 0:
		return ""
	case !c.Numeric():
		return c.Text[c.Code[row]]
	case c.Times() && !math.IsNaN(c.Value[row]):
		return TimeCell(c.Value[row]).String()
	}
	return NumberCell(c.Value[row]).String()
}
