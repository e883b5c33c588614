package graph

import (
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/tensor"
)

// Incidence is the structure of a hypergraph: which of n vertices each of m hyperedges joins. It is
// the matrix M of the paper in sparse form. A vertex may occur in a hyperedge twice (a self-loop);
// M counts it twice.
//
// Dual returns the transpose. Both share one core, so the derived structures are built once for
// both. An Incidence is immutable and safe for concurrent use.
type Incidence struct {
	core    *core
	flipped bool // rows are the core's edges
	loops   Loops
	dual    *Incidence
}

// Loops says which extra hyperedge each vertex gets for itself in message passing over hyperedges.
type Loops uint8

const (
	// LoopsNone adds no hyperedges: the plain product D⁻¹·H·B⁻¹·Hᵀ.
	LoopsNone Loops = iota
	// LoopsKeep gives every vertex a hyperedge of its own and keeps all others. On the dual of an
	// undirected graph, each edge (edges at leaves too) then averages over its two nodes and
	// itself. The authors' directed form computes the same.
	LoopsKeep
	// LoopsReplaceSingletons removes hyperedges with a single entry before each vertex gets its
	// own, as in the authors' code. With each bond as two arcs there are no such hyperedges. With
	// each bond as one arc the hyperedge of a leaf is removed.
	LoopsReplaceSingletons
	numLoops
)

// core holds the entries of M once, hyperedge by hyperedge.
type core struct {
	n, m     int
	directed bool
	ends     []int32 // vertices of hyperedge e: ends[2e] and ends[2e+1], or by ptr
	ptr      []int32 // nil if each hyperedge has two entries
	// tape, if not nil, gives derived structures their memory. It is set for a graph after a
	// training step has dropped edges.
	tape *tensor.Tape

	onceNodes sync.Once
	nodePtr   []int32 // entries of vertex v: entry[nodePtr[v]:nodePtr[v+1]]
	entry     []int32 // positions in ends, rising
	nodeEdges []int32 // hyperedge of each element of entry

	onceRows         sync.Once
	byEdge, byVertex *tensor.Sparse // M by hyperedges and by vertices

	onceAdj sync.Once
	adj     Adjacency
	onceGCN sync.Once
	gcn     gcnNorm

	onceHyper [2][numLoops]sync.Once
	hyper     [2][numLoops]tensor.Hops

	derived sync.Map // what Derived has built
}

// defaultLoops is the convention under which directed graphs, the authors' form, and undirected
// graphs give the same numbers.
func defaultLoops(directed bool) Loops {
	if directed {
		return LoopsReplaceSingletons
	}
	return LoopsKeep
}

// pairIncidence wraps an edge list, which is kept and not copied.
func pairIncidence(n int, ends []int32, directed bool, loops Loops) *Incidence {
	return wrap(&core{n: n, m: len(ends) / 2, ends: ends, directed: directed}, loops)
}

func wrap(c *core, loops Loops) *Incidence {
	h := &Incidence{core: c, loops: loops}
	h.dual = &Incidence{core: c, loops: loops, flipped: true, dual: h}
	return h
}

// NewPairs returns the incidence of a graph of n nodes whose edge e joins ends[2e] and ends[2e+1].
// It keeps the list and does not copy it.
func NewPairs(n int, ends []int32, directed bool) (*Incidence, error) {
	if len(ends)%2 != 0 {
		return nil, fmt.Errorf("graph: edge list has %d ends, expected two per edge", len(ends))
	}
	for i, v := range ends {
		if v < 0 || int(v) >= n {
			return nil, fmt.Errorf("graph: edge %d ends in node %d, expected 0 to %d", i/2, v, n-1)
		}
	}
	return pairIncidence(n, ends, directed, defaultLoops(directed)), nil
}

// NewIncidence returns a hypergraph of n vertices and m hyperedges from its hyperedge list: entry i
// puts vertex[i] into hyperedge edge[i]. Entries may come in any order. Their order within a
// hyperedge is kept. Message passing adds no loops unless WithLoops asks for them.
func NewIncidence(n, m int, vertex, edge []int32) (*Incidence, error) {
	if len(vertex) != len(edge) {
		return nil, fmt.Errorf("graph: incidence: %d vertices for %d hyperedges, expected one pair per entry", len(vertex), len(edge))
	}
	byEdge, err := tensor.NewIndex(edge, m)
	if err != nil {
		return nil, fmt.Errorf("graph: incidence: hyperedges: %w", err)
	}
	if _, err := tensor.NewIndex(vertex, n); err != nil {
		return nil, fmt.Errorf("graph: incidence: vertices: %w", err)
	}
	ptr, perm := byEdge.Segments()
	ends := vertex
	if perm != nil {
		ends = make([]int32, len(vertex))
		for i, k := range perm {
			ends[i] = vertex[k]
		}
	}
	return wrap(&core{n: n, m: m, ends: ends, ptr: ptr, directed: true}, LoopsNone), nil
}

// Dual returns the transpose: hyperedges become vertices. It does no work, and Dual().Dual() is h.
func (h *Incidence) Dual() *Incidence { return h.dual }

// WithLoops returns the same structure with another convention for loops.
func (h *Incidence) WithLoops(l Loops) *Incidence {
	if h.loops == l {
		return h
	}
	g := wrap(h.core, l)
	if h.flipped {
		return g.dual
	}
	return g
}

// NumVertices is the number of rows n.
func (h *Incidence) NumVertices() int {
	if h.flipped {
		return h.core.m
	}
	return h.core.n
}

// NumEdges is the number of hyperedges m.
func (h *Incidence) NumEdges() int {
	if h.flipped {
		return h.core.n
	}
	return h.core.m
}

// Entries is the number of (vertex, hyperedge) pairs: 2m for a graph.
func (h *Incidence) Entries() int { return len(h.core.ends) }

// Directed reports whether the edges of a graph pass messages only from their first to their second
// end.
func (h *Incidence) Directed() bool { return h.core.directed }

// Ends returns the interleaved edge list of a graph, or nil for a hypergraph and for a dual. It
// must not be changed.
func (h *Incidence) Ends() []int32 {
	if h.flipped || h.core.ptr != nil {
		return nil
	}
	return h.core.ends
}

// List returns the hyperedge list L* of the paper (appendix A.2): entry i says that vertex[i] is in
// hyperedge edge[i]. For the dual of a graph these are the edge ids 0,0,1,1,... and the edge list
// itself. This call builds one of the two slices. Message passing does not need it.
func (h *Incidence) List() (vertex, edge []int32) {
	owner := make([]int32, len(h.core.ends))
	for e := range h.core.m {
		lo, hi := h.core.edge(e)
		for k := lo; k < hi; k++ {
			owner[k] = int32(e)
		}
	}
	if h.flipped {
		return owner, h.core.ends
	}
	return h.core.ends, owner
}

func (c *core) edge(e int) (lo, hi int) {
	if c.ptr == nil {
		return 2 * e, 2*e + 2
	}
	return int(c.ptr[e]), int(c.ptr[e+1])
}

// byNode sorts the entries by vertex, once.
func (c *core) byNode() {
	c.onceNodes.Do(func() {
		c.nodePtr = c.tape.Ints(c.n + 1)
		clear(c.nodePtr)
		for _, v := range c.ends {
			c.nodePtr[v+1]++
		}
		for i := range c.n {
			c.nodePtr[i+1] += c.nodePtr[i]
		}
		c.entry = c.tape.Ints(len(c.ends))
		c.nodeEdges = c.tape.Ints(len(c.ends))
		// Filling moves each pointer to that of the next vertex. Moving the pointers back by one
		// restores them.
		put := func(k, e int) {
			at := &c.nodePtr[c.ends[k]]
			c.entry[*at], c.nodeEdges[*at] = int32(k), int32(e)
			*at++
		}
		if c.ptr == nil {
			for k := range c.ends {
				put(k, k/2)
			}
		} else {
			for e := range c.m {
				for k := c.ptr[e]; k < c.ptr[e+1]; k++ {
					put(int(k), e)
				}
			}
		}
		copy(c.nodePtr[1:], c.nodePtr[:c.n])
		c.nodePtr[0] = 0
	})
}

// keepEdges returns the structure with the listed edges only, in that order, in the tape's memory.
func (h *Incidence) keepEdges(ids []int32, tape *tensor.Tape) *Incidence {
	c := h.core
	if h.flipped || c.ptr != nil {
		panic(&tensor.ShapeError{Op: "KeepEdges", Shapes: [][]int{{c.n, c.m}}, Want: "the edges of a graph"})
	}
	ends := tape.Ints(2 * len(ids))
	for i, e := range ids {
		ends[2*i], ends[2*i+1] = c.ends[2*e], c.ends[2*e+1]
	}
	kept := pairIncidence(c.n, ends, c.directed, h.loops)
	kept.core.tape = tape
	return kept
}

// Hyper returns the structure of one mean over hyperedges and back, D⁻¹·H·B⁻¹·Hᵀ in two steps,
// built once. Up takes vertices to the mean of each hyperedge, Down takes hyperedges to the mean
// around each vertex. Self is the weight of each vertex's own loop, nil without loops. The product
// is symmetric if all vertices have the same number of hyperedges, as in the dual of a graph.
func (h *Incidence) Hyper() *tensor.Hops {
	side := 0
	if h.flipped {
		side = 1
	}
	c := h.core
	p := &c.hyper[side][h.loops]
	c.onceHyper[side][h.loops].Do(func() { *p = h.hyperPass() })
	return p
}

// Rows returns the incidence matrix without coefficients, built once: down has the hyperedges of
// each vertex, its transpose up has the vertices of each hyperedge. Layers with learned hyperedge
// weights use them. Loops are not included.
func (h *Incidence) Rows() (down, up *tensor.Sparse) {
	c := h.core
	c.onceRows.Do(func() {
		c.byNode()
		byEdge := tensor.SparseConfig{Rows: c.m, Cols: c.n, Ptr: c.ptr, Col: c.ends}
		if c.ptr == nil {
			byEdge.Width = 2
		}
		c.byEdge = tensor.NewSparse(byEdge)
		c.byVertex = tensor.NewSparse(tensor.SparseConfig{Rows: c.n, Cols: c.m, Ptr: c.nodePtr, Col: c.nodeEdges})
	})
	if h.flipped {
		return c.byEdge, c.byVertex
	}
	return c.byVertex, c.byEdge
}

func (h *Incidence) hyperPass() tensor.Hops {
	down, up := h.Rows()
	tape := h.core.tape
	upCoef, single := tape.New(h.Entries()).Data(), false
	for u := range up.Rows {
		lo, hi := up.Row(u)
		single = single || hi-lo == 1
		fill(upCoef[lo:hi], 1/float32(hi-lo))
	}
	single = single && h.loops == LoopsReplaceSingletons
	alone := func(k int) bool { // whether the hyperedge of entry k has no other entry and is left out
		lo, hi := up.Row(int(down.Col[k]))
		return hi-lo == 1
	}
	downCoef := tape.New(h.Entries()).Data()
	var self *tensor.Tensor
	own := 0
	if h.loops != LoopsNone {
		self, own = tape.New(down.Rows), 1
	}
	least, most := down.Cols+2, 0 // degrees
	for v := range down.Rows {
		lo, hi := down.Row(v)
		degree := own + hi - lo
		if single {
			for k := lo; k < hi; k++ {
				if alone(k) {
					degree--
				}
			}
		}
		least, most = min(least, degree), max(most, degree)
		share := float32(0)
		if degree > 0 {
			share = 1 / float32(degree)
		}
		if self != nil {
			self.Data()[v] = share
		}
		fill(downCoef[lo:hi], share)
		if single {
			for k := lo; k < hi; k++ {
				if alone(k) {
					downCoef[k] = 0
				}
			}
		}
	}
	return tensor.Hops{Up: h.hyperSparse(up.WithCoef(upCoef), !h.flipped), Down: h.hyperSparse(down.WithCoef(downCoef), h.flipped), Self: self,
		Symmetric: h.loops != LoopsReplaceSingletons && least >= most}
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}

// hyperSparse gives a its transpose: the same entries in the other order. The rows of a are the
// hyperedges of the core (byEdge) or its vertices.
func (h *Incidence) hyperSparse(a *tensor.Sparse, byEdge bool) *tensor.Sparse {
	c := h.core
	return a.WithTranspose(func() *tensor.Sparse {
		coef := c.tape.New(len(a.Coef)).Data()
		if byEdge {
			for k, at := range c.entry {
				coef[k] = a.Coef[at]
			}
			return c.byVertex.WithCoef(coef)
		}
		for k, at := range c.entry {
			coef[at] = a.Coef[k]
		}
		return c.byEdge.WithCoef(coef)
	})
}
