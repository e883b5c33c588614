package tables

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Files are names of files. The JSON of one file is its name.
type Files []string

// NoFiles as the names of node tables says that there is none, although convention would find one.
var NoFiles = Files{None}

// None reports whether the names are NoFiles.
func (f Files) None() bool { return len(f) == 1 && f[0] == None }

// MarshalJSON writes one name as text, and several as a list.
func (f Files) MarshalJSON() ([]byte, error) {
	if len(f) == 1 {
		return json.Marshal(f[0])
	}
	return json.Marshal([]string(f))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Files) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(f))
	}
	*f = Files{""}
	return json.Unmarshal(text, &(*f)[0])
}

// bothEnds is the end of a node table that lists the nodes of both ends of edges.
const bothEnds = -1

// settleNodes decides which nodes the tables of nodes list: the nodes of both ends of edges or, by the names of their
// id columns or files, those of one end. For example, movies.csv with a column movieId, or id, lists one end of edges
// with userId and movieId. Ids may have the name of an end, or of what both ends are, even if there is only one kind of
// node. Two tables list the nodes of one end each, and are sorted by end.
func (o *Options) settleNodes(nodes []*openTable, edges *openTable) error {
	two := len(nodes) == 2
	for _, t := range nodes {
		t.end = bothEnds
	}
	switch {
	case len(nodes) == 0:
		return nil
	case len(nodes) > 2:
		return fmt.Errorf("there are %d tables of nodes, %s, expected one of all nodes, or two, of the nodes of each end of edges", len(nodes), filesOf(nodes))
	case o.known != nil && two != o.NodesOfBoth:
		return fmt.Errorf("%s: expected as many tables of nodes as in training, %s", filesOf(nodes), map[bool]string{false: "one", true: "two"}[o.NodesOfBoth])
	case o.known != nil && two:
		return o.settleTables(nodes)
	case o.known != nil:
		nodes[0].end = o.end(o.NodesOf)
		return nil
	}
	h, e := newHeader(edges.file, edges.reader.Columns()), *o
	if e.Label != "" && h.find(e.Label) < 0 {
		e.Level = OfNodes // as settleLevel will decide
	}
	err := e.edgeRoles(h)
	if err == nil && h.at[graphID] >= 0 {
		err = h.errorf("column %q names graphs within which ids count, and there are two tables of nodes, expected one", h.name(graphID))
	}
	ends := Kinds{h.name(source), h.name(target)}
	switch {
	case !two && err == nil:
		o.settleTable(nodes[0], ends)
		return nil
	case !two: // reading the edges will report the error
		return nil
	case err != nil:
		return err
	case o.Form != data.Auto && !o.Bipartite && o.Kinds == Kinds{}:
		return fmt.Errorf("%s list the nodes of two kinds, and --edges says that an id is one node at both ends of edges: expected --edges bipartite or none", filesOf(nodes))
	}
	o.Kinds, o.NodesOfBoth = ends, true
	return o.settleTables(nodes)
}

// settleTables decides which of two node tables lists the nodes of which end, and sorts them by end.
func (o *Options) settleTables(nodes []*openTable) (err error) {
	for _, t := range nodes {
		if t.end, t.id, err = o.NodesEnd(t.file, t.reader.Columns()); err != nil {
			return err
		}
	}
	if nodes[0].end == nodes[1].end {
		return fmt.Errorf("%s both list the nodes of %q, expected one table of each end of edges", filesOf(nodes), o.Kinds[nodes[0].end])
	}
	slices.SortFunc(nodes, func(a, b *openTable) int { return a.end - b.end })
	return nil
}

// filesOf returns the names of the files of tables.
func filesOf(tables []*openTable) string {
	return strings.Join(lists.Map(tables, func(t *openTable) string { return t.file }), " and ")
}

// settleTable decides which nodes the only node table lists.
func (o *Options) settleTable(t *openTable, ends Kinds) {
	n := newHeader(t.file, t.reader.Columns())
	two := o.Bipartite || o.Kinds != Kinds{} || o.Form == data.Auto && kindsOf(ends[0], ends[1]) != Kinds{}
	end, id := o.endOf(n, ends, two)
	if id != "" {
		o.NodeID = id
	}
	if two && end != bothEnds {
		o.NodesOf, o.Kinds, t.end = ends[end], ends, end
	}
	if o.NodeID == "" && o.nodeRoles(n) != nil {
		o.NodeID = namedAsBoth(n.names, ends)
	}
}

// NodesEnd returns the edge end whose nodes a node table lists, 0 for the source, 1 for the target and -1 for both, and
// its id column.
func (o *Options) NodesEnd(file string, columns []string) (end int, id string, err error) {
	if !o.NodesOfBoth {
		return o.end(o.NodesOf), o.NodeID, nil
	}
	n := newHeader(file, columns)
	if end, id = o.endOf(n, o.Kinds, true); end == bothEnds {
		return end, "", n.errorf("of which end of edges these are the nodes is not known: expected a column of ids called %q or %q, or ids in the column id and a file called as what one of them names; found %s", o.Kinds[0], o.Kinds[1], listed(columns))
	}
	if id == "" {
		if err := o.nodeRoles(n); err != nil {
			return end, "", err
		}
		id = n.name(nodeID)
	}
	return end, id, nil
}

// thingOf is what a column of ids identifies, for example "movie" for movieId.
func thingOf(name string) string {
	return strings.TrimSuffix(strings.Join(joinedWords(name), " "), " id")
}

// endOf returns the edge end whose nodes a table lists, or bothEnds, and the id column if it has the name of the end
// or, in a table without other ids, identifies the same thing, such as movie_id and movie. two says that the ends have
// two kinds.
func (o *Options) endOf(n *header, ends Kinds, two bool) (end int, id string) {
	end = bothEnds
	for k, name := range ends {
		c, thing, file := n.find(name), thingOf(name), strings.Join(wordsOf(NameOf(n.file)), " ")
		if c < 0 && o.nodeRoles(n) != nil {
			c = slices.IndexFunc(n.names, func(column string) bool { return thingOf(column) == thing })
		}
		switch {
		case n.find(ends[1-k]) >= 0:
		case c >= 0 && (o.NodeID == "" && (two || o.nodeRoles(n) != nil) || n.find(o.NodeID) == c):
			end, id = k, n.names[c]
		case two && c < 0 && (file == thing || file == thing+"s"):
			end = k
		}
	}
	return end, id
}

// end is the edge end whose ids identify things of a kind; bothEnds for none.
func (o *Options) end(kind string) int {
	if kind == "" {
		return bothEnds
	}
	return slices.Index(o.Kinds[:], kind)
}

// kindsListed reports whether node tables list the nodes of one edge end, so that ids get a kind during reading.
func (o *Options) kindsListed() bool { return o.NodesOf != "" || o.NodesOfBoth }

// listFiles records which files list the nodes of each end of edges.
func (l *loader) listFiles(nodes []*openTable) {
	l.nodes, l.tables = filesOf(nodes), nodes
	for _, t := range nodes {
		for end := range l.listedIn {
			if t.end == bothEnds || t.end == end {
				l.listedIn[end] = t.file
			}
		}
	}
}

// otherTableHas reports whether another node table has a column.
func (l *loader) otherTableHas(h *header, name string) bool {
	return slices.ContainsFunc(l.tables, func(t *openTable) bool {
		return t.file != h.file && newHeader(t.file, t.reader.Columns()).find(name) >= 0
	})
}

// noteKinds says which nodes the tables list if these are the nodes of one edge end.
func (l *loader) noteKinds() {
	o := &l.set.Options
	switch {
	case o.known != nil:
	case o.NodesOfBoth:
		l.note("%s lists the nodes of %q, %s those of %q; neither have the columns of the others", l.listedIn[0], o.Kinds[0], l.listedIn[1], o.Kinds[1])
	case o.NodesOf != "":
		l.note("%s lists the nodes of %q; those of the other end of edges have none of its columns (--edges directed: an id is one node at both ends)", l.nodes, o.NodesOf)
	}
}

// stackNodes appends the columns of a node table to those of the n nodes of the previous table. A column of both tables
// is one column, and both must have the same kind.
func (l *loader) stackNodes(h *header, n int, columns, keys []*Column, label *Column) (err error) {
	s := l.set
	if n == 0 {
		s.NodeColumns, s.NodeKeys, s.Label = columns, keys, label
		return nil
	}
	before, after := l.records[len(l.records)-2], l.records[len(l.records)-1]
	for c, name := range h.names {
		k := before.h.find(name)
		if k < 0 || h.roles[c] != feature || before.h.roles[k] != feature || s.Options.known != nil {
			continue
		}
		if is, was := readAs(after.column[c]), readAs(before.column[k]); is != was {
			return h.errorf("column %q is %s, and %s in %s: give it another name in one of them, or leave it out of both with --ignore", name, is, was, before.h.file)
		}
	}
	if label != nil && s.Label != nil && readAs(label) != readAs(s.Label) {
		return h.errorf("column %q of labels is %s, and %s in %s, expected labels of one kind", label.Name, readAs(label), readAs(s.Label), before.h.file)
	}
	if s.NodeColumns, err = stacked(s.NodeColumns, n, columns); err != nil {
		return err
	}
	if s.NodeKeys, err = stacked(s.NodeKeys, n, keys); err != nil || label == nil {
		return err
	}
	s.Label, err = joinLabels(s.Label, n, label, 0)
	return err
}

// stacked returns columns of n rows with further rows. Further columns have missing values in the first n rows.
func stacked(columns []*Column, n int, more []*Column) ([]*Column, error) {
	out := slices.Clone(columns)
	for _, c := range more {
		k := slices.IndexFunc(out, func(x *Column) bool { return schema.FoldName(x.Name) == schema.FoldName(c.Name) })
		if k < 0 {
			k, out = len(out), append(out, emptyColumn(c.Name, c.Numeric(), n))
		}
		var err error
		if out[k], err = joinColumn(out[k], c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readAs describes how a column was read, nil for one that is left out.
func readAs(c *Column) string {
	if c == nil {
		return "no feature"
	}
	kind := "text"
	switch {
	case c.Numeric() && c.Notation.String() != "":
		kind = "numbers (" + c.Notation.String() + ")"
	case c.Numeric():
		kind = "numbers"
	case c.Notation != nil && c.Notation.Boolean:
		kind = "true or false"
	}
	if c.Key {
		kind += " that identifies its rows"
	}
	return kind
}
