package tables

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// record has what the list of a table's columns needs and a Set does not have.
type record struct {
	h       *header
	first   int // for a table of nodes: the node of its first row
	end     int // see openTable.end
	left    []tablefile.Left
	rows    int
	example []string // first value of each column in the file
	typed   []bool   // for each column: its file says that it holds times
	waiting []int    // columns without an example so far
	unread  []int    // columns whose missing cells are counted here
	missing []int    // of each of them
	absent  func(c schema.Cell) bool
	column  []*Column
	why     []string // why a column is left out
}

func newRecord(h *header, o *Options) *record {
	n := len(h.names)
	r := &record{h: h, absent: schema.MissingAmong(o.Missing), example: make([]string, n), typed: make([]bool, n), missing: make([]int, n), column: make([]*Column, n), why: make([]string, n)}
	for c, x := range h.roles {
		r.waiting = append(r.waiting, c)
		if x == ignored || x == edgeID {
			r.unread = append(r.unread, c)
		}
	}
	return r
}

// row adds a row of the file.
func (r *record) row(row schema.Row) {
	r.rows++
	for _, c := range r.unread {
		if r.absent(row[c]) {
			r.missing[c]++
		}
	}
	if len(r.waiting) == 0 {
		return
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(c int) bool {
		if r.absent(row[c]) {
			return false
		}
		r.example[c], r.typed[c] = cut(strings.TrimSpace(row[c].String())), row[c].Kind == schema.Time
		return true
	})
}

// listTables lists the columns of the files that were read.
func (l *loader) listTables() {
	for _, r := range l.records {
		l.set.tables = append(l.set.tables, r.list(l.set))
	}
}

// list lists the columns of a table.
func (r *record) list(s *Set) TableInfo {
	out := TableInfo{File: r.h.file, Of: OfEdges, Rows: r.rows}
	if r.h.at[nodeID] >= 0 {
		out.Of = OfNodes
	}
	for c := range r.h.names {
		info := r.listed(s, c, out.Of).info()
		if r.typed[c] {
			info.Notation = nil // this program has written its texts, if any
		}
		out.Columns = append(out.Columns, info)
	}
	for _, x := range r.left { // in ascending order
		out.Columns = slices.Insert(out.Columns, min(x.At, len(out.Columns)), TableColumn{Name: x.Name, Role: RoleLeftOut, LeftOut: x.Why})
	}
	return out
}

// listed describes a column.
func (r *record) listed(s *Set, c int, of Level) listedColumn {
	l := listedColumn{name: r.h.names[c], role: RoleFeature, column: r.column[c], missing: r.missing[c], example: r.example[c], why: r.why[c]}
	switch r.h.roles[c] {
	case source:
		l.role, l.id, l.many, l.column = RoleSource, true, s.GraphIDs != nil, endColumn(s, 0)
	case target:
		l.role, l.id, l.many, l.column = RoleTarget, true, s.GraphIDs != nil, endColumn(s, 1)
	case nodeID:
		l.role, l.id, l.column = RoleID, true, &Column{Text: ids(s)[r.first:][:r.rows], Code: lists.Range[int32](r.rows)}
		if r.end != bothEnds {
			l.column.Text = lists.Map(l.column.Text, func(id string) string { return s.Options.Kinds.Cell(r.end, id) })
		}
	case graphID:
		l.role, l.id, l.column = RoleGraph, true, graphColumn(s, of)
	case label:
		l.role, l.column = RoleLabel, r.restricted(s.Label)
	case moment, momentDate:
		l.role, l.column = RoleTime, &Column{Value: s.Time, Notation: s.TimeNotation}
	case group:
		l.role, l.column = RoleGroup, &Column{Text: s.GroupNames, Code: s.Group}
	case splitPart:
		l.role, l.column = RolePart, r.restricted(partColumn(s))
	case edgeID:
		l.role, l.why, l.flag = RoleKey, "numbers the edges", schema.Flag("feature", l.name)
	case ignored:
		if l.role, l.why = RoleLeftOut, "is left out, as --ignore says"; !newNameSet(s.Options.Ignore).has(l.name) {
			l.why, l.flag = "is no feature", schema.Flag("feature", l.name)
		}
	default:
		r.feature(s, &l, of)
	}
	return l
}

// restricted is a column restricted to the rows of one of two node tables.
func (r *record) restricted(c *Column) *Column {
	if c == nil || max(len(c.Value), len(c.Code)) == r.rows {
		return c
	}
	one := *c
	one.Take(lists.Range[int32](r.first + r.rows)[r.first:])
	return &one
}

// feature describes a column without a role.
func (r *record) feature(s *Set, l *listedColumn, of Level) {
	switch c := l.column; {
	case c == nil:
		l.role = RoleLeftOut
	case c.Key:
		l.role, l.why = RoleKey, schema.KeyNote
		if len(c.Text) <= schema.MaxTexts {
			l.flag = schema.Flag("feature", l.name)
		}
	case of == OfEdges && !slices.Contains(s.EdgeColumns, c):
		l.role, l.why = RoleDirection, "says whether edges are directed"
	case of == OfEdges && c.Numeric() && weightNames.has(l.name):
		l.role = RoleWeight
	}
}

// ids returns the ids of the nodes in the file.
func ids(s *Set) []string {
	if s.GraphIDs == nil {
		return s.NodeIDs
	}
	out := make([]string, len(s.NodeIDs))
	for v, id := range s.NodeIDs {
		out[v] = strings.TrimPrefix(id, s.GraphIDs[s.GraphOf[v]]+"/")
	}
	return out
}

// endColumn is the source, or the target, of each edge.
func endColumn(s *Set, end int) *Column {
	c := &Column{Text: ids(s), Code: make([]int32, s.NumEdges())}
	if k := s.Options.Kinds; k[end] != "" {
		c.Text = lists.Map(c.Text, func(id string) string { return k.Cell(end, id) })
	}
	for e := range c.Code {
		c.Code[e] = s.Ends[2*e+end]
	}
	return c
}

// graphColumn is the graph of each node or edge.
func graphColumn(s *Set, of Level) *Column {
	c := &Column{Text: s.GraphIDs, Code: s.GraphOf}
	if of == OfEdges {
		c.Code = make([]int32, s.NumEdges())
		for e := range c.Code {
			c.Code[e] = s.GraphOf[s.Ends[2*e]]
		}
	}
	return c
}

// partColumn is the part of each edge.
func partColumn(s *Set) *Column {
	c := &Column{Text: []string{Train, Valid, Test}, Code: make([]int32, len(s.Part))}
	for e, p := range s.Part {
		c.Code[e] = int32(p)
	}
	return c
}
