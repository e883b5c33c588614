package links

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// CSR has a sorted list of neighbours for each node. Each neighbour is in the list once.
type CSR struct {
	Ptr []int
	Adj []int32
}

// Of returns the neighbours of a node.
func (c *CSR) Of(u int32) []int32 { return c.Adj[c.Ptr[u]:c.Ptr[u+1]] }

// Degree returns the number of neighbours of a node.
func (c *CSR) Degree(u int32) int { return c.Ptr[u+1] - c.Ptr[u] }

// Has reports whether v is a neighbour of u.
func (c *CSR) Has(u, v int32) bool {
	_, ok := slices.BinarySearch(c.Of(u), v)
	return ok
}

// Common calls f for each common neighbour of u and v, in ascending order, with its positions in
// their two lists.
func (c *CSR) Common(u, v int32, f func(i, j int)) {
	a, b := c.Of(u), c.Of(v)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			f(i, j)
			i, j = i+1, j+1
		}
	}
}

// newCSR lists the second nodes of pairs by their first node (out), the first nodes by their second
// (in), or both in one list.
func newCSR(nodes int, pairs [][2]int32, out, in bool) *CSR {
	c := &CSR{Ptr: make([]int, nodes+1)}
	each := func(f func(u, v int32)) { // ascending pairs give ascending lists
		if in {
			for _, p := range pairs {
				f(p[1], p[0])
			}
		}
		if out {
			for _, p := range pairs {
				f(p[0], p[1])
			}
		}
	}
	each(func(u, _ int32) { c.Ptr[u+1]++ })
	for i := range nodes {
		c.Ptr[i+1] += c.Ptr[i]
	}
	c.Adj = make([]int32, c.Ptr[nodes])
	at := slices.Clone(c.Ptr)
	each(func(u, v int32) {
		c.Adj[at[u]] = v
		at[u]++
	})
	end := 0
	for u := range nodes {
		row := c.Adj[c.Ptr[u]:c.Ptr[u+1]]
		slices.Sort(row)
		row = slices.Compact(row)
		c.Ptr[u] = end
		end += copy(c.Adj[end:], row)
	}
	c.Ptr[nodes] = end
	c.Adj = slices.Clip(c.Adj[:end])
	return c
}

// Graph has the pairs that may be seen. Both is their simple undirected graph. In a directed or
// bipartite graph Out and In are the neighbours by direction; in an undirected graph they equal
// Both.
type Graph struct {
	Nodes         int
	Kind          Kind
	Both, Out, In *CSR
	hash          []uint64 // of the nodes; they decide which edges of hubs are kept
}

// NewGraph returns the graph of the given pairs of the data.
func NewGraph(d *Data, pairs []int32) *Graph {
	arcs := lists.Take(d.Pairs, pairs)
	return GraphOf(d.Kind, d.Hash, arcs)
}

// GraphOf returns the graph of pairs of nodes. The hashes decide which edges of a hub are kept.
func GraphOf(kind Kind, hash []uint64, pairs [][2]int32) *Graph {
	nodes := len(hash)
	g := &Graph{Nodes: nodes, Kind: kind, Both: newCSR(nodes, pairs, true, true), hash: hash}
	if g.Out, g.In = g.Both, g.Both; kind != Undirected {
		g.Out, g.In = newCSR(nodes, pairs, true, false), newCSR(nodes, pairs, false, true)
	}
	return g
}

// MostNeighbours is the largest number of neighbours for which walks follow all edges of a node.
const MostNeighbours = 10_000

var mostNeighbours = MostNeighbours

// walks are the pairs that walks follow. An edge is left out if, at an end that is a hub, it is not
// among the first edges in the order of tie.
type walks struct{ both, out, in *CSR }

// cutHubs returns the walks of a graph, and the number of nodes with more than mostNeighbours
// neighbours.
func (g *Graph) cutHubs() (w walks, hubs int) {
	kept := map[int32][]int32{} // neighbours of each hub, in ascending order
	for u := range int32(g.Nodes) {
		if g.Both.Degree(u) > mostNeighbours {
			of := slices.Clone(g.Both.Of(u))
			slices.SortFunc(of, func(a, b int32) int {
				return cmp.Or(cmp.Compare(tie(0, g.hash[u], g.hash[a]), tie(0, g.hash[u], g.hash[b])), cmp.Compare(a, b))
			})
			of = slices.Clone(of[:mostNeighbours])
			slices.Sort(of)
			kept[u] = of
		}
	}
	keeps := func(u, v int32) bool {
		of, hub := kept[u]
		if !hub {
			return true
		}
		_, ok := slices.BinarySearch(of, v)
		return ok
	}
	cut := func(c *CSR) *CSR {
		if len(kept) == 0 {
			return c
		}
		out := &CSR{Ptr: make([]int, 1, g.Nodes+1)}
		for u := range int32(g.Nodes) {
			for _, v := range c.Of(u) {
				if keeps(u, v) && keeps(v, u) {
					out.Adj = append(out.Adj, v)
				}
			}
			out.Ptr = append(out.Ptr, len(out.Adj))
		}
		return out
	}
	w.both = cut(g.Both)
	if w.out, w.in = w.both, w.both; g.Kind != Undirected {
		w.out, w.in = cut(g.Out), cut(g.In)
	}
	return w, len(kept)
}

// Visible lists the pairs that are in the graph when a part is scored: the training pairs, the
// shown pairs of this and earlier held-out parts, and with testSeesValid also the validation pairs
// for the test part. For the training part it lists the training pairs alone.
func (s *Split) Visible(part int8, testSeesValid bool) []int32 {
	return s.pairsWhere(s.visible(part, testSeesValid))
}

// visible returns a function that reports whether a pair, given by its number and its part, is in
// the graph when a part is scored.
func (s *Split) visible(part int8, testSeesValid bool) func(i int, of int8) bool {
	return func(i int, of int8) bool {
		return of == Train || part != Train && of >= 0 && of <= part && s.Shown != nil && s.Shown[i] || part == Test && of == Valid && testSeesValid
	}
}

// SameGraph reports whether the same pairs are in the graph when either of two parts is scored.
func (s *Split) SameGraph(a, b int8, testSeesValid bool) bool {
	one, other := s.visible(a, testSeesValid), s.visible(b, testSeesValid)
	for i, of := range s.Part {
		if one(i, of) != other(i, of) {
			return false
		}
	}
	return true
}
