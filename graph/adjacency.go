package graph

import (
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// Adjacency is the pairwise structure of a graph for message passing between
// nodes. Row v of Messages lists the neighbours that send to v; weight id of an
// entry is its edge, so that both directions of an undirected edge share one
// weight. Self-loops are not in Messages: layers decide what a node sends to
// itself.
type Adjacency struct {
	Messages *tensor.Sparse // [n,n], weights by edge
	InEdges  *tensor.Sparse // [n,m], the edges behind the messages of each node
	Ends     *tensor.Index  // slot of each entry of the interleaved edge list: its node
	LoopEdge []int32        // the last self-loop edge of each node or -1; nil when there is none
}

// Adjacency returns the pairwise structure, built once. ok is false when a
// hyperedge does not have two ends by construction: for a dual, and for a
// general hypergraph.
func (h *Incidence) Adjacency() (a *Adjacency, ok bool) {
	c := h.core
	if h.flipped || c.ptr != nil {
		return nil, false
	}
	c.onceAdj.Do(c.buildAdjacency)
	return &c.adj, true
}

// Pairs returns source and target of every edge, when h is a graph.
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
				c.adj.LoopEdge = make([]int32, c.n)
				for i := range c.adj.LoopEdge {
					c.adj.LoopEdge[i] = -1
				}
			}
			c.adj.LoopEdge[c.ends[2*e]] = int32(e)
		}
	}
	ptr, edges := c.nodePtr, c.nodeEdges
	var col []int32
	if !loops && !c.directed {
		col = make([]int32, len(c.entry))
		for j, k := range c.entry {
			col[j] = c.ends[k^1]
		}
	} else {
		ptr, edges = make([]int32, c.n+1), make([]int32, 0, len(c.entry))
		col = make([]int32, 0, len(c.entry))
		for v := range c.n {
			for _, k := range c.entry[c.nodePtr[v]:c.nodePtr[v+1]] {
				other := c.ends[k^1]
				if other == int32(v) || c.directed && k&1 == 0 {
					continue
				}
				col = append(col, other)
				edges = append(edges, k/2)
			}
			ptr[v+1] = int32(len(col))
		}
	}
	c.adj.Messages = tensor.NewSparse(tensor.SparseConfig{Rows: c.n, Cols: c.n, Ptr: ptr, Col: col,
		Weight: edges, NumWeights: c.m, Symmetric: !c.directed})
	c.adj.InEdges = tensor.NewSparse(tensor.SparseConfig{Rows: c.n, Cols: c.m, Ptr: ptr, Col: edges})
}

// gcnNorm is D^-1/2·(A+I)·D^-1/2 split into neighbours and diagonal.
type gcnNorm struct {
	messages *tensor.Sparse
	self     *tensor.Tensor
}

// GCN returns the symmetrically normalised adjacency with self-loops of an
// unweighted graph: the part between different nodes and the diagonal [n]. The
// degree is counted at the target. ok is as in Adjacency.
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
		for v := range c.n {
			degree := float64(m.Ptr[v+1]-m.Ptr[v]) + 1
			inv[v] = float32(1 / math.Sqrt(degree))
			self.Data()[v] = float32(1 / degree)
		}
		norm := m.SparseConfig
		norm.Coef = make([]float32, len(norm.Col))
		for v := range c.n {
			for k := norm.Ptr[v]; k < norm.Ptr[v+1]; k++ {
				norm.Coef[k] = inv[v] * inv[norm.Col[k]]
			}
		}
		c.gcn = gcnNorm{messages: tensor.NewSparse(norm), self: self}
	})
	return c.gcn.messages, c.gcn.self, true
}
