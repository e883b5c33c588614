package source

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Part is the input of a model for a part of the data.
type Part struct {
	Graphs []*graph.Graph
	// Items are the nodes or edges of the only graph that belong to the part, in ascending order; nil
	// for all.
	Items []int32
	// ID identifies, across all parts, what the split divides: the graphs of a collection, or the
	// items of the only graph.
	ID func(at Place) int
	// Unit numbers the groups of items that the split keeps together; nil if each item, or each of
	// many graphs, is its own group.
	Unit func(at Place) int32
	// Name returns the columns that name the item of each row.
	Name func(items settings.Level, at []Place) []report.Column
	// Keys returns the columns that identify rows in the data, under their names in the data; nil for
	// none.
	Keys func(items settings.Level, at []Place) []report.Column
	// Edges has the data columns of the edges of the only graph; nil if the data are not a table.
	Edges *EdgeTable
	// Own returns the columns of the rows in the data files; nil if they were not kept.
	Own func(items settings.Level, at []Place) []report.Column
	// Unseen counts feature categories that do not occur in the training data. The model treats them
	// as missing.
	Unseen []tables.Unseen
	// Others has, by edge of the only graph, the other classes of edges between the same nodes in all
	// data; nil if not known.
	Others func() map[int32][]int32
}

// Place is the place of an item in a Part: the number of its graph and its number in this graph.
type Place struct{ Graph, Item int }

// Names of parts.
const (
	PartTrain = "train"
	PartValid = "valid"
	PartTest  = "test"
	PartAll   = "all"
)

// Parts are the names of the parts of a split.
func Parts() []string { return []string{PartTrain, PartValid, PartTest} }

// Rows returns the rows of a batch that belong to the part, and the places of their items. first is
// the number of the batch's first graph in the part.
func (p *Part) Rows(items settings.Level, b *graph.Batch, first int) (rows []int32, at []Place) {
	add := func(row, graph, item int) {
		rows, at = append(rows, int32(row)), append(at, Place{first + graph, item})
	}
	switch items {
	case settings.Graphs:
		for g := range b.N {
			add(g, g, 0)
		}
	case settings.Nodes:
		start, _ := b.VertexOf.Segments()
		p.Each(b.VertexOf.IDs(), start, add)
	case settings.Edges:
		start, _ := b.EdgeOf.Segments()
		p.Each(b.EdgeOf.IDs(), start, add)
	}
	return rows, at
}

// Each calls add for the items of the part in a batch, given the graph of each row and the first
// row of each graph.
func (p *Part) Each(of, start []int32, add func(row, graph, item int)) {
	if p.Items != nil { // items of the only graph
		for _, v := range p.Items {
			add(int(v), 0, int(v))
		}
		return
	}
	for v, g := range of {
		add(v, int(g), v-int(start[g]))
	}
}

// AllOf is a part of all graphs of a collection.
func AllOf(d *data.Dataset) *Part {
	ids := lists.Range[int](len(d.Graphs))
	return GraphPart(d.Graphs, ids)
}

func pick(d *data.Dataset, ids []int) *Part {
	graphs := lists.Take(d.Graphs, ids)
	return GraphPart(graphs, ids)
}

// GraphPart is a part that consists of the graphs with the given ids.
func GraphPart(graphs []*graph.Graph, ids []int) *Part {
	return &Part{Graphs: graphs, ID: func(at Place) int { return ids[at.Graph] }, Name: func(items settings.Level, at []Place) []report.Column {
		of, first, second := make([]int, len(at)), make([]int, len(at)), make([]int, len(at))
		for i, p := range at {
			of[i] = ids[p.Graph]
			switch items {
			case settings.Nodes:
				first[i] = p.Item
			case settings.Edges:
				ends := graphs[p.Graph].Ends
				first[i], second[i] = int(ends[2*p.Item]), int(ends[2*p.Item+1])
			}
		}
		out := []report.Column{report.Ints("graph", of)}
		switch items {
		case settings.Nodes:
			out = append(out, report.Ints("node", first))
		case settings.Edges:
			out = append(out, report.Ints("source", first), report.Ints("target", second))
		}
		return out
	}}
}

// hideNodes makes some nodes of the only graph the items of the part and hides the classes of all
// others.
func (p *Part) hideNodes(nodes []int) {
	g := p.Graphs[0]
	masked := *g
	masked.NodeLabel = lists.Repeat[int32](graph.NoLabel, g.NumNodes)
	p.Items = make([]int32, 0, len(nodes))
	for _, v := range slices.Sorted(slices.Values(nodes)) {
		masked.NodeLabel[v] = g.NodeLabel[v]
		p.Items = append(p.Items, int32(v))
	}
	p.Graphs[0] = &masked
}
