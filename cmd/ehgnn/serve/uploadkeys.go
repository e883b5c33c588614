package serve

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/source"
)

// keyColumn is a column of the edges that is copied to the reply: a column that identifies them or, if the
// reply is a table, any other.
type keyColumn struct {
	name   string
	at     int // index in the table
	own    bool
	values []string
}

// beginKeys finds the columns that identify edges and, if the reply is a table, the others in the order of
// the table.
func (u *upload) beginKeys(s *sheet) []keyColumn {
	is := func(name string, of ...string) bool {
		return slices.ContainsFunc(of, func(x string) bool { return strings.EqualFold(x, name) })
	}
	for at, name := range s.header {
		key := is(name, u.names.Keys...)
		if name == "" || is(name, u.names.Source, u.names.Target) || !key && (!u.d.keep || is(name, "score")) || s.optional(name) != at {
			continue
		}
		u.keys = append(u.keys, keyColumn{name: name, at: at, own: !key})
	}
	return u.keys
}

// addKeys reads the keys of a row.
func (u *upload) addKeys(keys []keyColumn, cells schema.Row) {
	for k := range keys {
		text := strings.TrimSpace(cells[keys[k].at].String())
		if keys[k].own {
			keys[k].values = append(keys[k].values, source.ValidText(strings.Clone(text)))
			continue
		}
		keys[k].values = append(keys[k].values, source.CellText(text))
	}
}

// naming returns the columns that name the edges in addition to their numbers: their ends and their keys.
func (u *upload) naming() []report.Column {
	ends := u.d.graph.Ends
	from, to := make([]string, len(ends)/2), make([]string, len(ends)/2)
	for e := range from {
		from[e], to[e] = u.ids[ends[2*e]], u.ids[ends[2*e+1]]
	}
	out := []report.Column{report.Strings("source", from), report.Strings("target", to)}
	for _, k := range u.keys {
		if k.own {
			out = append(out, report.Optional(k.name, k.values))
		} else {
			out = append(out, report.Strings(k.name, k.values))
		}
	}
	return out
}

// noteUnread makes remarks on the columns of a table that nothing reads.
func (u *upload) noteUnread(part string, s *sheet, c *columns, more ...string) {
	known := slices.Concat(more, u.names.Keys, u.names.Others, []string{"id", "edge", "edge_id"})
	out := lists.Filter(s.header, func(name string) bool {
		k, _ := c.names.Find([]byte(name))
		return k < 0 && !slices.ContainsFunc(known, func(x string) bool { return strings.EqualFold(x, name) })
	})
	if out != nil {
		u.remarks = append(u.remarks, part+": "+tables.NotRead(out))
	}
}
