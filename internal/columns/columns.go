package columns

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Family is a group of columns that are made together.
type Family string

// The families.
const (
	Labels  Family = "labels"
	LowRank Family = "low-rank"
	TwoStep Family = "two-step"
)

// families lists all families, in the order of their columns (Fitted.parts).
var families = []Family{Labels, LowRank, TwoStep}

// Graph is a directed list of edges with labels. An undirected edge is given as two edges, one in each direction.
// Both have the same label, and both are known or both are not.
type Graph struct {
	Nodes int
	Ends  []int32   // edge e leads from Ends[2e] to Ends[2e+1]
	Label []float32 // class number or number of each edge; read only for known edges
	// Classes is the number of classes, or 0 if labels are numbers.
	Classes int
	// Of lists the classes that have columns, if there are more than two; nil for all.
	Of []int32
	// Directed reports whether edges are directed. If not, the second half of Ends has the edges of the first
	// half reversed, with the same labels.
	Directed bool
}

// Block is a table of rows and columns.
type Block struct {
	Rows, Width int
	Data        []float32 // row by row
}

// Columns returns the columns of all families for some edges, computed from the known labels. It is an error if one
// of the edges is known itself, or if a known label is no class or not finite. Results do not depend on threads;
// threads = 0 means all processors.
func Columns(ctx context.Context, g *Graph, known []bool, rows []int32, threads int) (Block, error) {
	return columnsFrom(ctx, g, known, rows, par.New(threads), normalStart(g.touched(known)))
}

// columnsFrom is Columns with the initial vectors of low-rank fits made by start.
func columnsFrom(ctx context.Context, g *Graph, known []bool, rows []int32, pool *par.Pool, start starter) (Block, error) {
	ends := make([]int32, 0, 2*len(rows))
	for _, e := range rows {
		if known[e] {
			return Block{}, fmt.Errorf("columns: edge %d is described and its label is known", e)
		}
		ends = append(ends, g.source(e), g.target(e))
	}
	f, err := fitFrom(ctx, g, known, pool, start)
	if err != nil {
		return Block{}, err
	}
	return f.Rows(ctx, ends)
}

// Fitted computes columns of edges whose own label is not known. It may be used again and by several goroutines, and
// gives the same bits as Columns.
type Fitted struct {
	known *known
	sums  *endSums
	parts []part // one for each family; its width is 0 if the graph has no such columns
	width int
}

// Fit is the part of Columns that does not depend on the described edges.
func Fit(ctx context.Context, g *Graph, known []bool, threads int) (*Fitted, error) {
	return fitFrom(ctx, g, known, par.New(threads), normalStart(g.touched(known)))
}

func fitFrom(ctx context.Context, g *Graph, known []bool, pool *par.Pool, start starter) (*Fitted, error) {
	k, err := newKnown(g, known, pool)
	if err != nil {
		return nil, err
	}
	f := &Fitted{known: k, sums: k.endSums(), parts: make([]part, len(families))}
	pool.Do( // the slowest family first
		func() { f.parts[1], err = k.lowRank(ctx, start) },
		func() { f.parts[0] = k.labels(f.sums, true) },
		func() {
			if g.Classes <= 2 {
				f.parts[2] = k.twoStep()
			}
		})
	if err != nil {
		return nil, err
	}
	for _, p := range f.parts {
		f.width += p.width
	}
	return f, ctx.Err()
}

// Rows returns the columns of edges given by their ends: a source and a target node for each. All nodes without
// known labels are equivalent.
func (f *Fitted) Rows(ctx context.Context, ends []int32) (Block, error) {
	out := Block{Rows: len(ends) / 2, Width: f.width}
	out.Data = make([]float32, out.Rows*out.Width)
	order := lists.Range[int32](out.Rows)
	if out.Rows >= f.known.Nodes/8 { // sorted by source, so that data of a source stay in the cache for all its edges
		order = byNode(f.known.Nodes, order, func(i int32) int32 { return ends[2*i] }).edge
	}
	f.known.pool.Rows(out.Rows, 16, func(lo, hi int) {
		row := make([]float64, out.Width)
		var writers []func(e described)
		at := row
		for _, p := range f.parts {
			if p.width > 0 {
				writers = append(writers, p.writer(at[:p.width], hi-lo))
				at = at[p.width:]
			}
		}
		for _, i := range order[lo:hi] {
			for _, write := range writers {
				write(described{ends[2*i], ends[2*i+1], nil})
			}
			to := out.Data[int(i)*out.Width:][:out.Width]
			for c, v := range row {
				to[c] = float32(v)
			}
		}
	})
	return out, ctx.Err()
}

// described is an edge to describe: its ends, and the indices of its own label among the known edges, if it has one.
type described struct {
	source, target int32
	own            []int32
}

// part is a fitted family.
type part struct {
	width int
	// writer returns a function that writes the columns of an edge to a slice. The function has its own memory and is
	// for one goroutine. calls is about how often it will be called.
	writer func(to []float64, times int) func(e described)
}

// known has the known edges of a graph in the form that all families read.
type known struct {
	*Graph
	pool  *par.Pool
	edges []int32
	at    []int32   // index of each edge of the graph among the known edges, or -1
	of    []int32   // classes that have columns, or a single 0 for numbers
	value []float64 // [known,len(of)]: 1 for the class of an edge, or its number
	mean  []float64 // mean of value
}

// newKnown lists the known edges and checks them.
func newKnown(g *Graph, is []bool, pool *par.Pool) (*known, error) {
	k := &known{Graph: g, pool: pool, of: g.classes()}
	if len(g.Label) != len(g.Ends)/2 || len(is) != len(g.Label) {
		return nil, fmt.Errorf("columns: %d edges with %d labels, %d of them known or not", len(g.Ends)/2, len(g.Label), len(is))
	}
	k.at = make([]int32, len(is))
	for e, known := range is {
		k.at[e] = -1
		if !known {
			continue
		}
		x := float64(g.Label[e])
		if math.IsNaN(x) || math.IsInf(x, 0) || g.Classes > 0 && !(x >= 0 && x < float64(g.Classes) && x == math.Trunc(x)) {
			return nil, fmt.Errorf("columns: edge %d has the known label %v, expected a number or a class below %d", e, x, g.Classes)
		}
		k.at[e] = int32(len(k.edges))
		k.edges = append(k.edges, int32(e))
	}
	w := len(k.of)
	k.value, k.mean = make([]float64, len(k.edges)*w), make([]float64, w)
	for i, e := range k.edges {
		for c, class := range k.of {
			v := float64(g.Label[e])
			if g.Classes > 0 {
				v = 0
				if int32(g.Label[e]) == class {
					v = 1
				}
			}
			k.value[i*w+c] = v
			k.mean[c] += v
		}
	}
	for c := range k.mean {
		k.mean[c] /= float64(max(len(k.edges), 1))
	}
	return k, nil
}

// classes returns the classes that have columns: only the second of two classes; for numbers a single column.
func (g *Graph) classes() []int32 {
	switch {
	case g.Classes == 0:
		return []int32{0}
	case g.Classes == 2:
		return []int32{1}
	case g.Of != nil:
		return g.Of
	}
	return lists.Range[int32](g.Classes)
}

// source and target are the ends of known edge i.
func (g *Graph) source(e int32) int32 { return g.Ends[2*e] }
func (g *Graph) target(e int32) int32 { return g.Ends[2*e+1] }

// standard returns the known labels of a class, minus their mean and divided by their deviation.
func (k *known) standard(c int) []float64 {
	w, out := len(k.of), make([]float64, len(k.edges))
	scale := 0.0
	if k.Classes > 0 {
		scale = math.Sqrt(max(k.mean[c]*(1-k.mean[c]), 1e-4))
	} else {
		for i := range out {
			d := k.value[i*w+c] - k.mean[c]
			scale += d * d
		}
		if scale = math.Sqrt(scale / float64(max(len(out), 1))); scale == 0 {
			scale = 1
		}
	}
	for i := range out {
		out[i] = (k.value[i*w+c] - k.mean[c]) / scale
	}
	return out
}

// ownIndices returns the indices of an edge among the known edges: two for an undirected edge, none if its label is not known.
func (k *known) ownIndices(e int32) []int32 {
	i := k.at[e]
	if i < 0 {
		return nil
	}
	if k.Directed {
		return []int32{i}
	}
	half := int32(len(k.at) / 2)
	return []int32{i, k.at[(e+half)%(2*half)]}
}

// LabelRows describes edges by the family Labels only, without effects of ends. Unlike Columns it also describes known
// edges, leaving out their own label: a network reads such a row for each neighbour of an edge.
type LabelRows struct {
	Width int
	known *known
	part  part
}

// NewLabelRows prepares the rows of a graph from its known labels.
func NewLabelRows(g *Graph, known []bool, threads int) (*LabelRows, error) {
	k, err := newKnown(g, known, par.New(threads))
	if err != nil {
		return nil, err
	}
	return k.rows(k.endSums()), nil
}

// LabelRows returns the rows of the same graph, with the same bits as NewLabelRows.
func (f *Fitted) LabelRows() *LabelRows { return f.known.rows(f.sums) }

// Label is the label of each edge of the graph, as given to Fit.
func (f *Fitted) Label() []float32 { return f.known.Label }

func (k *known) rows(sums *endSums) *LabelRows {
	p := k.labels(sums, false)
	return &LabelRows{p.width, k, p}
}

// Row writes the columns of an edge. Several goroutines may call it.
func (l *LabelRows) Row(to []float32, e int32) {
	l.write(to, described{l.known.source(e), l.known.target(e), l.known.ownIndices(e)})
}

// RowBetween writes the columns of an edge that the graph does not have, by its ends. All nodes without known labels
// are equivalent.
func (l *LabelRows) RowBetween(to []float32, source, target int32) {
	l.write(to, described{source, target, nil})
}

func (l *LabelRows) write(to []float32, e described) {
	row := make([]float64, l.Width)
	l.part.writer(row, 1)(e)
	for c, v := range row {
		to[c] = float32(v)
	}
}

// Folds divides edges into random folds. unit has the group of each edge of the graph: edges of a group are in the
// same fold. Without unit each edge is a group of its own.
func Folds(edges, unit []int32, parts int, draw func(n int) int) []int8 {
	out, of := make([]int8, len(edges)), map[int32]int8{}
	for i, e := range edges {
		u := e
		if unit != nil {
			u = unit[e]
		}
		p, ok := of[u]
		if !ok {
			p = int8(draw(parts))
			of[u] = p
		}
		out[i] = p
	}
	return out
}
