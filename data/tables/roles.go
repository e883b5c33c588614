package tables

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/lists"
)

var (
	// Names by convention, as the words of a name: "is fraud" also matches is_fraud, isFraud and "Is Fraud?".
	idNames    = []string{"id", "node", "node id"}
	labelNames = []string{"label", "class", "y", "target", "is fraud", "fraud", "is laundering"}
	timeNames  = []string{"time", "timestamp", "datetime", "date", "date time", "unix time", "created at", "event time", "transaction time", "transaction date"}
	groupNames = []string{"group"}
	graphNames = []string{"graph", "graph id"}
	// edgeIDs number edges and are not features.
	edgeIDs = []string{"id", "edge", "edge id"}
)

// role is the role of a column.
type role int

const (
	feature role = iota
	ignored
	edgeID
	nodeID
	source
	target
	label
	moment
	momentDate // the date of the time of day in moment
	group
	splitPart
	graphID
	numRoles
)

// header assigns roles to the columns of one table.
type header struct {
	file  string
	names []string
	place map[string]int   // index of a name in the form of schema.FoldName
	words map[string][]int // columns by the words of their names, separated by blanks
	roles []role
	at    [numRoles]int // column of each role, -1 for none
	// absent recognises missing dates, if a column has the role momentDate.
	absent func(c schema.Cell) bool
}

func newHeader(file string, names []string) *header {
	h := &header{file: file, names: names, place: make(map[string]int, len(names)), words: map[string][]int{}, roles: make([]role, len(names))}
	for i := range h.at {
		h.at[i] = -1
	}
	for i, n := range slices.Backward(names) { // the first of equal names
		h.place[schema.FoldName(n)] = i
	}
	for i, n := range names {
		words := strings.Join(wordsOf(n), " ")
		h.words[words] = append(h.words[words], i)
	}
	return h
}

func (h *header) errorf(format string, args ...any) error {
	return &data.ParseError{File: h.file, Line: 1, Msg: fmt.Sprintf(format, args...)}
}

// name is the name of the column with a role, or None.
func (h *header) name(r role) string {
	if h.at[r] < 0 {
		return None
	}
	return h.names[h.at[r]]
}

// find is the column with a name, or -1.
func (h *header) find(name string) int {
	if c, ok := h.place[schema.FoldName(name)]; ok {
		return c
	}
	return -1
}

// conventional is the first column with some words and without another role, or -1.
func (h *header) conventional(words string) int {
	for _, c := range h.words[words] {
		if h.roles[c] == feature {
			return c
		}
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

// NotRead is the remark on columns of new data that no model reads.
func NotRead(names []string) string {
	return fmt.Sprintf("the model does not read the columns %s, which are not features of the training", listed(lists.Map(names, strconv.Quote)))
}

// nameSet is a set of names of columns.
type nameSet map[string]bool

func newNameSet(names []string) nameSet {
	s := make(nameSet, len(names))
	for _, n := range names {
		s[schema.FoldName(n)] = true
	}
	return s
}

func (s nameSet) has(name string) bool { return len(s) > 0 && s[schema.FoldName(name)] }

func (h *header) setRole(column int, r role) {
	h.roles[column] = r
	h.at[r] = column
}

// assign gives a role to the named column, or else to the first column by convention that has no
// role yet.
func (h *header) assign(r role, named string, names []string) error {
	switch named {
	case None:
		return nil
	case "":
		for _, n := range names {
			if c := h.conventional(n); c >= 0 {
				h.setRole(c, r)
				return nil
			}
		}
		return nil
	}
	c := h.find(named)
	if c < 0 && r == label {
		var err error
		if named, err = h.missingLabel(named); err != nil {
			return err
		}
	}
	if c < 0 {
		meant := ""
		if name := didyoumean.Name(named, h.names, 2); name != "" {
			meant = fmt.Sprintf("; did you mean %q?", name)
		}
		return h.errorf("there is no column %q, found %s%s", named, listed(h.names), meant)
	}
	if h.roles[c] != feature {
		return h.errorf("column %q has two roles", h.names[c])
	}
	h.setRole(c, r)
	return nil
}

// missingLabel returns the first column of a list of labels that the table does not have. It is an error if the table has all of
// them, or if a column is in the list twice.
func (h *header) missingLabel(list string) (string, error) {
	labels := SplitLabels(list)
	if len(labels) == 1 {
		return list, nil
	}
	found := lists.Map(labels, h.find)
	for i, c := range found {
		if c >= 0 && slices.Contains(found[:i], c) {
			return "", h.errorf("column %q is twice among the labels", labels[i])
		}
	}
	if k := slices.Index(found, -1); k >= 0 {
		return labels[k], nil
	}
	return "", &data.ParseError{File: h.file, Line: 1, Msg: "a model predicts one of the columns " + strings.Join(labels, ", "), Err: ErrSeveralLabels}
}

// ErrSeveralLabels is the error of several columns of labels of edges or nodes. A set has one.
var ErrSeveralLabels = errors.New("several labels")

// SplitLabels splits a list of label columns.
func SplitLabels(list string) []string {
	return lists.Map(strings.Split(list, ","), strings.TrimSpace)
}

// nodeRoles assigns the roles in a table of nodes.
func (o Options) nodeRoles(h *header) error {
	h.ignore(o.Ignore)
	if err := h.assign(nodeID, o.NodeID, idNames); err != nil {
		return err
	}
	// The name given for the graph column is that in the edges; the nodes may lack it.
	if c := h.find(o.Graph); o.Graph != "" && c >= 0 && h.roles[c] == feature {
		h.setRole(c, graphID)
	} else if err := h.assign(graphID, orNone(o.Graph), graphNames); err != nil {
		return err
	}
	if h.at[nodeID] >= 0 {
		return nil
	}
	return h.errorf("no column has the ids of nodes: expected one called %s, or one that --node-id names; found %s", strings.Join(idNames, ", "), listed(h.names))
}

// orNone is "" for "" and None for any other name.
func orNone(name string) string {
	if name == "" {
		return ""
	}
	return None
}

// edgeRoles assigns the roles in the table of edges.
func (o Options) edgeRoles(h *header) error {
	h.ignore(o.Ignore)
	// Columns named in the options get their roles first, so that none of them gets another role by
	// convention.
	roles := []struct {
		r     role
		named string
		names []string
	}{{source, o.Source, nil}, {target, o.Target, nil}, {label, o.Label, labelNames},
		{moment, o.Time, timeNames}, {group, o.Group, groupNames}, {splitPart, o.Part, nil}, {graphID, o.Graph, graphNames}}
	for i, x := range roles {
		if o.known != nil && ofLabels(x.r) && h.find(x.named) < 0 || o.Level == OfNodes && ofLabels(x.r) {
			roles[i].named = None
			continue
		}
		if err := h.assign(x.r, x.named, nil); err != nil {
			return err
		}
	}
	if err := h.ends(o); err != nil {
		return err
	}
	for _, x := range roles {
		if x.named == "" {
			if err := h.assign(x.r, "", x.names); err != nil {
				return err
			}
		}
	}
	kept := newNameSet(o.Features)
	for _, n := range edgeIDs {
		if c := h.conventional(n); c >= 0 && !kept.has(h.names[c]) {
			h.roles[c] = edgeID
		}
	}
	return nil
}

// ofLabels reports whether a role belongs to the level of the labels, edges or nodes.
func ofLabels(r role) bool { return r == label || r == moment || r == group || r == splitPart }

// nameEdges stores the names of the chosen columns of the table of edges.
func (o *Options) nameEdges(h *header) {
	o.Source, o.Target, o.Graph = h.name(source), h.name(target), h.name(graphID)
	if o.Level == OfNodes {
		return
	}
	o.Label, o.Time, o.Group = h.name(label), h.name(moment), h.name(group)
	if h.at[momentDate] >= 0 {
		o.Date = h.name(momentDate)
	}
	if h.at[splitPart] >= 0 {
		o.Part = h.name(splitPart)
	}
}

// ignore leaves columns out; a table may lack them, because the other table may have them.
func (h *header) ignore(names []string) {
	for _, n := range names {
		if c := h.find(n); c >= 0 {
			h.roles[c] = ignored
		}
	}
}
