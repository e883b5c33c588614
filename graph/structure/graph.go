package structure

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Graph is the base that edges are described by. What groups of columns need of all of it is
// computed with the first of their columns, and kept. One goroutine uses it at a time.
type Graph struct {
	n        int
	directed bool
	pool     *par.Pool
	// place is the number that a node has here: nodes are taken in the order in which the
	// edges name them. Results then depend on the edges alone, to the bit, and not on which
	// other nodes there are or how all are numbered.
	place []int32

	// The neighbours of node v are nbr[ptr[v]:ptr[v+1]], rising, without v. out and in are
	// the numbers of edges to each of them and from it; in an undirected graph they are one
	// slice.
	ptr          []int32
	nbr, out, in []int32

	loops               []int32 // of each node
	outDegree, inDegree []int32 // neighbours with edges to or from them
	outEdges, inEdges   []int32 // edges, loops included

	begun map[string]func(row []float32, q *query) // by group: what block.begin has returned

	base  *Graph     // of a graph that was made of another by adding edges; else nil
	added []int32    // the ends of these, rising
	drawn [][]uint64 // see signs
	kept  *keptSteps // see knownSteps
	core  []int32    // see coreNumbers
}

// New builds the base of some nodes and edges: edge e joins ends[2e] and ends[2e+1].
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

// number gives the nodes their places.
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

// placed are the places of the ends of edges.
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
	// The other end of each edge at a node; its complement where the edge leads to the node.
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
	// Taking the nodes in their order appends to each list in order, too, so that equal
	// neighbours come one after the other.
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

// compact closes the gaps that parallel edges have left behind the lists.
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

// all is the number of neighbours of a node.
func (g *Graph) all(v int32) int32 { return g.ptr[v+1] - g.ptr[v] }

// edges is the number of edges from the first of two ends to the second, and back; both times
// the same of a loop and in an undirected graph.
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

// first is the first place from lo to hi of a neighbour that is not below v; hi if there is
// none.
func (g *Graph) first(lo, hi, v int32) int32 {
	at, _ := slices.BinarySearch(g.nbr[lo:hi], v)
	return lo + int32(at)
}
