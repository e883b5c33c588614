package graph

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// DirectedOps are the sparse operators of direction-aware message passing. A node has the role
// source or target in each edge of a directed graph. In an undirected graph it is an end of the
// edge.
type DirectedOps struct {
	// Ends sums for each edge the rows of its ends and of its reverse edge. Its input is a stack of
	// rows [m,2n+q]: n rows of nodes as sources, n rows of nodes as targets, and the rows of
	// ReverseMean. In an undirected graph it is the sum over both ends [m,n].
	Ends *tensor.Sparse
	// Differ is the difference of both ends [m,n]. Its sign has no meaning. It is nil in a directed
	// graph.
	Differ *tensor.Sparse
	// Mean [n,n] is the mean over the edges of a node by role: first the edges that leave it, then
	// those that enter it. The column of an entry is the node at the other end, its weight id is
	// the edge. In an undirected graph the first mean is over all edges of a node and the second is
	// nil.
	Mean [2]*tensor.Sparse
	// Degree [n,1] is ln(1+d), where d is the number of edges in the corresponding mean.
	Degree [2]*tensor.Tensor
	// ReverseMean [q,m] is the mean over the edges of each direction of a node pair with edges in
	// both directions. It is nil in an undirected graph and if there is no such pair.
	ReverseMean *tensor.Sparse
}

type directedOpsKey struct{}

// DirectedOps returns the operators of the graph h, built once.
func (h *Incidence) DirectedOps() *DirectedOps { return Derived(h, directedOpsKey{}, h.directedOps) }

func (h *Incidence) directedOps() *DirectedOps {
	ends, n, m := h.Ends(), h.NumVertices(), h.NumEdges()
	r := &DirectedOps{}
	if !h.Directed() {
		signs := make([]float32, 2*m)
		for i := range signs {
			signs[i] = float32(1 - 2*(i&1))
		}
		r.Ends = tensor.NewSparse(tensor.SparseConfig{Rows: m, Cols: n, Width: 2, Col: ends})
		r.Differ = tensor.NewSparse(tensor.SparseConfig{Rows: m, Cols: n, Width: 2, Col: ends, Coef: signs})
		r.Mean[0] = meanAt(n, m, ends, 0, 1)
	} else {
		for k := range r.Mean {
			r.Mean[k] = meanAt(n, m, ends, k)
		}
		mean, of := h.ParallelEdges().reverse()
		r.ReverseMean = mean
		stack := tensor.SparseConfig{Rows: m, Cols: 2 * n, Ptr: make([]int32, 1, m+1)}
		if mean != nil {
			stack.Cols += mean.Rows
		}
		for e := range m {
			stack.Col = append(stack.Col, ends[2*e], int32(n)+ends[2*e+1])
			if of != nil && of[e] >= 0 {
				stack.Col = append(stack.Col, int32(2*n)+of[e])
			}
			stack.Ptr = append(stack.Ptr, int32(len(stack.Col)))
		}
		r.Ends = tensor.NewSparse(stack)
	}
	for k, a := range r.Mean {
		if a != nil {
			r.Degree[k] = degrees(a)
		}
	}
	return r
}

// meanAt is the mean over the edges of each node at the ends listed in at (0, 1 or both).
func meanAt(n, m int, ends []int32, at ...int) *tensor.Sparse {
	ptr := make([]int32, n+1)
	for e := range m {
		for _, k := range at {
			ptr[ends[2*e+k]+1]++
		}
	}
	for v := range n {
		ptr[v+1] += ptr[v]
	}
	next := slices.Clone(ptr)
	other, edge, coef := make([]int32, ptr[n]), make([]int32, ptr[n]), make([]float32, ptr[n])
	for e := range m {
		for _, k := range at {
			v := ends[2*e+k]
			i := next[v]
			next[v]++
			other[i], edge[i], coef[i] = ends[2*e+1-k], int32(e), 1/float32(ptr[v+1]-ptr[v])
		}
	}
	return tensor.NewSparse(tensor.SparseConfig{Rows: n, Cols: n, Ptr: ptr, Col: other, Weight: edge, NumWeights: m, Coef: coef})
}

// degrees returns ln(1+d) for the rows of a, where d is the number of entries.
func degrees(a *tensor.Sparse) *tensor.Tensor {
	out := tensor.New(a.Rows, 1)
	for v := range a.Rows {
		lo, hi := a.Row(v)
		out.Data()[v] = float32(math.Log1p(float64(hi - lo)))
	}
	return out
}

// ParallelEdges groups the edges of a graph by the unordered pair of nodes that they join
// (compressed rows).
type ParallelEdges struct {
	Order []int32 // edges, those of one pair next to each other
	Ptr   []int32 // pair k has Order[Ptr[k]:Ptr[k+1]]
	Pair  []int32 // of each edge
	Back  []bool  // of each edge: whether it goes from the larger node to the smaller one
}

type parallelKey struct{}

// ParallelEdges returns the groups of the graph h, built once.
func (h *Incidence) ParallelEdges() *ParallelEdges {
	return Derived(h, parallelKey{}, func() *ParallelEdges {
		ends, m := h.Ends(), h.NumEdges()
		t := &ParallelEdges{Order: make([]int32, m), Pair: make([]int32, m), Back: make([]bool, m), Ptr: []int32{0}}
		for e := range m {
			t.Order[e], t.Back[e] = int32(e), h.Directed() && ends[2*e] > ends[2*e+1]
		}
		small := func(e int32) int32 { return min(ends[2*e], ends[2*e+1]) }
		large := func(e int32) int32 { return max(ends[2*e], ends[2*e+1]) }
		// By the smaller node, then by the larger one, then by the edge.
		t.Order = sortedBy(sortedBy(t.Order, h.NumVertices(), large), h.NumVertices(), small)
		for i, e := range t.Order {
			if i > 0 && (small(e) != small(t.Order[i-1]) || large(e) != large(t.Order[i-1])) {
				t.Ptr = append(t.Ptr, int32(i))
			}
			t.Pair[e] = int32(len(t.Ptr) - 1)
		}
		if m > 0 {
			t.Ptr = append(t.Ptr, int32(m))
		}
		return t
	})
}

// sortedBy sorts edges by a node of each. Edges of one node keep their order.
func sortedBy(edges []int32, nodes int, node func(e int32) int32) []int32 {
	at := make([]int32, nodes+1)
	for _, e := range edges {
		at[node(e)+1]++
	}
	for v := range nodes {
		at[v+1] += at[v]
	}
	out := make([]int32, len(edges))
	for _, e := range edges {
		v := node(e)
		out[at[v]] = e
		at[v]++
	}
	return out
}

// reverse returns the mean over the edges of each direction of a pair that has both directions, and
// for each edge the row of the opposite direction, -1 if there is none. The time is linear in the
// edges, whatever the number of parallel edges. mean is nil if no pair has both directions.
func (t *ParallelEdges) reverse() (mean *tensor.Sparse, of []int32) {
	m := len(t.Pair)
	groups := tensor.SparseConfig{Cols: m, Ptr: []int32{0}}
	row := make([]int32, m) // of the edge's own direction, plus 1
	for k := 1; k < len(t.Ptr); k++ {
		pair := t.Order[t.Ptr[k-1]:t.Ptr[k]]
		back := lists.Count(pair, func(e int32) bool { return t.Back[e] })
		if back == 0 || back == len(pair) {
			continue
		}
		for _, direction := range []bool{false, true} {
			n := back
			if !direction {
				n = len(pair) - back
			}
			groups.Rows++
			for _, e := range pair {
				if t.Back[e] == direction {
					row[e] = int32(groups.Rows)
					groups.Col, groups.Coef = append(groups.Col, e), append(groups.Coef, 1/float32(n))
				}
			}
			groups.Ptr = append(groups.Ptr, int32(len(groups.Col)))
		}
	}
	if groups.Rows == 0 {
		return nil, nil
	}
	for e, r := range row {
		switch { // the two rows of a pair are consecutive; row[e]-1 is that of the edge
		case r == 0:
			row[e] = -1
		case t.Back[e]:
			row[e] = r - 2
		default:
			row[e] = r
		}
	}
	return tensor.NewSparse(groups), row
}
