package report

import "strings"

// A program for tables takes a cell of CSV that begins with =, +, - or @ for a formula, and runs it.

// SpreadsheetSafe is a text that such a program shows as it is: where it would be a formula it begins
// with an apostrophe. A number stays.
func SpreadsheetSafe(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
		return "'" + text
	}
	return text
}

// SpreadsheetSafe is the table with its texts and the names of its columns safe for such a program.
func (t *Table) SpreadsheetSafe() *Table {
	out := &Table{Columns: make([]Column, len(t.Columns))}
	for i, c := range t.Columns {
		c.Name = SpreadsheetSafe(c.Name)
		if c.kind == kindStrings {
			texts := make([]string, len(c.strings))
			for k, text := range c.strings {
				texts[k] = SpreadsheetSafe(text)
			}
			c.strings = texts
		}
		out.Columns[i] = c
	}
	return out
}
