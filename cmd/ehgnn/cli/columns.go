package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/source"
)

// showColumns shows on standard error what a training reads from tables: as lines, or with --json as
// a log record for each column.
func (a *app) showColumns(s source.Summary) error {
	t, ok := s.(source.TableSummary)
	if !ok || !a.log.Enabled(context.Background(), slog.LevelInfo) {
		return nil
	}
	if !a.json {
		return sanitize.Write(a.Stderr, func(w io.Writer) error { return t.Head(w, lineWidth(a.screen)) })
	}
	a.log.Info(t.Decided, "nodes", t.NumNodes, "edges", t.NumEdges, "directed", t.Directed)
	for _, table := range t.Info.Tables {
		for _, c := range table.Columns {
			a.log.Info("column", columnAttributes(table, c)...)
		}
	}
	return nil
}

// columnAttributes returns the attributes of a column, named as in data info --json.
func columnAttributes(t tables.TableInfo, c tables.TableColumn) []any {
	out := []any{"of", t.Of, "name", c.Name, "role", c.Role, "missing", c.Missing}
	add := func(name string, value any, is bool) {
		if is {
			out = append(out, name, value)
		}
	}
	add("kind", c.Kind, c.Kind != "")
	add("notation", c.Notation.String(), c.Notation != nil)
	if c.Min != nil {
		out = append(out, "min", *c.Min, "max", *c.Max)
	}
	add("first", c.First, c.First != "")
	add("last", c.Last, c.Last != "")
	add("different", c.Different, c.Different > 0)
	add("left_out", c.LeftOut, c.LeftOut != "")
	add("flag", c.Flag, c.Flag != "")
	return out
}
