package tables

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// OwnColumn is a column of a table file, for results that include it: the text of each edge or
// node, empty if missing.
type OwnColumn struct {
	Name  string
	Texts []string
}

// ownColumns collects the columns of a table that results do not already have under another name: all
// except ids of nodes and graphs, the label and the part of a split.
type ownColumns struct {
	columns []OwnColumn
	at      []int               // in the table
	known   []map[string]string // for each column: texts that are stored once
	budget  *data.Budget
}

// mostShared is how many texts of a column are stored once, and cellBytes the memory of a cell without its letters.
const (
	mostShared = 1 << 10
	cellBytes  = 16
)

// newOwnColumns returns nil if the columns are not requested.
func newOwnColumns(h *header, keep bool, b *data.Budget) *ownColumns {
	if !keep {
		return nil
	}
	o := &ownColumns{budget: b}
	for c, r := range h.roles {
		switch r {
		case source, target, nodeID, graphID, label, splitPart:
			continue
		}
		if h.names[c] != "" {
			o.columns, o.at, o.known = append(o.columns, OwnColumn{Name: h.names[c]}), append(o.at, c), append(o.known, map[string]string{})
		}
	}
	return o
}

// add adds a row.
func (o *ownColumns) add(row schema.Row) error {
	for k, c := range o.at {
		text := row[c].String()
		kept, ok := o.known[k][text]
		if !ok {
			kept = strings.Clone(text) // the next row overwrites this memory
			if err := o.budget.Charge(int64(len(text)), "columns that are kept"); err != nil {
				return err
			}
			if len(o.known[k]) < mostShared {
				o.known[k][kept] = kept
			}
		}
		o.columns[k].Texts = append(o.columns[k].Texts, kept)
	}
	return o.budget.Charge(cellBytes*int64(len(o.at)), "columns that are kept")
}

// appendTo returns the columns appended to those of the n rows of a previous table; columns with the same name are joined.
func (o *ownColumns) appendTo(before []OwnColumn, n int) []OwnColumn {
	if n == 0 {
		return o.columns
	}
	out := slices.Clone(before)
	for _, c := range padOwn(o.columns, n) {
		k := slices.IndexFunc(before, func(b OwnColumn) bool { return schema.FoldName(b.Name) == schema.FoldName(c.Name) })
		if k < 0 {
			out = append(out, c)
			continue
		}
		copy(c.Texts, before[k].Texts)
		out[k].Texts = c.Texts
	}
	return out
}

// takeOwn returns the listed rows.
func takeOwn(columns []OwnColumn, rows []int32) {
	for k := range columns {
		columns[k].Texts = lists.Take(columns[k].Texts, rows)
	}
}

// padOwn puts rows without a text before those of columns.
func padOwn(columns []OwnColumn, before int) []OwnColumn {
	return lists.Map(columns, func(c OwnColumn) OwnColumn {
		return OwnColumn{Name: c.Name, Texts: append(make([]string, before), c.Texts...)}
	})
}
