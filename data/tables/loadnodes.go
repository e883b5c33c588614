package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// nodeName is a node as named in a row.
type nodeName struct{ graph, id, shown string }

// name reads a node in a row.
func (l *loader) name(r tablefile.Reader, h *header, row schema.Row, column int) (n nodeName, err error) {
	if n.id, err = row[column].ID(); err != nil {
		return n, errorAt(r, h, column, err)
	}
	n.id = l.whole.normalise(n.id)
	n.shown = n.id
	if g := h.at[graphID]; g >= 0 {
		n.graph = schema.WholeOf(strings.TrimSpace(row[g].String()))
		n.shown = n.graph + "/" + n.id
	}
	return n, nil
}

// key distinguishes nodes: graph "a", id "b/c" and graph "a/b", id "c" look the same.
func (l *loader) key(n nodeName) string {
	if l.graphs == nil {
		return n.id
	}
	return strconv.Itoa(len(n.graph)) + "/" + n.shown
}

// add returns the number of a node, which may be new.
func (l *loader) add(n nodeName) (int32, error) {
	key := l.key(n)
	v, err := l.ids.add(key)
	if err != nil {
		return 0, err
	}
	if s := l.set; int(v) == len(s.NodeIDs) {
		if err := l.folder.budget.Charge(nodeBytes, "nodes"); err != nil {
			return 0, err
		}
		key = l.ids.texts[v] // a copy, because the next row overwrites the key
		s.NodeIDs = append(s.NodeIDs, key[len(key)-len(n.shown):])
		if l.graphs != nil {
			g, err := l.graphs.add(n.graph)
			if err != nil {
				return 0, err
			}
			s.GraphOf = append(s.GraphOf, g)
		}
	}
	return v, nil
}

// readNodes reads a table of nodes.
func (l *loader) readNodes(nodes *openTable) error {
	var builders []*schema.Builder
	var labels *schema.Builder
	s, first := l.set, len(l.set.NodeIDs)
	h, err := l.table(tableReader{nodes, func(h *header) error { return l.nodeRoles(nodes, h) }, func(h *header) (err error) {
		if h.at[graphID] >= 0 {
			l.graphs = newVocabulary(l.folder.budget)
		}
		l.rowBytes = 0 // the node is charged instead
		if labels, _ = s.Options.roleBuilders(h, l.folder.budget, false); labels != nil {
			l.rowBytes += valueBytes
		}
		if h.at[splitPart] >= 0 {
			s.padParts(first)
		}
		builders, err = l.builders(h, slices.DeleteFunc(slices.Clone(s.Options.fields(OfNodes)), func(f schema.Field) bool {
			return h.find(f.Name) < 0 && l.otherTableHas(h, f.Name)
		}))
		return err
	}, func(r tablefile.Reader, h *header, row schema.Row) error {
		name, err := l.name(r, h, row, h.at[nodeID])
		if err != nil {
			return err
		}
		shown := name.shown
		name.ofKind(s.Options.Kinds, nodes.end)
		if n := len(l.ids.texts); n == math.MaxInt32 {
			return errorAt(r, h, h.at[nodeID], fmt.Errorf("names more than %d nodes", n))
		} else if v, err := l.add(name); err != nil {
			return errorAt(r, h, h.at[nodeID], err)
		} else if int(v) != n {
			return errorAt(r, h, h.at[nodeID], fmt.Errorf("is %q, which is the id of an earlier line", shown))
		}
		if err := l.addLabel(r, h, row, label, labels); err != nil {
			return err
		}
		if err := l.addPart(r, h, row); err != nil {
			return err
		}
		return addCells(r, h, row, builders)
	}})
	if err != nil {
		return err
	}
	nodes.header, nodes.rows = h, len(s.NodeIDs)-first
	columns, keys, err := l.finish(h, builders)
	if err != nil {
		return err
	}
	column, err := l.finishLabel(h, labels)
	if err != nil {
		return err
	}
	return l.stackNodes(h, first, columns, keys, column)
}

// nodesRead completes the nodes after their tables are read.
func (l *loader) nodesRead() error {
	o := &l.set.Options
	if o.Level == OfNodes {
		name := None
		for _, t := range l.tables {
			if t.header.at[label] >= 0 {
				name = t.header.name(label)
			}
		}
		o.Label = name
	}
	if !o.NodesOfBoth {
		o.NodeID = l.tables[0].header.name(nodeID)
	}
	l.noteKinds()
	return l.settleNodeIDs()
}

// ofKind adds the kind of an edge end to the name of a node.
func (n *nodeName) ofKind(k Kinds, end int) {
	if end != bothEnds {
		n.id = k.NodeID(end, n.id)
		n.shown = n.id
	}
}

// node is the node at an end of an edge, 0 for the source and 1 for the target.
func (l *loader) node(r tablefile.Reader, h *header, row schema.Row, end int) (int32, error) {
	column, o := h.at[source+role(end)], &l.set.Options
	name, err := l.name(r, h, row, column)
	if err != nil {
		return 0, err
	}
	cell := name.shown
	if o.kindsListed() {
		name.ofKind(o.Kinds, end)
	}
	if l.listedIn[end] == "" {
		v, err := l.add(name)
		return v, errorAt(r, h, column, err)
	}
	v, ok := l.ids.find(l.key(name))
	if !ok {
		return 0, errorAt(r, h, column, fmt.Errorf("is %q, which is not a node of %s%s", cell, l.listedIn[end], l.idHint(h, name.id)))
	}
	return v, nil
}

// idHint explains an id at an end of an edge that the table of nodes does not list.
func (l *loader) idHint(h *header, id string) string {
	key := alikeKey(plainForm(id))
	k := slices.IndexFunc(l.ids.texts, func(other string) bool { return alikeKey(plainForm(other)) == key })
	c := h.find(l.set.Options.NodeID)
	switch {
	case k >= 0:
		return fmt.Sprintf("; %+q is one and differs from %+q only in its writing", l.ids.texts[k], id)
	case l.set.Options.NodesOf == "" && c >= 0 && (c == h.at[source] || c == h.at[target]):
		return "; if it lists only the nodes of one end of edges, give --edges bipartite"
	}
	return ""
}
