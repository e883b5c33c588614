package session

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// ColumnNames are the names of the columns that model.Auto reads (model.EdgeRows), for people.
func ColumnNames(s *settings.Settings) []string {
	e := s.Data.Tables.Encoder
	numbers, codes := fieldNames(e.Edges)
	out := append([]string{}, numbers...)
	for _, f := range e.Structure {
		out = append(out, ColumnTitle(f.Name))
	}
	if e.Times != nil {
		for _, f := range e.Times.Fields {
			out = append(out, ColumnTitle(f.Name))
		}
	}
	out = append(out, codes...)
	if s.Model.Auto().NodeColumns > 0 {
		numbers, codes := fieldNames(e.Nodes)
		for _, end := range []string{"source", "target"} {
			for _, name := range append(append([]string{}, numbers...), codes...) {
				out = append(out, name+" of the "+end)
			}
		}
	}
	classes := s.Model.Out
	if s.Model.Auto().Number {
		classes = 0
	}
	for _, c := range columns.Names(&columns.Graph{Classes: classes, Of: s.Model.Auto().LabelClasses}, s.Target.Classes) {
		out = append(out, c.Text)
	}
	return out
}

// fieldNames are the names of the features that fields become: numbers, and one for each category.
func fieldNames(fs []schema.Field) (numbers, codes []string) {
	for _, f := range fs {
		switch {
		case f.Numeric() && f.Gaps:
			codes = append(codes, f.Name+" is missing")
			fallthrough
		case f.Numeric():
			numbers = append(numbers, f.Name)
		case len(f.Values) == 0:
			codes = append(codes, f.Name)
		}
		if !f.Numeric() {
			for _, v := range f.Values {
				codes = append(codes, fmt.Sprintf("%s = %s", f.Name, v))
			}
		}
	}
	return numbers, codes
}

// ColumnTitle is the name of a column of structure or time for people.
func ColumnTitle(name string) string { return strings.ReplaceAll(name, "_", " ") }
