package tables

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
)

// Format is Info.Format of the sets of this package.
const Format = "tables"

// None as the name of a column says that there is none, although one would be
// taken by convention.
const None = "-"

// Options say what the columns are; the zero value takes them by convention. Names
// are compared without case.
type Options struct {
	// Nodes and Edges name the files, relative to the folder; empty for nodes and
	// edges with one of the known endings. Nodes may be None.
	Nodes, Edges string `json:",omitempty"`

	NodeID         string // of a node: id, node or node_id
	Source, Target string // ends of an edge: source, target; src, dst; from, to; ...
	Label          string // what is predicted: label, class, y, or target where that is no end
	Time           string // when an edge came to be: time, timestamp, date, ...
	Group          string // edges that belong together: group
	Part           string `json:",omitempty"` // the part of a split that an edge is in; none by convention
	Graph          string // graph within which ids count: graph or graph_id

	// Categories lists columns whose numbers are names of something, not amounts.
	Categories []string `json:",omitempty"`
	// Numbers lists columns that must be numeric: a text in them is an error.
	Numbers []string `json:",omitempty"`
	// Ignore lists columns that are not read.
	Ignore []string `json:",omitempty"`
	// Number says that the label is a number to estimate and not a class.
	Number bool
	// Form is the form of the graph. Auto is directed, but for a table that lists
	// every edge in both directions.
	Form data.Edges
	// MaxMemory is the memory, in bytes, that reading may take; 0 is
	// the bound of data.NewBudget.
	MaxMemory int64 `json:"-"`

	// optional says that label, time, group and part may be missing though they are named,
	// as in data to predict for.
	optional bool
}

// Lenient is the options with label, time, group and part as columns that may be missing though
// they are named, as in data to predict for.
func (o Options) Lenient() Options {
	o.optional = true
	return o
}

func (o Options) validate() error {
	if o.Form < data.Auto || o.Form > data.Undirected {
		return fmt.Errorf("tables: Options.Form is %d, expected Auto, Directed or Undirected", o.Form)
	}
	if o.MaxMemory < 0 {
		return fmt.Errorf("tables: Options.MaxMemory is %d, expected 0 or more", o.MaxMemory)
	}
	return nil
}

// endNames are the pairs of names for source and target, by precedence.
var endNames = [][2]string{{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"source", "destination"},
	{"sender", "receiver"}, {"source_id", "target_id"}, {"from_id", "to_id"}, {"u", "v"}}

var (
	idNames    = []string{"id", "node", "node_id"}
	labelNames = []string{"label", "class", "y", "target"}
	timeNames  = []string{"time", "timestamp", "datetime", "date"}
	groupNames = []string{"group"}
	graphNames = []string{"graph", "graph_id"}
	// edgeIDs number edges and are no features.
	edgeIDs = []string{"id", "edge", "edge_id"}
)

// role is what a column is for.
type role int

const (
	feature role = iota
	ignored
	nodeID
	source
	target
	label
	moment
	group
	splitPart
	graphID
	numRoles
)

// header assigns roles to the columns of one table.
type header struct {
	file  string
	names []string
	place map[string]int // of a name, as fold gives it
	roles []role
	at    [numRoles]int // the column of a role, -1 for none
}

func newHeader(file string, names []string) (*header, error) {
	h := &header{file: file, names: names, place: make(map[string]int, len(names)), roles: make([]role, len(names))}
	for i := range h.at {
		h.at[i] = -1
	}
	for i, n := range names {
		if n == "" {
			return nil, h.errorf("column %d has no name", i+1)
		}
		if h.find(n) >= 0 {
			return nil, h.errorf("two columns are called %q", n)
		}
		h.place[fold(n)] = i
	}
	return h, nil
}

func (h *header) errorf(format string, args ...any) error {
	return &data.ParseError{File: h.file, Line: 1, Msg: fmt.Sprintf(format, args...)}
}

// name is that of the column of a role, None without.
func (h *header) name(r role) string {
	if h.at[r] < 0 {
		return None
	}
	return h.names[h.at[r]]
}

// find is the column of a name, or -1.
func (h *header) find(name string) int {
	if c, ok := h.place[fold(name)]; ok {
		return c
	}
	return -1
}

// listed names some columns in an error.
func listed(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// fold is a name as it is compared, without case: equal for those that
// strings.EqualFold takes for equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && r != 'k' && r != 's' && r != 'K' && r != 'S' {
			return unicode.ToLower(r)
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// nameSet is a set of names of columns.
type nameSet map[string]bool

func newNameSet(names []string) nameSet {
	s := make(nameSet, len(names))
	for _, n := range names {
		s[fold(n)] = true
	}
	return s
}

func (s nameSet) has(name string) bool { return len(s) > 0 && s[fold(name)] }

func (h *header) give(column int, r role) {
	h.roles[column] = r
	h.at[r] = column
}

// assign gives a role to the column that is named, or else to the first by
// convention that has none yet.
func (h *header) assign(r role, named string, names []string) error {
	switch named {
	case None:
		return nil
	case "":
		for _, n := range names {
			if c := h.find(n); c >= 0 && h.roles[c] == feature {
				h.give(c, r)
				return nil
			}
		}
		return nil
	}
	c := h.find(named)
	if c < 0 {
		return h.errorf("there is no column %q, found %s", named, listed(h.names))
	}
	if h.roles[c] != feature {
		return h.errorf("column %q has two roles", h.names[c])
	}
	h.give(c, r)
	return nil
}

// need fails unless a role has its column.
func (h *header) need(r role, field string, names []string) error {
	if h.at[r] >= 0 {
		return nil
	}
	return h.errorf("no column for %s: expected one called %s, or one that the option %s names; found %s", field, strings.Join(names, ", "), field, listed(h.names))
}

// nodeRoles are the roles in the table of nodes.
func (o Options) nodeRoles(h *header) error {
	if err := h.ignore(o.Ignore); err != nil {
		return err
	}
	if err := h.assign(nodeID, o.NodeID, idNames); err != nil {
		return err
	}
	// A name given for the graph column is that in the edges; the nodes may lack it.
	if c := h.find(o.Graph); o.Graph != "" && c >= 0 && h.roles[c] == feature {
		h.give(c, graphID)
	} else if err := h.assign(graphID, orNone(o.Graph), graphNames); err != nil {
		return err
	}
	return h.need(nodeID, "NodeID", idNames)
}

// orNone is "" for "" and None for any other name.
func orNone(name string) string {
	if name == "" {
		return ""
	}
	return None
}

// edgeRoles are the roles in the table of edges.
func (o Options) edgeRoles(h *header) error {
	if err := h.ignore(o.Ignore); err != nil {
		return err
	}
	// Columns that the options name get their roles first, so that none of them gets
	// another one by convention.
	roles := []struct {
		r     role
		named string
		names []string
	}{{source, o.Source, nil}, {target, o.Target, nil}, {label, o.Label, labelNames},
		{moment, o.Time, timeNames}, {group, o.Group, groupNames}, {splitPart, o.Part, nil}, {graphID, o.Graph, graphNames}}
	for i, x := range roles {
		if o.optional && (x.r == label || x.r == moment || x.r == group || x.r == splitPart) && h.find(x.named) < 0 {
			roles[i].named = None
			continue
		}
		if err := h.assign(x.r, x.named, nil); err != nil {
			return err
		}
	}
	h.endsByConvention(o)
	for _, x := range roles {
		if x.named == "" {
			if err := h.assign(x.r, "", x.names); err != nil {
				return err
			}
		}
	}
	for _, n := range edgeIDs {
		if c := h.find(n); c >= 0 && h.roles[c] == feature {
			h.roles[c] = ignored
		}
	}
	if err := h.need(source, "Source", []string{"source", "src", "from", "sender", "u"}); err != nil {
		return err
	}
	return h.need(target, "Target", []string{"target", "dst", "to", "receiver", "v"})
}

// nameEdges names the columns that were taken in the table of edges.
func (o *Options) nameEdges(h *header) {
	o.Source, o.Target, o.Label, o.Time, o.Group, o.Graph = h.name(source), h.name(target), h.name(label), h.name(moment), h.name(group), h.name(graphID)
	if h.at[splitPart] >= 0 {
		o.Part = h.name(splitPart)
	}
}

// endsByConvention takes the first pair of names that fits what was named.
func (h *header) endsByConvention(o Options) {
	fits := func(r role, named, name string) int {
		if named != "" {
			return h.at[r]
		}
		if c := h.find(name); c >= 0 && h.roles[c] == feature {
			return c
		}
		return -1
	}
	for _, pair := range endNames {
		s, t := fits(source, o.Source, pair[0]), fits(target, o.Target, pair[1])
		if s >= 0 && t >= 0 && s != t {
			h.give(s, source)
			h.give(t, target)
			return
		}
	}
}

// ignore leaves columns out; a table may lack them, as the other may have them.
func (h *header) ignore(names []string) error {
	for _, n := range names {
		if c := h.find(n); c >= 0 {
			h.roles[c] = ignored
		}
	}
	return nil
}
