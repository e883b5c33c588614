package graph

import (
	"sync"

	"github.com/ehgnn/ehgnn/tensor"
)

// derivedKey identifies a structure derived from a core: the caller's key, the side of the
// incidence, and the convention for loops.
type derivedKey struct {
	key     any
	flipped bool
	loops   Loops
}

// Derived returns the result of build, which must depend only on the structure of h. The first call
// with a key runs build. The result is kept as long as h, so a layer builds its own arrangement of
// the entries once per batch and not in every layer and pass. As for context values, key has a type
// of the caller's own, so that the keys of two callers differ. All calls with equal keys use the
// same T.
func Derived[T any](h *Incidence, key any, build func() T) T {
	return derive(h.core, derivedKey{key, h.flipped, h.loops}, build)
}

func derive[T any](c *core, k derivedKey, build func() T) T {
	once, ok := c.derived.Load(k)
	if !ok {
		once, _ = c.derived.LoadOrStore(k, sync.OnceValue(func() T {
			built := false
			defer func() {
				if !built { // build panicked: the next call tries again
					c.derived.Delete(k)
				}
			}()
			v := build()
			built = true
			return v
		}))
	}
	return once.(func() T)()
}

// Loops returns the convention for loops in message passing over hyperedges.
func (h *Incidence) Loops() Loops { return h.loops }

type reversedKey struct{}

// Reversed returns a directed graph with every edge reversed, built once. For an undirected graph,
// a dual and a hypergraph it returns h.
func (h *Incidence) Reversed() *Incidence {
	c := h.core
	if !c.directed || !h.isGraph() {
		return h
	}
	return Derived(h, reversedKey{}, func() *Incidence {
		ends := make([]int32, len(c.ends))
		for k := range ends {
			ends[k] = c.ends[k^1]
		}
		return pairIncidence(c.n, ends, true, h.loops)
	})
}

type loopEdgesKey struct{}

// AdjacencyWithLoops is Adjacency for layers that treat a self-loop edge like any other edge:
// Messages, InEdges and Arcs contain it once, as a message from the node to itself. Arcs(true) adds
// one more loop to each node. Without self-loop edges it returns Adjacency.
func (h *Incidence) AdjacencyWithLoops() (a *Adjacency, ok bool) {
	a, ok = h.Adjacency()
	if !ok || a.LoopEdge == nil {
		return a, ok
	}
	return derive(h.core, derivedKey{key: loopEdgesKey{}}, func() *Adjacency { return h.core.loopedAdjacency(a) }), true
}

func (c *core) loopedAdjacency(a *Adjacency) *Adjacency {
	ptr := make([]int32, c.n+1)
	var col, edges []int32
	for v := range c.n {
		for _, k := range c.entry[c.nodePtr[v]:c.nodePtr[v+1]] {
			// The first end receives only in undirected graphs. Of a self-loop only the second end
			// receives.
			if k&1 == 0 && (c.directed || c.ends[k^1] == int32(v)) {
				continue
			}
			col = append(col, c.ends[k^1])
			edges = append(edges, k/2)
		}
		ptr[v+1] = int32(len(col))
	}
	return &Adjacency{Ends: a.Ends, LoopEdge: a.LoopEdge,
		Messages: tensor.NewSparse(tensor.SparseConfig{Rows: c.n, Cols: c.n, Ptr: ptr, Col: col,
			Weight: edges, NumWeights: c.m, Symmetric: !c.directed}),
		InEdges: tensor.NewSparse(tensor.SparseConfig{Rows: c.n, Cols: c.m, Ptr: ptr, Col: edges})}
}
