package tables

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// openTable is a table that is open and not yet read.
type openTable struct {
	file   string
	of     Level // OfNodes or OfEdges
	reader tablefile.Reader

	end int    // edge end whose nodes a table of nodes lists, or bothEnds
	id  string // id column of one of two tables of nodes; otherwise empty: see Options.NodeID
	// After it is read:
	header *header
	rows   int
}

// roles assigns the roles of the columns of a table of nodes.
func (t *openTable) roles(o Options, h *header) error {
	if t.id != "" {
		o.NodeID = t.id
	}
	return o.nodeRoles(h)
}

// openTables opens the tables of nodes, if any, and of edges.
func (l *loader) openTables() (nodes []*openTable, edges *openTable, err error) {
	edgesFile, ok := l.edgesFile()
	if !ok {
		return nil, nil, noEdges()
	}
	open := func(file string, of Level) *openTable {
		r, failed := l.open(file, of)
		if failed != nil {
			err = failed
			return nil
		}
		return &openTable{file: file, of: of, reader: r}
	}
	for _, file := range l.nodesFiles() {
		if err == nil {
			nodes = append(nodes, open(file, OfNodes))
		}
	}
	if err == nil {
		edges = open(edgesFile, OfEdges)
	}
	if err != nil {
		closeTables(nodes)
		return nil, nil, err
	}
	return nodes, edges, nil
}

// closeTables closes unread tables; nil means none.
func closeTables(tables []*openTable) {
	for _, t := range tables {
		if t != nil {
			t.reader.Close()
		}
	}
}

// settleLevel decides whether edges or nodes have the label: by Options.Level, or else the edges, or
// the nodes if only these have the column. Nodes of a collection of graphs may have labels as
// features, so their name alone does not decide.
func (l *loader) settleLevel(nodes []*openTable, edges *openTable) error {
	o := &l.set.Options
	switch {
	case o.known != nil:
		o.Level = cmp.Or(o.known.Level, OfEdges)
	case o.Level == OfNodes && len(nodes) == 0:
		return errors.New("there is no table of nodes with their labels: expected nodes.csv beside the edges, or a file that --nodes names")
	case o.Level == "":
		o.Level = OfEdges
		if slices.ContainsFunc(nodes, func(t *openTable) bool { return o.nodesAlone(t, edges) }) {
			o.Level = OfNodes
		}
	}
	l.set.Level = o.Level
	if o.Level == OfNodes && o.known == nil {
		return l.ofNodes()
	}
	return nil
}

// nodesAlone reports whether the table of nodes has the label column and that of edges does not.
func (o Options) nodesAlone(nodes, edges *openTable) bool {
	h, n := newHeader(edges.file, edges.reader.Columns()), newHeader(nodes.file, nodes.reader.Columns())
	if o.Label != "" {
		has := func(h *header) bool { return h.find(o.Label) >= 0 || h.find(SplitLabels(o.Label)[0]) >= 0 }
		return o.Label != None && !has(h) && has(n)
	}
	if o.edgeRoles(h) != nil || h.at[label] >= 0 || nodes.roles(o, n) != nil || n.at[graphID] >= 0 {
		return false
	}
	return slices.ContainsFunc(labelNames, func(name string) bool { return n.conventional(name) >= 0 })
}

// ofNodes sets the options of a set with node labels. Then times and groups of edges are features,
// and so are the label and the parts that a graph file gives its edges.
func (l *loader) ofNodes() error {
	o := &l.set.Options
	for _, x := range []struct{ flag, column string }{{"--time", o.Time}, {"--group", o.Group}} {
		if x.column != "" && x.column != None {
			return fmt.Errorf("%s %s is for labels of edges, and the labels are of nodes", x.flag, x.column)
		}
	}
	if g := l.graph; g != nil && g.Part != "" && o.Part == g.Part {
		o.Part = ""
		o.Ignore = append(slices.Clone(o.Ignore), g.Part)
	}
	o.Time, o.Group = None, None
	return nil
}

// nodeRoles lists the roles in a table of nodes.
func (l *loader) nodeRoles(t *openTable, h *header) error {
	o := l.set.Options
	if err := t.roles(o, h); err != nil {
		return err
	}
	if l.set.Level != OfNodes {
		l.hideDisplayNames(h)
		return nil
	}
	for _, x := range []struct {
		r     role
		named string
	}{{label, o.Label}, {splitPart, o.Part}} {
		if x.named == "" || h.find(x.named) < 0 && (o.known != nil || l.otherTableHas(h, x.named)) {
			continue
		}
		if err := h.assign(x.r, x.named, nil); err != nil {
			return err
		}
	}
	l.hideDisplayNames(h)
	if o.Label == "" {
		return h.assign(label, "", labelNames)
	}
	return nil
}

// finishLabel returns the column of labels, or nil.
func (l *loader) finishLabel(h *header, b *schema.Builder) (*Column, error) {
	if b == nil {
		return nil, nil
	}
	column, why, err := b.Column()
	if err != nil {
		return nil, h.wrong(b.WrongLine(), h.at[label], err)
	}
	l.remark(h, h.at[label], b, column)
	if column == nil {
		l.note("%s: column %q of labels %s", h.file, h.names[h.at[label]], why)
	}
	return column, nil
}
