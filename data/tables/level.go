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
}

// openTables opens the tables of nodes, nil for none, and of edges.
func (l *loader) openTables() (nodes, edges *openTable, err error) {
	edgesFile, ok := l.edgesFile()
	if !ok {
		return nil, nil, noEdges()
	}
	if file, ok := l.nodesFile(); ok {
		r, err := l.open(file, OfNodes)
		if err != nil {
			return nil, nil, err
		}
		nodes = &openTable{file, OfNodes, r}
	}
	r, err := l.open(edgesFile, OfEdges)
	if err != nil {
		if nodes != nil {
			nodes.reader.Close()
		}
		return nil, nil, err
	}
	return nodes, &openTable{edgesFile, OfEdges, r}, nil
}

// settleLevel decides whether edges or nodes have the label: what Options.Level says, else the edges,
// or the nodes where only these have the column. Nodes of a collection of graphs have labels as
// features, too, so that they are not taken by their name.
func (l *loader) settleLevel(nodes, edges *openTable) error {
	o := &l.set.Options
	switch {
	case o.known != nil:
		o.Level = cmp.Or(o.known.Level, OfEdges)
	case o.Level == OfNodes && nodes == nil:
		return errors.New("there is no table of nodes with their labels: expected nodes.csv beside the edges, or a file that --nodes names")
	case o.Level == "":
		o.Level = OfEdges
		if nodes != nil && o.nodesAlone(nodes, edges) {
			o.Level = OfNodes
		}
	}
	l.set.Level = o.Level
	if o.Level == OfNodes && o.known == nil {
		return l.ofNodes()
	}
	return nil
}

// nodesAlone reports whether the table of nodes has the column of labels, and that of edges has not.
func (o Options) nodesAlone(nodes, edges *openTable) bool {
	h, n := newHeader(edges.file, edges.reader.Columns()), newHeader(nodes.file, nodes.reader.Columns())
	if o.Label != "" {
		return o.Label != None && h.find(o.Label) < 0 && n.find(o.Label) >= 0
	}
	if o.edgeRoles(h) != nil || h.at[label] >= 0 || o.nodeRoles(n) != nil || n.at[graphID] >= 0 {
		return false
	}
	return slices.ContainsFunc(labelNames, func(name string) bool { return n.conventional(name) >= 0 })
}

// ofNodes sets the options of a set whose nodes have the labels. Times and groups of edges are
// features then, and so are the label and the parts that a graph file gives its edges.
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

// nodeRoles are the roles in the table of nodes.
func (l *loader) nodeRoles(h *header) error {
	o := l.set.Options
	if err := o.nodeRoles(h); err != nil {
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
		if x.named == "" || o.known != nil && h.find(x.named) < 0 {
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

// finishLabel is the column of labels, nil for none.
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
