package task

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/report"
)

// Part is what a model sees of a part of the data.
type Part struct {
	Graphs []*graph.Graph
	// Items are the nodes or edges of the one graph that belong to the part, rising;
	// nil where all items do.
	Items []int32
	// ID tells the units of the split apart in all parts: graphs of a collection, else the
	// items of the one graph.
	ID func(at Place) int
	// Name gives the columns that say which item each row is.
	Name func(items Items, at []Place) []report.Column
	// Unseen counts categories of features that training has not seen, which the model
	// takes for none.
	Unseen []tables.Unseen
}

// Place is where an item stands in a Part: its graph, and itself in that graph.
type Place struct{ Graph, Item int }

// Names of parts.
const (
	PartTrain = "train"
	PartValid = "valid"
	PartTest  = "test"
	PartAll   = "all"
)

// parts are the names of the parts in which data are divided.
var parts = []string{PartTrain, PartValid, PartTest}

// rows are the rows of the task's items in a batch that belong to a part, with their
// places; first is the place of the batch's first graph.
func (p *Part) rows(items Items, b *graph.Batch, first int) (rows []int32, at []Place) {
	add := func(row, graph, item int) {
		rows, at = append(rows, int32(row)), append(at, Place{first + graph, item})
	}
	switch items {
	case Graphs:
		for g := range b.N {
			add(g, g, 0)
		}
	case Nodes:
		start, _ := b.VertexOf.Segments()
		p.each(b.VertexOf.IDs(), start, add)
	case Edges:
		start, _ := b.EdgeOf.Segments()
		p.each(b.EdgeOf.IDs(), start, add)
	}
	return rows, at
}

// each calls add for the items of the part among those of a batch, whose graphs are of
// and begin at start.
func (p *Part) each(of, start []int32, add func(row, graph, item int)) {
	if p.Items != nil { // of the one graph
		for _, v := range p.Items {
			add(int(v), 0, int(v))
		}
		return
	}
	for v, g := range of {
		add(v, int(g), v-int(start[g]))
	}
}

func allOf(d *data.Dataset) *Part {
	ids := make([]int, len(d.Graphs))
	for i := range ids {
		ids[i] = i
	}
	return graphPart(d.Graphs, ids)
}

func pick(d *data.Dataset, ids []int) *Part {
	graphs := make([]*graph.Graph, len(ids))
	for i, id := range ids {
		graphs[i] = d.Graphs[id]
	}
	return graphPart(graphs, ids)
}

// graphPart is a part of some graphs, called by their ids.
func graphPart(graphs []*graph.Graph, ids []int) *Part {
	return &Part{Graphs: graphs, ID: func(at Place) int { return ids[at.Graph] }, Name: func(items Items, at []Place) []report.Column {
		of, first, second := make([]int, len(at)), make([]int, len(at)), make([]int, len(at))
		for i, p := range at {
			of[i] = ids[p.Graph]
			switch items {
			case Nodes:
				first[i] = p.Item
			case Edges:
				ends := graphs[p.Graph].Ends
				first[i], second[i] = int(ends[2*p.Item]), int(ends[2*p.Item+1])
			}
		}
		out := []report.Column{report.Ints("graph", of)}
		switch items {
		case Nodes:
			out = append(out, report.Ints("node", first))
		case Edges:
			out = append(out, report.Ints("source", first), report.Ints("target", second))
		}
		return out
	}}
}

// hideNodes makes some nodes of the one graph those of the part and hides the classes of
// all others.
func (p *Part) hideNodes(nodes []int) {
	g := p.Graphs[0]
	masked := *g
	masked.NodeLabel = make([]int32, g.NumNodes)
	for v := range masked.NodeLabel {
		masked.NodeLabel[v] = graph.NoLabel
	}
	p.Items = make([]int32, 0, len(nodes))
	for _, v := range slices.Sorted(slices.Values(nodes)) {
		masked.NodeLabel[v] = g.NodeLabel[v]
		p.Items = append(p.Items, int32(v))
	}
	p.Graphs[0] = &masked
}
