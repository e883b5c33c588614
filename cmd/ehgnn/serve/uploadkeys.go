package serve

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/report"
)

// keyColumn is a column that identifies the edges of a table.
type keyColumn struct {
	name   string
	at     int // its place in the table
	values []string
}

// beginKeys finds the columns that identify edges.
func (u *upload) beginKeys(s *sheet) []keyColumn {
	for _, name := range u.names.Keys {
		if at := s.optional(name); at >= 0 && !strings.EqualFold(name, u.names.Source) && !strings.EqualFold(name, u.names.Target) {
			u.keys = append(u.keys, keyColumn{name: s.header[at], at: at})
		}
	}
	return u.keys
}

// addKeys reads the keys of a row.
func (u *upload) addKeys(keys []keyColumn, cells schema.Row) {
	for k := range keys {
		text := strings.TrimSpace(cells[keys[k].at].String())
		if schema.IsMissing(text) {
			text = ""
		}
		keys[k].values = append(keys[k].values, strings.ToValidUTF8(schema.WholeOf(text), "\uFFFD"))
	}
}

// naming are the columns that name the edges, beside their numbers: their ends and their keys.
func (u *upload) naming() []report.Column {
	ends := u.d.graph.Ends
	from, to := make([]string, len(ends)/2), make([]string, len(ends)/2)
	for e := range from {
		from[e], to[e] = u.ids[ends[2*e]], u.ids[ends[2*e+1]]
	}
	out := []report.Column{report.Strings("source", from), report.Strings("target", to)}
	for _, k := range u.keys {
		out = append(out, report.Strings(k.name, k.values))
	}
	return out
}

// strange remarks on the columns of a table that nothing reads.
func (u *upload) strange(part string, s *sheet, c *columns, more ...string) {
	known := slices.Concat(more, u.names.Keys, u.names.Others, []string{"id", "edge", "edge_id"})
	var out []string
	for _, name := range s.header {
		if k, _ := c.names.Find([]byte(name)); k < 0 && !slices.ContainsFunc(known, func(x string) bool { return strings.EqualFold(x, name) }) {
			out = append(out, name)
		}
	}
	if out != nil {
		u.remarks = append(u.remarks, part+": "+tables.NotRead(out))
	}
}
