package source

import (
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// keyColumns returns the columns of a set that identify rows, for some rows.
func keyColumns(keys []*tables.Column, at []Place, row func(Place) int32) []report.Column {
	var out []report.Column
	for _, c := range keys {
		values := lists.Map(at, func(p Place) string { return CellText(c.String(int(row(p)))) })
		out = append(out, report.Strings(c.Name, values))
	}
	return out
}

// ownColumns returns the columns of files for some rows. Columns that identify rows come from keyColumns.
func ownColumns(own []tables.OwnColumn, keys []*tables.Column, at []Place, row func(Place) int32) []report.Column {
	var out []report.Column
	for _, c := range own {
		if k := slices.IndexFunc(keys, func(k *tables.Column) bool { return k.Name == c.Name }); k >= 0 {
			out = append(out, keyColumns(keys[k:k+1], at, row)...)
			continue
		}
		values := lists.Map(at, func(p Place) string { return ValidText(c.Texts[row(p)]) })
		out = append(out, report.Cells(c.Name, values))
	}
	return out
}

// KeyColumns returns the columns that identify rows in the data, or all columns of the data if they
// were kept. They are for a table with other columns, so their names are made unique.
func (p *Part) KeyColumns(items settings.Level, at []Place, others []report.Column) []report.Column {
	var out []report.Column
	if p.Own != nil {
		out = p.Own(items, at)
	}
	if out == nil && p.Keys != nil {
		out = p.Keys(items, at)
	}
	names := lists.Map(others, func(c report.Column) string { return c.Name })
	for k := range out {
		out[k].Name = FreeName(out[k].Name, names)
		names = append(names, out[k].Name)
	}
	return out
}

// resultNames are names of result columns that not all results have. A data column named label or part keeps its name
// if the results have no such column.
var resultNames = []string{"row", "graph", "node", "edge", "source", "target", "prediction", "probability", "set", "lower", "upper", "std", "score", "dropped", "cluster", "error", "vector"}

// FreeName is the name of a data column in a table of results: its own name, or with a number such
// as name.1 if a result column has this name. taken are the names in the table.
func FreeName(name string, taken []string) string {
	fold := schema.FoldName(name)
	is := func(x string) bool { return schema.FoldName(x) == fold }
	free := name
	for k := 1; slices.ContainsFunc(taken, is) || slices.ContainsFunc(resultNames, is); k++ {
		free = name + "." + strconv.Itoa(k)
		fold = schema.FoldName(free)
	}
	return free
}
