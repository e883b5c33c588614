package pool

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// HaarPoolConfig describes a HaarPool.
type HaarPoolConfig struct {
	// Levels is the number of partitions of a chain. The last partition is a single cluster. 0
	// halves until one cluster is left. With 1, as in the authors' settings, one pool gives one row
	// per graph.
	Levels int
	// Seed sets the random starts of k-means.
	Seed uint64
}

// HaarPool replaces the features of a graph by the low-pass half of their Haar transform, level by
// level of a chain of partitions:
//
//	X' = Φᵀ·X,  Φ the first vectors of the level's Haar basis, one per cluster
//
// These are the sums over clusters divided by the root of the cluster sizes, rotated by the coarser
// level's basis (see haarChain). There are no parameters. Each Forward goes to the next level. The
// view it returns keeps the rest of its chain, so one HaarPool serves all blocks of a model.
//
// Input: a graph with X [n,d]. Output: a vertex for each cluster. Clusters are joined if their
// nodes are. Edges inside a cluster become self-loops. There are no weights. Row i of X' is the
// i-th coefficient, not cluster i, as in the authors' code. Result.Cluster is set. A graph of one
// node, or at the end of its chain, stays as it is. It panics with *tensor.ShapeError on a dual or
// another hypergraph.
//
// The chain divides each component of n nodes into n/2+1 clusters by spectral clustering, and joins
// components that cannot be divided further. It does not depend on edge weights or features, so it
// is built once per graph and cached in the HaarPool by the graph's structure. It costs O(n³) per
// component. From 512 nodes on, components are cut first and the cost is O(n). Pooling costs as
// many multiplications as the basis has entries, about n·log n per column.
//
// Wang, Li, Ma, Montúfar, Liò and Fan 2020, sections 3 and 4. The authors divide again in every
// pass, with other random starts each time.
type HaarPool struct {
	HaarPoolConfig
	mu     sync.Mutex
	chains map[structure]*haarChain
}

// structure identifies a graph by its number of nodes and its edges.
type structure [sha256.Size]byte

// NewHaarPool returns a pool without chains. Several goroutines may use it. Several models may use
// it to share its chains.
func NewHaarPool(c HaarPoolConfig) *HaarPool {
	return &HaarPool{HaarPoolConfig: c, chains: map[structure]*haarChain{}}
}

// Params lists nothing.
func (*HaarPool) Params() []*tensor.Param { return nil }

// Forward goes to the next level in the chains of the samples.
func (h *HaarPool) Forward(p *nn.Pass, v graph.View) Result {
	needGraph("HaarPool", v)
	chains := graph.Derived(v.H, haarChainsKey{h.HaarPoolConfig}, func() []*haarChain { return h.chainsOf(v, p.Tape) })
	return h.forward(p, v, graph.Derived(v.H, haarLevelKey{h.HaarPoolConfig}, func() *haarLevel { return h.level(v, chains) }))
}

func (h *HaarPool) forward(p *nn.Pass, v graph.View, l *haarLevel) Result {
	x := tensor.SpMM(l.low, p.Tape.Bind(v.X), tensor.SpMMConfig{})
	return Result{View: l.coarse.WithX(x), Cluster: l.cluster}
}

// needGraph returns the structure of a graph. It panics with the name of the pool if the hyperedges
// of the view are not edges.
func needGraph(pool string, v graph.View) *graph.Adjacency {
	a, ok := v.H.Adjacency()
	if !ok {
		panic(&tensor.ShapeError{Op: pool, Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}},
			Want: "a graph whose edges have two ends"})
	}
	return a
}

// haarLevel is one step of all chains of a batch.
type haarLevel struct {
	low     *tensor.Sparse // [clusters,n]
	cluster *tensor.Index
	coarse  graph.View // without features
}

// Keys of the structures that a HaarPool derives from a batch: the chain of each sample, and the
// step.
type (
	haarChainsKey struct{ HaarPoolConfig }
	haarLevelKey  struct{ HaarPoolConfig }
)

// level joins the matrices of the chains into one.
func (h *HaarPool) level(v graph.View, chains []*haarChain) *haarLevel {
	ptr, perm := v.VertexOf.Segments()
	bad := func(want string) {
		panic(&tensor.ShapeError{Op: "HaarPool", Shapes: [][]int{{v.VertexOf.Len(), v.VertexOf.Slots()}, {len(chains)}}, Want: want})
	}
	if len(chains) != v.VertexOf.Slots() || perm != nil {
		bad("a chain per sample and sorted nodes")
	}
	c := tensor.SparseConfig{Cols: v.H.NumVertices(), Ptr: []int32{0}, Col: []int32{}, Coef: []float32{}}
	var parent, of, ends []int32
	tails := make([]*haarChain, len(chains))
	for g, chain := range chains {
		if chain.points != int(ptr[g+1]-ptr[g]) {
			bad("chains of the samples' sizes")
		}
		node, cluster := ptr[g], int32(len(of))
		for _, k := range chain.parent {
			parent = append(parent, cluster+k)
		}
		for range chain.clusters {
			of = append(of, int32(g))
		}
		for _, k := range chain.ends {
			ends = append(ends, cluster+k)
		}
		base := int32(len(c.Col))
		for _, at := range chain.low.ptr[1:] {
			c.Ptr = append(c.Ptr, base+at)
		}
		for k, u := range chain.low.col {
			c.Col, c.Coef = append(c.Col, node+u), append(c.Coef, float32(chain.low.val[k]))
		}
		tails[g] = chain.coarser
	}
	c.Rows = len(of)
	l := &haarLevel{low: tensor.NewSparse(c), cluster: tensor.MustIndex(parent, len(of)),
		coarse: v.Coarsen(tensor.MustIndex(of, len(chains)), ends)}
	graph.Derived(l.coarse.H, haarChainsKey{h.HaarPoolConfig}, func() []*haarChain { return tails })
	return l
}

// chainsOf finds or builds the chain of every sample.
func (h *HaarPool) chainsOf(v graph.View, tape *tensor.Tape) []*haarChain {
	nodePtr, _ := v.VertexOf.Segments()
	edgePtr, edges := v.EdgeOf.Segments()
	out := make([]*haarChain, v.VertexOf.Slots())
	build := make([]func(), len(out))
	for g := range out {
		n, base := int(nodePtr[g+1]-nodePtr[g]), nodePtr[g]
		ends := make([]int32, 0, 2*(edgePtr[g+1]-edgePtr[g]))
		for k := edgePtr[g]; k < edgePtr[g+1]; k++ {
			e := row(edges, k)
			ends = append(ends, v.H.Ends()[2*e]-base, v.H.Ends()[2*e+1]-base)
		}
		build[g] = func() { out[g] = h.chain(n, ends, v.H.Directed(), tape.Check) }
	}
	par.New(tape.Threads()).Do(build...)
	return out
}

// chain finds or builds the chain of one graph. This can take minutes: check is called from time to
// time and may panic to stop it.
func (h *HaarPool) chain(n int, ends []int32, directed bool, check func()) *haarChain {
	key := structureOf(n, ends, directed)
	h.mu.Lock()
	c := h.chains[key]
	h.mu.Unlock()
	if c != nil {
		return c
	}
	// Two goroutines may both build it; the results are equal.
	c = newHaarChain(n, ends, directed, h.partitions(n, ends, check))
	h.mu.Lock()
	defer h.mu.Unlock()
	if have := h.chains[key]; have != nil {
		return have
	}
	h.chains[key] = c
	return c
}

func structureOf(n int, ends []int32, directed bool) structure {
	b := make([]byte, 0, 9+4*len(ends))
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	if directed {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	for _, v := range ends {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return sha256.Sum256(b)
}

// partitions divides a graph until one cluster is left, or the configured number of times. Weights
// between clusters count edges, so their sums are exact.
func (h *HaarPool) partitions(n int, ends []int32, check func()) [][]int32 {
	var out [][]int32
	a := affinity{n: n}.merged(ends, nil, nil)
	for a.n > 1 {
		if h.Levels > 0 && len(out) == h.Levels-1 {
			return append(out, make([]int32, a.n))
		}
		cluster, k := a.partition(h.Seed, len(out), check)
		out = append(out, cluster)
		a = affinity{n: k}.merged(a.ends, cluster, a.w)
	}
	return out
}

// merged returns the affinity of clusters. It sums the weights of the edges between two clusters,
// and its pairs are sorted by both ends, whatever the order of the list. Edges inside a cluster are
// left out: spectral clustering does not use them. A nil cluster is the identity, a nil w means
// ones.
func (a affinity) merged(ends, cluster []int32, w []float64) affinity {
	type pair struct {
		key uint64
		w   float64
	}
	pairs := make([]pair, 0, len(ends)/2)
	for e := range len(ends) / 2 {
		u, v := ends[2*e], ends[2*e+1]
		if cluster != nil {
			u, v = cluster[u], cluster[v]
		}
		if u == v {
			continue
		}
		weight := 1.0
		if w != nil {
			weight = w[e]
		}
		pairs = append(pairs, pair{uint64(min(u, v))<<32 | uint64(max(u, v)), weight})
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return cmp.Compare(x.key, y.key) })
	for i, p := range pairs {
		if i > 0 && p.key == pairs[i-1].key {
			a.w[len(a.w)-1] += p.w
			continue
		}
		a.ends, a.w = append(a.ends, int32(p.key>>32), int32(uint32(p.key))), append(a.w, p.w)
	}
	return a
}
