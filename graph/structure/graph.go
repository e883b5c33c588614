package structure

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Graph is the base that edges are described by. A group of columns computes what it needs of the
// whole graph when one of its columns is first asked for, and keeps it. Only one goroutine may use
// a Graph at a time.
type Graph struct {
	n        int
	directed bool
	pool     *par.Pool
	// place is the number of a node in this Graph. Nodes are numbered in the order in which edges
	// name them. So results depend only on the edges, to the bit, and not on other nodes or on the
	// numbering of the caller.
	place []int32

	// The neighbours of node v are nbr[ptr[v]:ptr[v+1]], ascending, without v. out and in are the
	// numbers of edges to and from each neighbour. In an undirected graph they are the same slice.
	ptr          []int32
	nbr, out, in []int32

	loops               []int32 // of each node
	outDegree, inDegree []int32 // number of neighbours with edges from the node and to it
	outEdges, inEdges   []int32 // number of edges, loops included

	begun map[string]func(row []float32, q *query) // by group: the result of block.begin

	base  *Graph     // the graph that edges were added to, or nil
	added []int32    // the ends of the added edges, ascending
	drawn [][]uint64 // see signs
	kept  *keptSteps // see knownSteps
	core  []int32    // see coreNumbers
}

// New makes the base of some nodes and edges. Edge e joins ends[2e] and ends[2e+1].
func New(nodes int, ends []int32, directed bool, pool *par.Pool) (*Graph, error) {
	if err := check(nodes, ends); err != nil {
		return nil, err
	}
	g := &Graph{n: nodes, directed: directed, pool: pool}
	g.number(ends)
	g.join(g.placed(ends))
	g.count()
	return g, nil
}

func check(nodes int, ends []int32) error {
	if nodes < 0 || len(ends)%2 != 0 {
		return fmt.Errorf("structure: %d nodes and %d ends of edges, expected 0 or more nodes and two ends an edge", nodes, len(ends))
	}
	for i, v := range ends {
		if v < 0 || int(v) >= nodes {
			return fmt.Errorf("structure: edge %d ends in node %d, expected 0 to %d", i/2, v, nodes-1)
		}
	}
	return nil
}

// number sets the places of the nodes.
func (g *Graph) number(ends []int32) {
	g.place = lists.Repeat[int32](-1, g.n)
	next := int32(0)
	put := func(v int32) {
		if g.place[v] < 0 {
			g.place[v] = next
			next++
		}
	}
	for _, v := range ends {
		put(v)
	}
	for v := range int32(g.n) {
		put(v)
	}
}

// placed returns the places of the ends of edges.
func (g *Graph) placed(ends []int32) []int32 {
	return lists.Take(g.place, ends)
}

// join lists the neighbours of each node.
func (g *Graph) join(ends []int32) {
	g.loops = make([]int32, g.n)
	first := make([]int32, g.n+1)
	for i := 0; i < len(ends); i += 2 {
		u, v := ends[i], ends[i+1]
		if u == v {
			g.loops[u]++
			continue
		}
		first[u+1]++
		first[v+1]++
	}
	for v := range g.n {
		first[v+1] += first[v]
	}
	// The other end of each edge at a node. It is the complement if the edge leads to the node.
	other, next := make([]int32, first[g.n]), append([]int32(nil), first...)
	for i := 0; i < len(ends); i += 2 {
		u, v := ends[i], ends[i+1]
		if u == v {
			continue
		}
		other[next[u]] = v
		next[u]++
		if other[next[v]] = ^u; !g.directed {
			other[next[v]] = u
		}
		next[v]++
	}
	// Because the nodes come in their order, each list is filled in order, too, and equal
	// neighbours are next to each other.
	g.nbr, g.out = make([]int32, len(other)), make([]int32, len(other))
	if g.in = g.out; g.directed {
		g.in = make([]int32, len(other))
	}
	copy(next, first)
	for v := range int32(g.n) {
		for _, w := range other[first[v]:first[v+1]] {
			from := w < 0 // the edge leads from w to v
			if from {
				w = ^w
			}
			at := next[w]
			if at == first[w] || g.nbr[at-1] != v {
				g.nbr[at] = v
				at++
				next[w] = at
			}
			if from || !g.directed {
				g.out[at-1]++
			} else {
				g.in[at-1]++
			}
		}
	}
	g.compact(first, next)
}

// compact closes the gaps that parallel edges left behind the lists.
func (g *Graph) compact(first, end []int32) {
	at := int32(0)
	for v := range g.n {
		lo, hi := first[v], end[v]
		copy(g.nbr[at:], g.nbr[lo:hi])
		copy(g.out[at:], g.out[lo:hi])
		if g.directed {
			copy(g.in[at:], g.in[lo:hi])
		}
		first[v] = at
		at += hi - lo
	}
	first[g.n] = at
	g.ptr, g.nbr, g.out, g.in = first, g.nbr[:at], g.out[:at], g.in[:at]
}

// count counts neighbours and edges of each node.
func (g *Graph) count() {
	g.outDegree, g.outEdges = make([]int32, g.n), make([]int32, g.n)
	if g.inDegree, g.inEdges = g.outDegree, g.outEdges; g.directed {
		g.inDegree, g.inEdges = make([]int32, g.n), make([]int32, g.n)
	}
	g.each(func(v int32) {
		out, in, outEdges, inEdges := int32(0), int32(0), g.loops[v], g.loops[v]
		for k := g.ptr[v]; k < g.ptr[v+1]; k++ {
			if g.out[k] > 0 {
				out++
				outEdges += g.out[k]
			}
			if g.in[k] > 0 {
				in++
				inEdges += g.in[k]
			}
		}
		g.outDegree[v], g.outEdges[v] = out, outEdges
		g.inDegree[v], g.inEdges[v] = in, inEdges
	})
}

// each calls f for every node, on all threads.
func (g *Graph) each(f func(v int32)) {
	g.pool.Balanced(g.ptr, 4096, func(lo, hi int) {
		for v := int32(lo); v < int32(hi); v++ {
			f(v)
		}
	})
}

// all returns the number of neighbours of a node.
func (g *Graph) all(v int32) int32 { return g.ptr[v+1] - g.ptr[v] }

// edges returns the number of edges from the first of two ends to the second, and of those back.
// Both are the same number for a loop and in an undirected graph.
func (g *Graph) edges(ends [2]int32) [2]int32 {
	u, v := ends[0], ends[1]
	if u == v {
		return [2]int32{g.loops[u], g.loops[u]}
	}
	if k := g.first(g.ptr[u], g.ptr[u+1], v); k < g.ptr[u+1] && g.nbr[k] == v {
		return [2]int32{g.out[k], g.in[k]}
	}
	return [2]int32{}
}

// first returns the first position from lo to hi of a neighbour that is not below v, or hi if there
// is none.
func (g *Graph) first(lo, hi, v int32) int32 {
	at, _ := slices.BinarySearch(g.nbr[lo:hi], v)
	return lo + int32(at)
}
