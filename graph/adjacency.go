package graph

import (
	"math"
	"sync"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Adjacency is the pairwise structure of a graph for message passing between nodes. Row v of
// Messages lists the neighbours that send to v. The weight id of an entry is its edge, so both
// directions of an undirected edge share one weight. Messages has no self-loops: each layer decides
// what a node sends to itself.
type Adjacency struct {
	Messages *tensor.Sparse // [n,n], weights by edge
	InEdges  *tensor.Sparse // [n,m], the edges of the messages to each node
	Ends     *tensor.Index  // a slot for each entry of the interleaved edge list: its node
	LoopEdge []int32        // the last self-loop edge of each node or -1; nil when there is none

	onceArcs [2]sync.Once
	arcs     [2]Arcs
}

// Arcs lists the messages one by one, for layers whose messages depend on both
// ends or on the edge. Arc k goes from node Src[k] to node Dst[k] along edge
// Edge[k]; an undirected edge has two. They are sorted by Dst.
type Arcs struct {
	Src, Dst *tensor.Index // slots are nodes
	// Edge has the edge of each arc. With loops, slot m+v stands for the loop added to node v.
	Edge *tensor.Index
	// Sum [n,n] has an entry for each arc, with a weight of its own. SpMM of Sum and the features
	// sums the features of the sources at each target.
	Sum *tensor.Sparse
}

// Arcs returns the messages between different nodes, in the order of their target. With loops, each
// node also sends to itself, after all its other messages. Self-loop edges of the graph are left
// out.
func (a *Adjacency) Arcs(loops bool) *Arcs {
	k := 0
	if loops {
		k = 1
	}
	a.onceArcs[k].Do(func() { a.arcs[k] = a.buildArcs(loops) })
	return &a.arcs[k]
}

func (a *Adjacency) buildArcs(loops bool) Arcs {
	m := a.Messages
	n, edges := m.Rows, m.NumWeights
	size := len(m.Col)
	slots := edges
	if loops {
		size += n
		slots += n
	}
	ptr := make([]int32, n+1)
	src, dst, edge := make([]int32, 0, size), make([]int32, 0, size), make([]int32, 0, size)
	for v := range n {
		for k := m.Ptr[v]; k < m.Ptr[v+1]; k++ {
			src, dst, edge = append(src, m.Col[k]), append(dst, int32(v)), append(edge, m.Weight[k])
		}
		if loops {
			src, dst, edge = append(src, int32(v)), append(dst, int32(v)), append(edge, int32(edges+v))
		}
		ptr[v+1] = int32(len(src))
	}
	return Arcs{Src: tensor.MustIndex(src, n), Dst: tensor.MustIndex(dst, n), Edge: tensor.MustIndex(edge, slots),
		Sum: tensor.NewSparse(tensor.SparseConfig{Rows: n, Cols: n, Ptr: ptr, Col: src})}
}

// Adjacency returns the pairwise structure, built once. ok is false if h is not a graph but a dual
// or a general hypergraph.
func (h *Incidence) Adjacency() (a *Adjacency, ok bool) {
	c := h.core
	if h.flipped || c.ptr != nil {
		return nil, false
	}
	c.onceAdj.Do(c.buildAdjacency)
	return &c.adj, true
}

// Pairs returns the source and target of every edge. ok is false if h is not a graph.
func (h *Incidence) Pairs() (src, dst *tensor.Index, ok bool) {
	c := h.core
	if h.flipped || c.ptr != nil {
		return nil, nil, false
	}
	s, d := make([]int32, c.m), make([]int32, c.m)
	for e := range c.m {
		s[e], d[e] = c.ends[2*e], c.ends[2*e+1]
	}
	return tensor.MustIndex(s, c.n), tensor.MustIndex(d, c.n), true
}

func (c *core) buildAdjacency() {
	c.byNode()
	c.adj.Ends = tensor.IndexWithSegments(c.ends, c.n, c.nodePtr, c.entry)
	loops := false
	for e := range c.m {
		if c.ends[2*e] == c.ends[2*e+1] {
			if !loops {
				loops = true
				c.adj.LoopEdge = lists.Repeat[int32](-1, c.n)
			}
			c.adj.LoopEdge[c.ends[2*e]] = int32(e)
		}
	}
	ptr, edges, col := c.nodePtr, c.nodeEdges, c.tape.Ints(len(c.entry))
	if !loops && !c.directed {
		for j, k := range c.entry {
			col[j] = c.ends[k^1]
		}
	} else {
		ptr, edges = c.tape.Ints(c.n+1), c.tape.Ints(len(c.entry))
		at := 0
		for v := range c.n {
			ptr[v] = int32(at)
			for _, k := range c.entry[c.nodePtr[v]:c.nodePtr[v+1]] {
				// Each entry is written, and the next one overwrites it if it is not a message. A
				// branch here would be mispredicted often.
				other := c.ends[k^1]
				col[at], edges[at] = other, k/2
				message := 1
				if c.directed {
					message = int(k & 1)
				}
				if other == int32(v) {
					message = 0
				}
				at += message
			}
		}
		ptr[c.n] = int32(at)
		col, edges = col[:at], edges[:at]
	}
	messages := tensor.SparseConfig{Rows: c.n, Cols: c.n, Ptr: ptr, Col: col, Weight: edges, NumWeights: c.m, Symmetric: !c.directed}
	in := tensor.SparseConfig{Rows: c.n, Cols: c.m, Ptr: ptr, Col: edges}
	c.adj.Messages, c.adj.InEdges = tensor.NewSparse(messages), tensor.NewSparse(in)
	if loops {
		return
	}
	// Without loops, the entries with weight e are the messages to both ends of
	// edge e, or, in a directed graph, to its second end.
	c.adj.Messages.WithEntriesByWeight(func() (ptr, row, col []int32) {
		ptr = c.tape.Ints(c.m + 1)
		if c.directed {
			row, col = c.tape.Ints(c.m), c.tape.Ints(c.m)
			for e := range c.m {
				ptr[e], row[e], col[e] = int32(e), c.ends[2*e+1], c.ends[2*e]
			}
			ptr[c.m] = int32(c.m)
			return ptr, row, col
		}
		for e := range ptr {
			ptr[e] = int32(2 * e)
		}
		col = c.tape.Ints(len(c.ends))
		for k := range col {
			col[k] = c.ends[k^1]
		}
		return ptr, c.ends, col
	})
	if !c.directed {
		c.adj.InEdges.WithTranspose(func() *tensor.Sparse {
			return tensor.NewSparse(tensor.SparseConfig{Rows: c.m, Cols: c.n, Width: 2, Col: c.ends})
		})
	}
}

// gcnNorm is D^-1/2·(A+I)·D^-1/2 split into neighbours and diagonal.
type gcnNorm struct {
	messages *tensor.Sparse
	self     *tensor.Tensor
}

// GCN returns the symmetrically normalised adjacency with self-loops of an unweighted graph: the
// part between different nodes, and the diagonal [n]. Degrees are counted at the target. ok is as
// in Adjacency.
func (h *Incidence) GCN() (messages *tensor.Sparse, self *tensor.Tensor, ok bool) {
	a, ok := h.Adjacency()
	if !ok {
		return nil, nil, false
	}
	c := h.core
	c.onceGCN.Do(func() {
		m := a.Messages
		inv := make([]float32, c.n)
		self := tensor.New(c.n)
		own := self.Data()
		for v := range c.n {
			degree := float64(m.Ptr[v+1]-m.Ptr[v]) + 1
			inv[v] = float32(1 / math.Sqrt(degree))
			own[v] = float32(1 / degree)
		}
		norm := m.SparseConfig
		norm.Coef = make([]float32, len(norm.Col))
		for v := range c.n {
			for k := norm.Ptr[v]; k < norm.Ptr[v+1]; k++ {
				u := norm.Col[k]
				norm.Coef[k] = inv[v] * inv[u]
				// A neighbour of equal degree gets exactly the weight of the node itself. So nodes
				// that are equal in exact arithmetic are also equal in a maximum.
				if own[u] == own[v] {
					norm.Coef[k] = own[v]
				}
			}
		}
		c.gcn = gcnNorm{messages: tensor.NewSparse(norm), self: self}
	})
	return c.gcn.messages, c.gcn.self, true
}
