package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// AutoBeside predicts edges that are not in a graph, with the known labels of that graph. The
// results have the same bits as those of Auto for a graph that also has these edges. No edge of a
// batch has a known label.
type AutoBeside struct {
	*Auto
	graph  *BesideGraph
	labels []*FittedLabels // for each edge of the batch, the labels that it may read
	node   []int32         // for each node of the batch, its number in the graph; -1 if it is new
}

// MostBeside is the largest number of edges of a batch of AutoBeside if a learner reads neighbours.
const MostBeside = 1024

// ReadsNeighbours reports whether a learner passes messages between edges.
func (c *AutoConfig) ReadsNeighbours() bool {
	return slices.ContainsFunc(c.Learners, func(l Learner) bool { return l.Kind == LearnerDual })
}

// BesideGraph is the graph whose known labels AutoBeside reads. After its own edges it has
// MostBeside loops at one additional node, which has the highest number. The edges of a batch take
// the places of these loops when neighbours are read.
type BesideGraph struct {
	nodes, edges int
	directed     bool
	ends         []int32 // of all rows
	lists        *edgeLists
	states       Block
}

// NewBesideGraph prepares a graph from its number of nodes and the ends of its edges.
func NewBesideGraph(nodes int, ends []int32, directed bool) *BesideGraph {
	g := &BesideGraph{nodes: nodes, edges: len(ends) / 2, directed: directed}
	g.ends = slices.Concat(ends, slices.Repeat([]int32{int32(nodes)}, 2*MostBeside))
	if !directed {
		g.ends = bothWays(g.ends)
	}
	return g
}

// half is the number of rows of one direction.
func (g *BesideGraph) half() int { return g.edges + MostBeside }

// ReadNeighbours prepares a graph for learners that read neighbours. The batch has the graph's
// edges, in their order.
func (m *Auto) ReadNeighbours(g *BesideGraph, b *graph.Batch, threads int) {
	from := NewEdgeRows(b, m.Layout(), threads).states()
	g.lists = newEdgeLists(g.nodes+1, g.ends, g.directed)
	g.states = Block{Rows: len(g.ends) / 2, Width: from.Width, Data: make([]float32, len(g.ends)/2*from.Width)}
	size := g.edges * from.Width
	for k := range from.Rows / max(g.edges, 1) {
		copy(g.states.Data[k*g.half()*from.Width:], from.Data[k*size:][:size])
	}
}

// NeighbourBytes estimates the memory that ReadNeighbours keeps for a number of edges. It is 0 if
// no learner reads neighbours.
func (m *Auto) NeighbourBytes(edges int) int64 {
	if !m.Config.ReadsNeighbours() {
		return 0
	}
	const number, row = 4, 150 // bytes
	return 2 * int64(edges+MostBeside) * int64(row+number*m.Layout().stateWidth(false))
}

// FittedLabels are the fitted known labels of a graph, and the states that networks compute from
// them for its edges.
type FittedLabels struct {
	*columns.Fitted
	first tabular.FirstStates
}

// StateBytes estimates the memory of the states in FittedLabels for a number of edges.
func (m *Auto) StateBytes(edges int) (bytes int64) {
	for _, l := range m.learners {
		if n, ok := l.(*Network); ok {
			bytes += n.Model.FirstBytes(2 * (edges + MostBeside))
		}
	}
	return bytes
}

// FitLabels fits the known labels of a graph's edges. label is graph.Masked for an edge without a
// known label, or nil if no label is known.
func (m *Auto) FitLabels(ctx context.Context, g *BesideGraph, label []float32, threads int) (*FittedLabels, error) {
	of := m.Layout().graph()
	of.Nodes, of.Ends, of.Directed, of.Label = g.nodes+1, g.ends, g.directed, slices.Repeat([]float32{graph.Masked}, len(g.ends)/2)
	for e, v := range label {
		if knownLabel(v, of.Classes) {
			for row := e; row < len(of.Label); row += g.half() {
				of.Label[row] = v
			}
		}
	}
	known := lists.Map(of.Label, func(v float32) bool { return !math.IsNaN(float64(v)) })
	f, err := columns.Fit(ctx, of, known, threads)
	return &FittedLabels{Fitted: f}, err
}

// Beside returns a model for batches outside a graph. labels has for each edge of the batch the
// labels that it may read. node has for each node of the batch its number in the graph, -1 for a
// new node.
func (m *Auto) Beside(g *BesideGraph, labels []*FittedLabels, node []int32) *AutoBeside {
	return &AutoBeside{m, g, labels, node}
}

// Forward predicts for all edges.
func (m *AutoBeside) Forward(p *nn.Pass, b *graph.Batch) *Output {
	rows := NewEdgeRows(b, m.Layout(), p.Tape.Threads())
	o := &Output{Edge: tensor.New(rows.edges, m.dims.Out)}
	reading := map[*FittedLabels][]int32{}
	for e, l := range m.labels {
		reading[l] = append(reading[l], int32(e))
	}
	around := &besideRows{EdgeRows: rows, graph: m.graph, node: m.node}
	for labels, edges := range reading { // the order does not matter: each writes different outputs
		of := rows.Rows(edges)
		l, err := labels.Rows(context.Background(), around.known(of))
		if err == nil {
			place := newPlace(of, func(rows []int32, known bool) (*tabular.Neighbours, error) {
				return around.neighbours(labels, rows, known), nil
			})
			err = m.learn(rows, edges, rows.Static(of).Beside(Block{l.Rows, l.Width, l.Data}), place, o)
		}
		if err != nil {
			panic(fmt.Errorf("model: auto: %w", err)) // the learners were trained on such rows
		}
	}
	return o
}

// besideRows are the rows of a batch of edges outside a graph.
type besideRows struct {
	*EdgeRows
	graph *BesideGraph
	node  []int32
	lists []tabular.List // set when first needed
	at    map[int32]bool // set with lists: the graph's nodes at the ends of rows
}

// known returns the ends of rows as nodes of the graph. A new node becomes the additional node
// without edges.
func (r *besideRows) known(rows []int32) []int32 {
	out := make([]int32, 0, 2*len(rows))
	for _, row := range rows {
		for _, v := range r.ends[2*row:][:2] {
			if v = r.node[v]; v < 0 {
				v = int32(r.graph.nodes)
			}
			out = append(out, v)
		}
	}
	return out
}

// place returns the row of the graph whose place a row of the batch takes.
func (r *besideRows) place(row int32) int32 {
	n := int32(r.edges)
	return row/n*int32(r.graph.half()) + int32(r.graph.edges) + row%n
}

// row returns the row of the batch that takes the place of a row of the graph, -1 if there is none.
func (r *besideRows) row(place int32) int32 {
	half := int32(r.graph.half())
	of := place%half - int32(r.graph.edges)
	if of < 0 || int(of) >= r.edges {
		return -1
	}
	return place/half*int32(r.edges) + of
}

// neighbours is EdgeRows.Neighbours for rows of the batch, in the graph that also has all edges of
// the batch.
func (r *besideRows) neighbours(labels *FittedLabels, of []int32, known bool) *tabular.Neighbours {
	if r.lists == nil {
		all := lists.Range[int32](len(r.ends) / 2)
		ends := make([]int32, len(r.ends))
		r.at = map[int32]bool{}
		for i, v := range r.ends {
			if ends[i] = r.node[v]; ends[i] < 0 {
				ends[i] = int32(r.graph.nodes) + 1 + v
			}
			r.at[ends[i]] = true
		}
		r.lists = r.graph.lists.withNewEnds(lists.Map(all, r.place), ends)
	}
	kept, added := r.graph.states, r.states()
	n := &tabular.Neighbours{Item: lists.Map(of, r.place), Items: kept.Rows, Lists: r.lists, Width: kept.Width, First: &labels.first}
	n.Changed = func(item int32) bool {
		return r.row(item) >= 0 || r.at[r.graph.ends[2*item]] || r.at[r.graph.ends[2*item+1]]
	}
	if !r.graph.directed {
		n.Pair = r.graph.half()
	}
	own := func(to []float32, item int32) {
		if row := r.row(item); row >= 0 {
			copy(to, added.Data[int(row)*added.Width:][:added.Width])
			return
		}
		copy(to, kept.Data[int(item)*kept.Width:][:kept.Width])
	}
	n.State = own
	if !known {
		return n
	}
	l := labels.LabelRows()
	n.Label, n.Width = labels.Label(), kept.Width+l.Width
	n.State = func(to []float32, item int32) {
		own(to, item)
		if row := r.row(item); row >= 0 {
			ends := r.known([]int32{row})
			l.RowBetween(to[kept.Width:], ends[0], ends[1])
			return
		}
		l.Row(to[kept.Width:], item)
	}
	return n
}
