package pool

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// ASAPLoops is the choice of self-loops in the graph of clusters.
type ASAPLoops uint8

const (
	// ASAPLoopsOne: every cluster has a self-loop of weight 1, as in the authors' code.
	ASAPLoopsOne ASAPLoops = iota
	// ASAPLoopsNone: no self-loops, the default of PyTorch Geometric.
	ASAPLoopsNone
	// ASAPLoopsKept: the self-loops of the product SᵀAS with their weights.
	ASAPLoopsKept
)

// ASAPConfig describes an ASAPool.
type ASAPConfig struct {
	Keep Keep // of clusters
	// Intra builds a layer [n,d] -> [n,d]. Attention reads its result instead of the features. It
	// may be nil. Its graph has a self-loop at every node.
	Intra func(in nn.Init, d nn.ConvDims) (nn.Conv, error)
	// Slope is the slope of the LeakyReLU below 0, 0.2 when zero.
	Slope float32
	// Dropout is the rate at which attention is dropped in training.
	Dropout float64
	Loops   ASAPLoops
	// Unweighted ignores the weights of the clusters' edges, as PyTorch Geometric does for a graph
	// without weights: all pairs of clusters within three steps then have equal edges.
	Unweighted bool
	// Detached stops the gradient at the clusters' edge weights, as the authors' code does.
	Detached bool
}

// ASAPool makes every node the centre of a cluster of its neighbours and keeps the fittest
// clusters. Two clusters are joined if they share a node or if an edge joins their nodes. With N(i)
// the nodes that send to i, and i itself:
//
//	P    = intra(X, A), or X
//	q_i  = W·max_{j∈N(i)} P_j + b
//	α_ij = softmax_{j∈N(i)} LeakyReLU(a·[q_i ‖ P_j] + a_0)
//	C_i  = Σ_j α_ij·X_j
//	φ    = σ(LEConv(C, A))
//	idx  = top_k(φ) per sample,  X' = φ[idx] ⊙ C[idx],  A' = SᵀAS,  S_ji = α_ij for i in idx
//
// Input: a graph with X [n,d] and optional edge weights W [m]. Every node without a self-loop first
// gets one of weight 1. If a node has several self-loops, the last counts. Output: one vertex for
// each kept cluster, by descending fitness within each sample. The entries of A' are its edges,
// sorted by both ends, with their values as W and without edge features. Result.Score is the
// fitness of all n clusters, Keep has the centres of the kept ones. In an undirected graph A' is
// symmetric and every pair is one edge. It panics with *tensor.ShapeError on a dual or another
// hypergraph.
//
// Cost: O(m·d) and the sparse triple product. Its number of entries is the number of pairs of kept
// clusters within three steps: at worst the square of a sample's number of kept clusters.
//
// Ranjan, Sanyal and Talukdar 2020, section 4. Names are as in PyTorch Geometric. That library
// selects by the fitness times a learned scalar of random sign, which gets no gradient. The
// authors' code has no such scalar, and this pool has none.
type ASAPool struct {
	Lin     *nn.Linear // lin, d -> d
	Att     *nn.Linear // att, 2d -> 1
	Fitness *nn.LEConv // gnn_score, d -> 1
	Intra   nn.Conv    // gnn_intra_cluster, or nil
	ASAPConfig
}

// NewASAPool returns a pool of nodes of width dim. It returns the error of c.Keep.Validate or of
// c.Intra.
func NewASAPool(in nn.Init, dim int, c ASAPConfig) (*ASAPool, error) {
	if err := c.Keep.Validate(); err != nil {
		return nil, err
	}
	c.Slope = cmp.Or(c.Slope, 0.2)
	a := &ASAPool{ASAPConfig: c, Lin: nn.NewLinear(in.In("lin"), nn.Dims{In: dim, Out: dim}), Att: nn.NewLinear(in.In("att"), nn.Dims{In: 2 * dim, Out: 1}),
		Fitness: nn.NewLEConv(in.In("gnn_score"), nn.ConvDims{In: dim, Out: 1}, nn.LEConvConfig{Loops: true, Unweighted: true})}
	if c.Intra != nil {
		var err error
		if a.Intra, err = c.Intra(in.In("gnn_intra_cluster"), nn.ConvDims{In: dim, Out: dim}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Params lists the parameters of all parts.
func (a *ASAPool) Params() []*tensor.Param {
	out := nn.Params(a.Lin, a.Att, a.Fitness)
	if a.Intra != nil {
		out = append(out, a.Intra.Params()...)
	}
	return out
}

// Forward pools the nodes of v.
func (a *ASAPool) Forward(p *nn.Pass, v graph.View) Result {
	// N(i) is complete here: one loop per node replaces the graph's own loops.
	adj := needGraph("ASAPool", v)
	arcs := adj.Arcs(true)
	alpha := a.attend(p, v, adj, arcs)
	clusters := tensor.SpMM(arcs.Sum, p.Tape.Bind(v.X), tensor.SpMMConfig{W: alpha})
	fitness := a.Fitness.Forward(p, v.WithX(clusters)).Sigmoid().Reshape(-1)

	keep := TopK(fitness.Data(), v.VertexOf, a.Keep)
	pick := tensor.MustIndex(keep, fitness.Size())
	x := tensor.Gather(clusters, pick).Mul(tensor.Gather(fitness.Reshape(-1, 1), pick))
	if a.Detached {
		alpha = alpha.Detach()
	}
	return Result{View: a.rewire(v, adj, arcs, keep, alpha).WithX(x), Keep: keep, Score: fitness}
}

// attend is α for every arc.
func (a *ASAPool) attend(p *nn.Pass, v graph.View, adj *graph.Adjacency, arcs *graph.Arcs) *tensor.Tensor {
	x := p.Tape.Bind(v.X)
	if a.Intra != nil {
		x = a.Intra.Forward(p, withLoops(v, adj).WithX(x))
	}
	q := a.Lin.Forward(p, tensor.SegmentMax(tensor.Gather(x, arcs.Src), arcs.Dst))
	// a·[q_i ‖ P_j] is the sum of two numbers per node, so no row per arc is needed.
	d := x.Dim(1)
	w := p.Var(a.Att.Weight)
	centre := tensor.Affine(q, w.Slice(1, 0, d), p.Var(a.Att.Bias), tensor.AffineConfig{TransW: true})
	member := tensor.Affine(x, w.Slice(1, d, 2*d), nil, tensor.AffineConfig{TransW: true})
	score := tensor.Gather(centre, arcs.Dst).Add(tensor.Gather(member, arcs.Src)).LeakyReLU(a.Slope)
	return nn.Dropout(p, tensor.SegmentSoftmax(score, arcs.Dst), a.Dropout).Reshape(-1)
}

// withLoops returns v with one self-loop edge per node. It replaces the node's own self-loops, if
// there are any, and has the weight of the last of them.
func withLoops(v graph.View, adj *graph.Adjacency) graph.View {
	type loopedKey struct{}
	type looped struct {
		v    graph.View
		from *tensor.Index // the original edge of each edge; slot m for an added one
	}
	l := graph.Derived(v.H, loopedKey{}, func() looped {
		m := int32(v.H.NumEdges())
		var ends, from []int32
		edgePtr, edges := v.EdgeOf.Segments()
		nodePtr, nodes := v.VertexOf.Segments()
		for g := range v.VertexOf.Slots() {
			for k := edgePtr[g]; k < edgePtr[g+1]; k++ {
				e := row(edges, k)
				if u, w := v.H.Ends()[2*e], v.H.Ends()[2*e+1]; u != w {
					ends, from = append(ends, u, w), append(from, e)
				}
			}
			for k := nodePtr[g]; k < nodePtr[g+1]; k++ {
				u := row(nodes, k)
				e := m
				if adj.LoopEdge != nil && adj.LoopEdge[u] >= 0 {
					e = adj.LoopEdge[u]
				}
				ends, from = append(ends, u, u), append(from, e)
			}
		}
		return looped{v.Coarsen(v.VertexOf, ends), tensor.MustIndex(from, int(m)+1)}
	})
	if v.W == nil {
		return l.v
	}
	return l.v.WithW(tensor.Gather(tensor.Concat(0, v.W, tensor.Full(1, 1)), l.from))
}

// row returns entry k of a permutation. nil is the identity.
func row(perm []int32, k int32) int32 {
	if perm == nil {
		return k
	}
	return perm[k]
}

// rewire returns the graph of the kept clusters: A' = SᵀAS, without features.
func (a *ASAPool) rewire(v graph.View, adj *graph.Adjacency, arcs *graph.Arcs, keep []int32, alpha *tensor.Tensor) graph.View {
	n, k := v.H.NumVertices(), len(keep)
	st, own := membership(arcs, keep, n)
	share := tensor.Gather(alpha, tensor.MustIndex(own, alpha.Size()))
	send := arcs.Sum.T() // row u: who u sends to
	member := st.T()     // row u: the clusters of u
	half := send.Product(member)
	b := tensor.SpGEMM(send, member, half, arcWeights(v, adj, arcs), share)

	whole := st.Product(half)
	pattern, ends, loops := a.pairs(whole, v.H.Directed())
	of := make([]int32, k)
	for i, u := range keep {
		of[i] = v.VertexOf.IDs()[u]
	}
	coarse := v.Coarsen(tensor.MustIndex(of, v.VertexOf.Slots()), ends)
	if a.Unweighted {
		return coarse
	}
	w := tensor.SpGEMM(st, half, pattern, share, b)
	if loops != nil {
		w = tensor.Gather(tensor.Concat(0, w, tensor.Full(1, 1)), tensor.MustIndex(loops, w.Size()+1))
	}
	return coarse.WithW(w)
}

// membership returns Sᵀ, a row per kept cluster, and the arc of each entry.
func membership(arcs *graph.Arcs, keep []int32, n int) (*tensor.Sparse, []int32) {
	ptr := make([]int32, 1, len(keep)+1)
	var col, own []int32
	for _, i := range keep {
		for e := arcs.Sum.Ptr[i]; e < arcs.Sum.Ptr[i+1]; e++ {
			col, own = append(col, arcs.Sum.Col[e]), append(own, e)
		}
		ptr = append(ptr, int32(len(col)))
	}
	if col == nil { // nil would mean the identity
		col = []int32{}
	}
	return tensor.NewSparse(tensor.SparseConfig{Rows: len(keep), Cols: n, Ptr: ptr, Col: col}), own
}

// arcWeights returns the weight of every arc, loops included, or nil if all are one.
func arcWeights(v graph.View, adj *graph.Adjacency, arcs *graph.Arcs) *tensor.Tensor {
	if v.W == nil {
		return nil
	}
	m := v.H.NumEdges()
	from := make([]int32, arcs.Edge.Len())
	for k, slot := range arcs.Edge.IDs() {
		from[k] = slot
		if u := int(slot) - m; u >= 0 {
			from[k] = int32(m)
			if adj.LoopEdge != nil && adj.LoopEdge[u] >= 0 {
				from[k] = adj.LoopEdge[u]
			}
		}
	}
	return tensor.Gather(tensor.Concat(0, v.W, tensor.Full(1, 1)), tensor.MustIndex(from, m+1))
}

// pairs selects the entries of SᵀAS that become edges: one per pair in an undirected graph, and
// loops as configured. For ASAPLoopsOne, loops has the position of each edge's weight; the last
// position is that of a weight 1.
func (a *ASAPool) pairs(whole *tensor.Sparse, directed bool) (pattern *tensor.Sparse, ends, loops []int32) {
	c := tensor.SparseConfig{Rows: whole.Rows, Cols: whole.Cols, Ptr: make([]int32, 1, whole.Rows+1), Col: []int32{}}
	for i := range int32(whole.Rows) {
		for _, j := range whole.Col[whole.Ptr[i]:whole.Ptr[i+1]] {
			switch {
			case j < i && !directed, j == i && a.Loops == ASAPLoopsNone:
				continue
			case j == i && a.Loops == ASAPLoopsOne:
				loops = append(loops, -1)
			default:
				loops = append(loops, int32(len(c.Col)))
				c.Col = append(c.Col, j)
			}
			ends = append(ends, i, j)
		}
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	if a.Loops != ASAPLoopsOne {
		return tensor.NewSparse(c), ends, nil
	}
	for e, at := range loops {
		if at < 0 {
			loops[e] = int32(len(c.Col))
		}
	}
	return tensor.NewSparse(c), ends, loops
}
