package pool

import (
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// EdgeScore is the activation of the scores of EdgePool.
type EdgeScore uint8

// The activations. The zero value is the softmax over the edges into the same node.
const (
	EdgeScoreSoftmax EdgeScore = iota
	EdgeScoreTanh
	EdgeScoreSigmoid
)

// EdgePoolConfig describes an EdgePool.
type EdgePoolConfig struct {
	Score EdgeScore
	// Shift is added to every score, 0.5 when nil. Gates are then around 1 and not around 0. The
	// first version of the method had 0.
	Shift *float32
	// Dropout is the rate at which raw scores are dropped in training. The later version of the
	// method has 0.2.
	Dropout float64
}

// EdgePool contracts edges, the best first, so that about half of the nodes remain:
//
//	e_uv = w·[x_u ‖ x_v] + c,  s_uv = softmax over the edges into v of e_uv + shift
//
// Edges are visited by descending score. An edge whose two ends are still free merges them into a
// cluster c, with
//
//	x'_c = s_uv·(x_u + x_v)
//
// The remaining nodes stay as they are, with gate 1. A self-loop makes a cluster of one node.
//
// Input: a graph with X [n,d]. Output: the clusters of each sample, first the contracted ones in
// the order in which they were made, then the other nodes. One edge joins two clusters if any edge
// joined their nodes. An edge inside a cluster becomes a self-loop. Edges are sorted by both ends
// and have neither features nor weights. Result.Score is the score of every arc [arcs], edge by
// edge: an undirected edge has two arcs, the one in its own direction first, and a self-loop has
// one. Cluster and Gate are set. There is no ratio: the graph decides how many nodes remain. It
// panics with *tensor.ShapeError on a dual or another hypergraph.
//
// Ties are common: the softmax gives the only edge of every leaf the same score. The lower arc is
// visited first. The term of the softmax that depends only on v cancels. It is left out, because
// its rounding would break such ties.
//
// Cost: O(m·log m) for sorting and one pass over the edges.
//
// Diehl 2019; Diehl, Brunner, Le and Knoll 2019. Names are as in PyTorch Geometric. That library
// numbers clusters through the whole batch, so that its samples mix. Here clusters stay sorted by
// sample.
type EdgePool struct {
	Lin *nn.Linear // lin, 2d -> 1
	EdgePoolConfig
}

// NewEdgePool returns a pool of nodes of width dim.
func NewEdgePool(in nn.Init, dim int, c EdgePoolConfig) *EdgePool {
	return &EdgePool{EdgePoolConfig: c, Lin: nn.NewLinear(in.In("lin"), nn.Dims{In: 2 * dim, Out: 1})}
}

// Params lists weight and bias of the score.
func (e *EdgePool) Params() []*tensor.Param { return e.Lin.Params() }

// Forward contracts edges of v.
func (e *EdgePool) Forward(p *nn.Pass, v graph.View) Result {
	needGraph("EdgePool", v)
	arcs := contractible(v)
	score := e.score(p, p.Tape.Bind(v.X), arcs)
	c := contract(score.Data(), v, arcs)
	// Position len(arcs) has the gate 1 of nodes that were not contracted.
	gate := tensor.Gather(tensor.Concat(0, score, tensor.Full(1, 1)), tensor.MustIndex(c.by, score.Size()+1))
	x := tensor.SegmentSum(v.X, c.cluster).Mul(gate.Reshape(-1, 1))
	coarse := v.Coarsen(c.of, mergedEnds(v.H.Ends(), c.cluster.IDs(), v.H.Directed()))
	return Result{View: coarse.WithX(x), Score: score, Cluster: c.cluster, Gate: gate}
}

// Unpool copies the features of an EdgePool's clusters, x [clusters,d], to the nodes of its input:
// each node gets its cluster's row divided by the gate. Shift keeps gates away from 0, where the
// quotient would be large.
func (r Result) Unpool(x *tensor.Tensor) *tensor.Tensor {
	if r.Gate != nil {
		x = x.Div(r.Gate.Reshape(-1, 1))
	}
	return tensor.Gather(x, r.Cluster)
}

// edgeArcs are the directions in which edges can be contracted.
type edgeArcs struct {
	src, dst *tensor.Index // slots are nodes
	of       *tensor.Index // slots are samples
}

type edgeArcsKey struct{}

// contractible lists both directions of every edge, or the single direction in a directed graph.
func contractible(v graph.View) edgeArcs {
	return graph.Derived(v.H, edgeArcsKey{}, func() edgeArcs {
		arcs, _ := v.WithX(nil).WithE(nil).WithW(nil).Arcs()
		src, dst, _ := arcs.H.Pairs()
		return edgeArcs{src, dst, arcs.EdgeOf}
	})
}

// score returns the score of every arc.
func (e *EdgePool) score(p *nn.Pass, x *tensor.Tensor, arcs edgeArcs) *tensor.Tensor {
	d := x.Dim(1)
	w := p.Var(e.Lin.Weight)
	// w·[x_u ‖ x_v] is the sum of two numbers per node, so no row per arc is needed.
	raw := tensor.Gather(x.MatMulT(w.Slice(1, 0, d)), arcs.src)
	if e.Score != EdgeScoreSoftmax || p.Train && e.Dropout > 0 {
		target := tensor.Affine(x, w.Slice(1, d, 2*d), p.Var(e.Lin.Bias), tensor.AffineConfig{TransW: true})
		raw = nn.Dropout(p, raw.Add(tensor.Gather(target, arcs.dst)), e.Dropout)
	}
	raw = raw.Reshape(-1)
	switch e.Score {
	case EdgeScoreTanh:
		raw = raw.Tanh()
	case EdgeScoreSigmoid:
		raw = raw.Sigmoid()
	default:
		raw = tensor.SegmentSoftmax(raw, arcs.dst)
	}
	shift := float32(0.5)
	if e.Shift != nil {
		shift = *e.Shift
	}
	return raw.AddScalar(shift)
}

// contraction is the result of contracting edges.
type contraction struct {
	cluster *tensor.Index // of each node
	of      *tensor.Index // the sample of each cluster
	by      []int32       // the arc that made each cluster, or the number of arcs if no arc did
}

// contract visits the arcs of each sample by descending score.
func contract(score []float32, v graph.View, arcs edgeArcs) contraction {
	src, dst := arcs.src.IDs(), arcs.dst.IDs()
	cluster := lists.Repeat[int32](-1, v.H.NumVertices())
	var c contraction
	var of []int32
	arcPtr, arcPerm := arcs.of.Segments()
	nodePtr, nodePerm := v.VertexOf.Segments()
	var own []float32
	var ranks, falling []int32
	for g := range v.VertexOf.Slots() {
		add := func(arc int32) int32 {
			c.by, of = append(c.by, arc), append(of, int32(g))
			return int32(len(of) - 1)
		}
		own = own[:0]
		for k := arcPtr[g]; k < arcPtr[g+1]; k++ {
			own = append(own, score[row(arcPerm, k)])
		}
		ranks = slices.Grow(ranks[:0], len(own))[:len(own)]
		falling = slices.Grow(falling[:0], len(own))[:len(own)]
		kernel.Ranks(ranks, own)
		for k, rank := range ranks {
			falling[rank] = row(arcPerm, arcPtr[g]+int32(k))
		}
		for _, arc := range falling {
			u, w := src[arc], dst[arc]
			if cluster[u] < 0 && cluster[w] < 0 {
				cluster[u] = add(arc)
				cluster[w] = cluster[u]
			}
		}
		for k := nodePtr[g]; k < nodePtr[g+1]; k++ {
			if u := row(nodePerm, k); cluster[u] < 0 {
				cluster[u] = add(int32(len(src)))
			}
		}
	}
	c.cluster = tensor.MustIndex(cluster, len(of))
	c.of = tensor.MustIndex(of, v.VertexOf.Slots())
	return c
}

// mergedEnds returns an edge list after its nodes have been merged: each pair of clusters once,
// sorted, with the lower cluster first unless the graph is directed. Pairs of nodes in one cluster
// become its self-loop.
func mergedEnds(ends, cluster []int32, directed bool) []int32 {
	keys := make([]uint64, len(ends)/2)
	for e := range keys {
		a, b := cluster[ends[2*e]], cluster[ends[2*e+1]]
		if b < a && !directed {
			a, b = b, a
		}
		keys[e] = uint64(a)<<32 | uint64(b)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	out := make([]int32, 0, 2*len(keys))
	for _, key := range keys {
		out = append(out, int32(key>>32), int32(uint32(key)))
	}
	return out
}
