package session

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Column is a column that model.Auto reads (model.EdgeRows).
type Column struct {
	Text  string // name in texts
	Field string // column of the data that it is made from (several columns may have the same, for example the values of a category), or Text
}

// ColumnNames returns the texts of Columns.
func ColumnNames(s *settings.Settings) (out []string) {
	for _, c := range Columns(s) {
		out = append(out, c.Text)
	}
	return out
}

// Columns lists the columns that a run's model.Auto reads, in order.
func Columns(s *settings.Settings) []Column {
	e := s.Data.Tables.Encoder
	numbers, codes := fieldColumns(e.Edges)
	out := append([]Column{}, numbers...)
	own := func(text string) { out = append(out, Column{text, text}) }
	for _, f := range e.Structure {
		own(structure.Title(f.Name))
	}
	if e.Times != nil {
		for _, f := range e.Times.Fields {
			own(tables.TimeTitle(f.Name))
		}
	}
	out = append(out, codes...)
	if s.Model.Auto().NodeColumns > 0 {
		numbers, codes := fieldColumns(e.Nodes)
		for _, end := range []string{" of the source", " of the target"} {
			for _, c := range append(append([]Column{}, numbers...), codes...) {
				out = append(out, Column{c.Text + end, c.Field + end})
			}
		}
	}
	classes := s.Model.Out
	if s.Model.Auto().Number {
		classes = 0
	}
	for _, c := range columns.Names(&columns.Graph{Classes: classes, Of: s.Model.Auto().LabelClasses}, s.Target.Classes) {
		own(c.Text)
	}
	return out
}

// fieldColumns lists the features that fields become: numbers, and one column for each category or member of a set.
func fieldColumns(fs []schema.Field) (numbers, codes []Column) {
	for _, f := range fs {
		switch {
		case f.Numeric() && f.Gaps:
			codes = append(codes, Column{f.Name + " is missing", f.Name})
			fallthrough
		case f.Numeric():
			numbers = append(numbers, Column{f.Name, f.Name})
		case len(f.Values) == 0:
			codes = append(codes, Column{f.Name, f.Name})
		}
		if !f.Numeric() {
			is := "="
			if f.IsSet() {
				is = "has"
			}
			for _, v := range f.Values {
				codes = append(codes, Column{fmt.Sprintf("%s %s %s", f.Name, is, v), f.Name})
			}
		}
	}
	return numbers, codes
}
