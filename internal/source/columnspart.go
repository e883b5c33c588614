package source

import (
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

func (c *ColumnData) wholeGraphs(e *tables.Encoder) (*Part, error) {
	graphs, unseen, err := c.Set.Graphs(e)
	if err != nil {
		return nil, err
	}
	ids := lists.Range[int](len(graphs))
	p := c.graphsPart(graphs, ids)
	p.Unseen = unseen
	return p, nil
}

// graphsPart is a part that consists of some graphs of a collection.
func (c *ColumnData) graphsPart(all []*graph.Graph, ids []int) *Part {
	graphs := lists.Take(all, ids)
	first := c.firstNodes()
	return &Part{Graphs: graphs, ID: func(at Place) int { return ids[at.Graph] }, Name: func(items settings.Level, at []Place) []report.Column {
		of, a, b := make([]string, len(at)), make([]string, len(at)), make([]string, len(at))
		node := func(p Place, v int) string { return c.Set.NodeIDs[first[ids[p.Graph]][v]] }
		for i, p := range at {
			of[i] = c.graphName(ids[p.Graph])
			switch items {
			case settings.Nodes:
				a[i] = node(p, p.Item)
			case settings.Edges:
				ends := graphs[p.Graph].Ends
				a[i], b[i] = node(p, int(ends[2*p.Item])), node(p, int(ends[2*p.Item+1]))
			}
		}
		out := []report.Column{report.Strings("graph", of)}
		switch items {
		case settings.Nodes:
			out = append(out, report.Strings("node", a))
		case settings.Edges:
			out = append(out, report.Strings("source", a), report.Strings("target", b))
		}
		return out
	}}
}

// graphName is the name of a graph, or its number if graphs have no names.
func (c *ColumnData) graphName(k int) string {
	if c.Set.GraphIDs == nil {
		return fmt.Sprint(k)
	}
	return c.Set.GraphIDs[k]
}

// firstNodes returns the first node of each graph.
func (c *ColumnData) firstNodes() [][]int32 {
	out := make([][]int32, c.Set.NumGraphs())
	for v := range int32(len(c.Set.NodeIDs)) {
		k := int32(0)
		if c.Set.GraphOf != nil {
			k = c.Set.GraphOf[v]
		}
		out[k] = append(out[k], v)
	}
	return out
}

// nodesPart is the part of all nodes of one graph, in the form that a model reads. The edges of a
// form are named by their ends.
func (c *ColumnData) nodesPart(e *tables.Encoder, in *tables.Input, form Form) (*Part, error) {
	p := c.inputPart(e, in, nil)
	if form == nil {
		return p, nil
	}
	g, err := form(in.Graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	p.Graphs[0], p.Edges = g, nil
	ofNodes := func(f func(settings.Level, []Place) []report.Column) func(settings.Level, []Place) []report.Column {
		return func(items settings.Level, at []Place) []report.Column {
			if items == settings.Nodes {
				return f(items, at)
			}
			return nil // a form has different edges
		}
	}
	p.Own, p.Keys = ofNodes(p.Own), ofNodes(p.Keys)
	name := p.Name
	p.Name = func(items settings.Level, at []Place) []report.Column {
		if items == settings.Nodes {
			return name(items, at)
		}
		from, to := make([]string, len(at)), make([]string, len(at))
		for i, place := range at {
			ends := g.Ends[2*place.Item:]
			from[i], to[i] = c.Set.NodeIDs[in.Nodes[ends[0]]], c.Set.NodeIDs[in.Nodes[ends[1]]]
		}
		return []report.Column{report.Strings("source", from), report.Strings("target", to)}
	}
	return p, nil
}

// readingGroups returns the reading groups of all edges, which the parts share.
func (c *ColumnData) readingGroups(s settings.Split) func() []int32 {
	return sync.OnceValue(func() []int32 { return s.ReadingGroups(c.Set) })
}

// edgesPart is the part of the edges that an input scores; units are the reading groups of all edges.
func (c *ColumnData) edgesPart(e *tables.Encoder, in *tables.Input, units func() []int32) *Part {
	p := c.inputPart(e, in, in.Scored)
	p.Unit = func(at Place) int32 { return units()[in.Edges[at.Item]] }
	return p
}

// inputPart is a part of one graph; scored are the edges of the part, nil for nodes.
func (c *ColumnData) inputPart(e *tables.Encoder, in *tables.Input, scored []int32) *Part {
	id := func(at Place) int {
		if scored == nil { // a part of nodes
			return at.Item
		}
		return int(in.Edges[at.Item])
	}
	keys := func(items settings.Level, at []Place) []report.Column {
		if items == settings.Nodes {
			return keyColumns(c.Set.NodeKeys, at, func(p Place) int32 { return in.Nodes[p.Item] })
		}
		return keyColumns(c.Set.EdgeKeys, at, func(p Place) int32 { return in.Edges[p.Item] })
	}
	own := func(items settings.Level, at []Place) []report.Column {
		if items == settings.Nodes {
			return ownColumns(c.Set.NodeOwn, c.Set.NodeKeys, at, func(p Place) int32 { return in.Nodes[p.Item] })
		}
		return ownColumns(c.Set.EdgeOwn, c.Set.EdgeKeys, at, func(p Place) int32 { return in.Edges[p.Item] })
	}
	others := func() map[int32][]int32 { return c.Set.OtherClasses(e, in) }
	return &Part{Graphs: []*graph.Graph{in.Graph}, Items: scored, Edges: &EdgeTable{c.Set, in, e, c.Threads}, Others: others, Keys: keys, Own: own, Unseen: in.Unseen, ID: id, Name: func(items settings.Level, at []Place) []report.Column {
		if items == settings.Nodes {
			ids := lists.Map(at, func(p Place) string { return c.Set.NodeIDs[in.Nodes[p.Item]] })
			return []report.Column{report.Strings("node", ids)}
		}
		edge, from, to := make([]int, len(at)), make([]string, len(at)), make([]string, len(at))
		for i, p := range at {
			e := int(in.Edges[p.Item])
			edge[i], from[i], to[i] = e-c.Context, c.Set.NodeIDs[c.Set.Ends[2*e]], c.Set.NodeIDs[c.Set.Ends[2*e+1]]
		}
		return []report.Column{report.Ints("edge", edge), report.Strings("source", from), report.Strings("target", to)}
	}}
}
