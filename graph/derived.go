package graph

import (
	"sync"

	"github.com/ehgnn/ehgnn/tensor"
)

// derivedKey tells apart what callers derive from one core: by their key, the
// side of the incidence, and its convention for loops.
type derivedKey struct {
	key     any
	flipped bool
	loops   Loops
}

// Derived returns what build makes from the structure of h alone, built by the
// first call with this key and kept as long as h: a layer that needs its own
// arrangement of the entries has it built once per batch, not once per layer and
// pass. As for context values, key is of a type of the caller's own, so that two
// callers cannot meet; all calls with equal keys ask for the same T.
func Derived[T any](h *Incidence, key any, build func() T) T {
	return derive(h.core, derivedKey{key, h.flipped, h.loops}, build)
}

func derive[T any](c *core, k derivedKey, build func() T) T {
	once, ok := c.derived.Load(k)
	if !ok {
		once, _ = c.derived.LoadOrStore(k, sync.OnceValue(build))
	}
	return once.(func() T)()
}

// Loops is the convention for loops that message passing over hyperedges
// follows.
func (h *Incidence) Loops() Loops { return h.loops }

type loopEdgesKey struct{}

// AdjacencyWithLoops is Adjacency for layers to which a self-loop edge is an
// edge like any other: Messages, InEdges and Arcs have it, once, as a message
// from the node to itself. Arcs(true) adds the loop of each node besides.
// Without self-loop edges it is Adjacency itself.
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
			// The first end receives in undirected graphs only, and not from itself
			// once more.
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
