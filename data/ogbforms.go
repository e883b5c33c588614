package data

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// dataset converts the edges to the wanted form and completes the graphs.
func (r *ogbReader) dataset(form Edges) (*Dataset, error) {
	d := &Dataset{Graphs: make([]*graph.Graph, len(r.graphs))}
	info := &d.Info
	*info = Info{
		Format: FormatOGB, NumGraphs: len(r.graphs), NumTargets: r.targets,
		HasNodeLabels: true, HasEdgeLabels: true, Symmetric: true, Directed: form == Directed,
	}
	if r.labels == nil {
		info.note("no raw/graph-label.csv: graphs have no targets")
	}
	both := r.both && r.bonds > 0
	if both {
		info.note("the files hold every bond in both directions")
	}
	nodes, edges, loops := 0, 0, 0
	var degree []int
	for i := range r.graphs {
		g := &r.graphs[i]
		r.graphs[i].Directed = info.Directed
		degree = append(degree[:0], make([]int, g.NumNodes)...)
		count := g.NumEdges()
		var kept []int32
		if both {
			kept, _ = bothWays(g.Ends, g.Edge.Code, len(ogbBond))
			count = len(kept)
		}
		for e := range g.NumEdges() {
			u, v := g.Ends[2*e], g.Ends[2*e+1]
			degree[u]++
			switch {
			case u == v:
				loops++
			case !both:
				degree[v]++
			}
		}
		switch {
		case both && !info.Directed:
			g.Ends, g.Edge.Code = r.take(g, kept)
		case !both && info.Directed:
			g.Ends, g.Edge.Code = r.double(g)
		}
		nodes += g.NumNodes
		edges += count
		info.MaxNodes, info.MaxEdges = max(info.MaxNodes, g.NumNodes), max(info.MaxEdges, count)
		if len(degree) > 0 {
			info.MaxDegree = max(info.MaxDegree, slices.Max(degree))
		}
		info.MissingTargets += countMissing(g.Targets)
		info.NodeWidth, info.EdgeWidth = g.Node.Width(), g.Edge.Width()
		var err error
		if d.Graphs[i], err = graph.New(*g); err != nil {
			return nil, fmt.Errorf("graph %d: %w", i, err)
		}
	}
	if loops > 0 {
		info.note("%d bonds of an atom with itself, kept", loops)
	}
	info.MeanNodes = float64(nodes) / float64(len(r.graphs))
	info.MeanEdges = float64(edges) / float64(len(r.graphs))
	return d, nil
}

// take keeps the listed rows of g's edges.
func (r *ogbReader) take(g *graph.Graph, rows []int32) (ends, codes []int32) {
	k := len(ogbBond)
	r.pairs, r.bondCodes = r.pairs[:0], r.bondCodes[:0]
	for _, e := range rows {
		r.pairs = append(r.pairs, g.Ends[2*e:2*e+2]...)
		r.bondCodes = append(r.bondCodes, g.Edge.Code[int(e)*k:int(e+1)*k]...)
	}
	return r.keepInts.keep(r.pairs), r.keepInts.keep(r.bondCodes)
}

// double puts the inverse after every bond, as OGB's loader does. A bond of an atom with itself
// stays one arc.
func (r *ogbReader) double(g *graph.Graph) (ends, codes []int32) {
	k := len(ogbBond)
	r.pairs, r.bondCodes = r.pairs[:0], r.bondCodes[:0]
	for e := range g.NumEdges() {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		code := g.Edge.Code[e*k : (e+1)*k]
		r.pairs = append(r.pairs, u, v)
		r.bondCodes = append(r.bondCodes, code...)
		if u != v {
			r.pairs = append(r.pairs, v, u)
			r.bondCodes = append(r.bondCodes, code...)
		}
	}
	return r.keepInts.keep(r.pairs), r.keepInts.keep(r.bondCodes)
}

// bothWays reports whether every row of an edge list has an inverse with the same k codes, in any
// order. rows are the rows that become edges: the first of each pair, and every loop.
func bothWays(ends, codes []int32, k int) (rows []int32, ok bool) {
	m := len(ends) / 2
	order := lists.Range[int32](m)
	// Sorting puts the rows of one pair of nodes next to each other: first one direction, then the
	// other, each in the order of the file. Parallel bonds pair up in that order.
	key := func(e int32) (lo, hi int32, back bool) {
		u, v := ends[2*e], ends[2*e+1]
		return min(u, v), max(u, v), u > v
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		alo, ahi, aback := key(a)
		blo, bhi, bback := key(b)
		switch {
		case alo != blo:
			return int(alo - blo)
		case ahi != bhi:
			return int(ahi - bhi)
		case aback == bback:
			return 0
		case bback:
			return -1
		}
		return 1
	})
	for i := 0; i < m; {
		lo, hi, _ := key(order[i])
		j, forward := i, 0
		for ; j < m; j++ {
			l, h, back := key(order[j])
			if l != lo || h != hi {
				break
			}
			if !back {
				forward++
			}
		}
		if lo == hi {
			rows = append(rows, order[i:j]...)
			i = j
			continue
		}
		if j-i != 2*forward {
			return nil, false
		}
		for x := i; x < i+forward; x++ {
			a, b := int(order[x]), int(order[x+forward])
			if !slices.Equal(codes[a*k:(a+1)*k], codes[b*k:(b+1)*k]) {
				return nil, false
			}
			rows = append(rows, int32(min(a, b)))
		}
		i = j
	}
	slices.Sort(rows)
	return rows, true
}

// countMissing counts NaNs.
func countMissing(values []float32) int {
	return lists.Count(values, func(v float32) bool { return v != v })
}

// cutter copies slices into few large arrays, so that a set of many small graphs does not need
// millions of allocations.
type cutter[T any] struct{ free []T }

// cutSize is the length of an array of a cutter.
const cutSize = 1 << 15

func (c *cutter[T]) keep(s []T) []T {
	if len(s) == 0 {
		return nil
	}
	if len(s) > len(c.free) {
		if len(s) > cutSize/4 { // too long: it would waste the rest of an array
			return slices.Clone(s)
		}
		c.free = make([]T, cutSize)
	}
	out := c.free[:len(s):len(s)]
	c.free = c.free[len(s):]
	copy(out, s)
	return out
}
