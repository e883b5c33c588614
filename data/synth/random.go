package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// maxRandomNodes keeps node pairs of random graphs within 64 bits and nodes within 32 bits.
const maxRandomNodes = math.MaxInt32

// ErdosRenyi returns a random graph of n nodes with m distinct edges drawn uniformly from all
// pairs, G(n, m), without self-loops. Isolated nodes are kept.
//
// Features are those of the paper's compression experiment. Every node has one of three values
// (one-hot, NodeLabel). Every edge has one of six types, the unordered pair of its ends' values:
// 00, 01, 02, 11, 12, 22 (one-hot, EdgeLabel).
//
// It returns an error if n is negative or m is not between 0 and n(n-1)/2.
func ErdosRenyi(n, m int, seed uint64) (*graph.Graph, error) {
	if n < 0 || n > maxRandomNodes {
		return nil, fmt.Errorf("synth: Erdos-Renyi graph of %d nodes, expected 0 to %d", n, maxRandomNodes)
	}
	all := uint64(n) * uint64(max(n-1, 0)) / 2
	if m < 0 || uint64(m) > all {
		return nil, fmt.Errorf("synth: Erdos-Renyi graph of %d nodes with %d edges, expected 0 to %d", n, m, all)
	}
	r := rng.Stream(seed, "erdos-renyi", n, m)
	// Floyd's sampling without replacement (Bentley and Floyd 1987) needs m draws for any density.
	drawn := make(map[uint64]struct{}, m)
	pairs := make([]uint64, 0, m)
	for j := all - uint64(m); j < all; j++ {
		p := r.Uint64N(j + 1)
		if _, ok := drawn[p]; ok {
			p = j
		}
		drawn[p] = struct{}{}
		pairs = append(pairs, p)
	}
	for i, p := range pairs {
		u, v := unrank(p)
		pairs[i] = uint64(u)<<32 | uint64(v)
	}
	return typed(n, pairs, r)
}

// unrank returns pair number p in the order (0,1), (0,2), (1,2), (0,3), ...: pairs u < v by
// ascending v.
func unrank(p uint64) (u, v uint32) {
	w := uint64((1 + math.Sqrt(1+8*float64(p))) / 2)
	// The root of a number with more than 53 bits may be wrong by one.
	for w*(w-1)/2 > p {
		w--
	}
	for w*(w+1)/2 <= p {
		w++
	}
	return uint32(p - w*(w-1)/2), uint32(w)
}

// BarabasiAlbert returns a scale-free graph (Barabási and Albert 1999) of n nodes: a star of
// attach+1 nodes, to which each further node is joined by attach edges, to distinct nodes drawn
// with probability proportional to their degree. It has attach·(n-attach) edges. The paper's time
// measurements use n = 3000 and attach = 4, 11984 edges. Features are as in ErdosRenyi.
//
// It returns an error unless 1 ≤ attach < n.
func BarabasiAlbert(n, attach int, seed uint64) (*graph.Graph, error) {
	if attach < 1 || attach >= n || n > maxRandomNodes {
		return nil, fmt.Errorf("synth: Barabasi-Albert graph of %d nodes with %d edges per node, expected 1 to one less than the nodes", n, attach)
	}
	r := rng.Stream(seed, "barabasi-albert", n, attach)
	var pairs []uint64
	var ends []int32 // each node once per edge at it
	join := func(u, v int32) {
		pairs = append(pairs, uint64(u)<<32|uint64(v))
		ends = append(ends, u, v)
	}
	for v := range int32(attach) {
		join(0, v+1)
	}
	targets := make([]int32, 0, attach)
	for v := int32(attach) + 1; int(v) < n; v++ {
		targets = targets[:0]
		for len(targets) < attach {
			if u := ends[r.IntN(len(ends))]; !slices.Contains(targets, u) {
				targets = append(targets, u)
			}
		}
		for _, u := range targets {
			join(u, v)
		}
	}
	return typed(n, pairs, r)
}

// typed makes the graph of the pairs u<<32|v, with u < v, and draws its features.
func typed(n int, pairs []uint64, r *rand.Rand) (*graph.Graph, error) {
	const values, types = 3, 6
	slices.Sort(pairs)
	g := graph.Graph{
		NumNodes: n, Ends: make([]int32, 0, 2*len(pairs)), Label: graph.NoLabel,
		NodeLabel: make([]int32, n), EdgeLabel: make([]int32, 0, len(pairs)),
	}
	for v := range g.NodeLabel {
		g.NodeLabel[v] = r.Int32N(values)
	}
	for _, p := range pairs {
		u, v := int32(p>>32), int32(uint32(p))
		g.Ends = append(g.Ends, u, v)
		a, b := g.NodeLabel[u], g.NodeLabel[v]
		if a > b {
			a, b = b, a
		}
		// Row a of the upper triangle starts at 0, 3, 5.
		g.EdgeLabel = append(g.EdgeLabel, a*(2*values-a+1)/2+b-a)
	}
	g.Node = graph.Features{Code: slices.Clone(g.NodeLabel), Codes: []int{values}}
	g.Edge = graph.Features{Code: slices.Clone(g.EdgeLabel), Codes: []int{types}}
	return graph.New(g)
}
