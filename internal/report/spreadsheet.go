package report

import (
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// A spreadsheet program treats a CSV cell that begins with =, +, - or @ as a formula and executes it.

// SpreadsheetSafe is a text that spreadsheet programs show unchanged: a text that would be a formula
// gets an apostrophe at the start. Numbers are not changed.
func SpreadsheetSafe(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
		return "'" + text
	}
	return text
}

// SpreadsheetSafe is the table with texts and column names that are safe for spreadsheet programs.
func (t *Table) SpreadsheetSafe() *Table {
	out := &Table{Columns: make([]Column, len(t.Columns))}
	for i, c := range t.Columns {
		c.Name = SpreadsheetSafe(c.Name)
		if c.kind == kindStrings {
			c.strings = lists.Map(c.strings, SpreadsheetSafe)
		}
		out.Columns[i] = c
	}
	return out
}
