package model

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// EdgeRows describes the edges of a batch by rows of columns: features of the edge, features of its
// source and of its target, and then columns made of the known labels of other edges (package
// internal/columns).
//
// An edge of a directed graph is one row. An edge of an undirected graph is two rows, one in each
// direction, so that the result does not depend on the order of its ends. Its output is the mean of
// its two outputs (Join).
type EdgeRows struct {
	EdgeLayout
	batch   *graph.Batch
	ends    []int32 // of the rows of all edges
	edges   int
	threads int
	kept    *KeptLabels

	// Set by the first call of Neighbours.
	state      Block
	neighbours *edgeLists
}

// EdgeLayout describes the columns of EdgeRows.
type EdgeLayout struct {
	Spans   []FamilySpan // families of the features of an edge
	Node    int          // number of node features; 0 if nodes have none of their own
	Classes int          // of the labels; 0 means numbers
	Of      []int32      // classes with label columns, if there are more than two; nil means all
}

// Families returns the family of each column.
func (l EdgeLayout) Families() []string {
	var out []string
	for _, s := range l.Spans {
		for range s.Width {
			out = append(out, s.Family)
		}
	}
	for range 2 * l.Node {
		out = append(out, FamilyEnds)
	}
	for _, c := range columns.Names(l.graph(), nil) {
		out = append(out, string(c.Family))
	}
	return out
}

// ByClass returns the columns that exist once for each class. Each element is one quantity with the
// column of each class, -1 for a class without a column (columns.ByClass).
func (l EdgeLayout) ByClass() [][]int32 {
	first := 2 * l.Node
	for _, s := range l.Spans {
		first += s.Width
	}
	var out [][]int32
	for _, places := range columns.ByClass(l.graph()) {
		of := lists.Repeat(int32(-1), l.Classes)
		for k, place := range places {
			c := k
			if l.Of != nil {
				c = int(l.Of[k])
			}
			of[c] = int32(first + place)
		}
		out = append(out, of)
	}
	return out
}

// graph returns a graph of labels with this layout and without edges.
func (l EdgeLayout) graph() *columns.Graph { return &columns.Graph{Classes: l.Classes, Of: l.Of} }

// Width is the number of columns.
func (l EdgeLayout) Width() int { return len(l.Families()) }

// NewEdgeRows describes the edges of a batch. Results do not depend on threads; 0 means all
// processors.
func NewEdgeRows(b *graph.Batch, l EdgeLayout, threads int) *EdgeRows {
	r := &EdgeRows{EdgeLayout: l, batch: b, edges: b.H.NumEdges(), ends: b.H.Ends(), threads: threads}
	if !b.H.Directed() {
		r.ends = bothWays(r.ends)
	}
	return r
}

// bothWays returns the ends of edges, followed by the ends of the same edges in the opposite
// direction.
func bothWays(ends []int32) []int32 {
	out := make([]int32, 0, 2*len(ends))
	out = append(out, ends...)
	for i := 0; i < len(ends); i += 2 {
		out = append(out, ends[i+1], ends[i])
	}
	return out
}

// Rows returns the rows of some edges: the edges in their order and, in an undirected graph, then
// the same edges in the opposite direction.
func (r *EdgeRows) Rows(edges []int32) []int32 {
	if r.batch.H.Directed() {
		return edges
	}
	out := make([]int32, 0, 2*len(edges))
	out = append(out, edges...)
	for _, e := range edges {
		out = append(out, e+int32(r.edges))
	}
	return out
}

// Block computes the columns of some rows. label has the known label of each edge of the batch,
// graph.Masked where not known. The labels of the rows' own edges must not be known.
func (r *EdgeRows) Block(ctx context.Context, label []float32, rows []int32) (Block, error) {
	labels, err := r.Labels(ctx, label, rows)
	if err != nil {
		return Block{}, err
	}
	return r.Static(rows).Beside(labels), nil
}

// Static computes the columns of some rows that do not depend on labels.
func (r *EdgeRows) Static(rows []int32) Block {
	x, wx, we := r.batch.X, r.Node, 0
	for _, s := range r.Spans {
		we += s.Width // 0 if edges only have a constant feature
	}
	w := we + 2*wx
	out := Block{Rows: len(rows), Width: w, Data: make([]float32, len(rows)*w)}
	par.New(r.threads).Rows(len(rows), max(w, 1), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, to := int(rows[i]), out.Data[i*w:][:w]
			if we > 0 {
				r.batch.EdgeRow(row%r.edges, to[:we])
			}
			for k := range 2 {
				v := int(r.ends[2*row+k])
				copy(to[we+k*wx:], x.Data()[v*x.Dim(1):][:wx])
			}
		}
	})
	return out
}

// Labels computes the columns of some rows that are made of known labels.
func (r *EdgeRows) Labels(ctx context.Context, label []float32, rows []int32) (Block, error) {
	if r.kept.are(r.ends, label, rows) {
		return r.kept.block, nil
	}
	g, known := r.labelled(label)
	b, err := columns.Columns(ctx, g, known, rows, r.threads)
	out := Block{b.Rows, b.Width, b.Data}
	if r.kept != nil && err == nil {
		*r.kept = KeptLabels{slices.Clone(r.ends), slices.Clone(label), rows, out}
	}
	return out, err
}

// KeptLabels is a cache of the last computed columns of known labels. Models with the same layout
// that predict the same edges in sequence share it (Auto.KeepLabels, EdgeRows.KeepLabels).
type KeptLabels struct {
	ends  []int32
	label []float32
	rows  []int32
	block Block
}

// are reports whether the cache has the columns for these rows and known labels.
func (k *KeptLabels) are(ends []int32, label []float32, rows []int32) bool {
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	return k != nil && k.block.Data != nil && slices.Equal(rows, k.rows) && slices.EqualFunc(label, k.label, same) && slices.Equal(ends, k.ends)
}

// KeepLabels sets the cache that Forward uses for columns of known labels. nil removes it. Only one
// goroutine at a time may use a model with a cache.
func (m *Auto) KeepLabels(k *KeptLabels) { m.kept = k }

// KeepLabels sets the cache that Labels uses. It may be nil.
func (r *EdgeRows) KeepLabels(k *KeptLabels) { r.kept = k }

// labelled returns the edges of all rows as a graph with the known labels.
func (r *EdgeRows) labelled(label []float32) (g *columns.Graph, known []bool) {
	g = r.graph()
	g.Nodes, g.Ends, g.Label, g.Directed = r.batch.H.NumVertices(), r.ends, label, r.batch.H.Directed()
	if !g.Directed {
		g.Label = append(append(make([]float32, 0, 2*len(label)), label...), label...)
	}
	known = make([]bool, len(g.Label))
	for i, v := range g.Label {
		known[i] = !math.IsNaN(float64(v))
	}
	return g, known
}
