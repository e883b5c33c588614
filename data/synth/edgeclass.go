package synth

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Shape of the graphs of EdgeClass: a random tree of bounded degree with a few more edges, about as
// sparse as a molecule.
const (
	edgeClassMinNodes = 16
	edgeClassMaxNodes = 24
	edgeClassExtra    = 4 // edges in addition to the tree
	edgeClassDegree   = 4 // of a node in the tree
	edgeClassTold     = 3 // least number of edges that determine the class, per kind
)

// Kinds of nodes and types of edges in EdgeClass.
const (
	kindHub = iota // two fifths of the nodes
	kindA
	kindB
	numKinds
)

const (
	typeStrong = iota
	typeWeak
	typePlain
	numTypes
)

// EdgeClass returns n graphs of two classes that only differ in edge features: the classification
// task of the demo.
//
// Nodes are hubs or of kind A or B. In class 0 the edges from hubs to A nodes are strong and those
// from hubs to B nodes weak. In class 1 it is the reverse. All other edges are plain. Topology and
// kinds are drawn first and do not depend on the class, which alternates. So a model that does not
// read edge features, like a GCN, is at chance on new graphs. A model that only counts edge types
// without their position is at chance, too. A model that keeps or weights edges by type and then
// passes messages, like HyperDrop, can learn the class.
//
// Graphs have 16 to 24 nodes and 19 to 27 edges. Node features are the one-hot kind (NodeLabel),
// edge features the one-hot type (EdgeLabel: strong, weak, plain). Graph i is the same for every n
// > i. It returns an error if n is negative.
func EdgeClass(n int, seed uint64) ([]*graph.Graph, error) {
	if n < 0 {
		return nil, fmt.Errorf("synth: %d edge-class graphs", n)
	}
	graphs := make([]*graph.Graph, n)
	for i := range graphs {
		g, err := edgeClass(int32(i%2), rng.Stream(seed, "edge-class", i))
		if err != nil {
			return nil, err
		}
		graphs[i] = g
	}
	return graphs, nil
}

func edgeClass(class int32, r *rand.Rand) (*graph.Graph, error) {
	n := edgeClassMinNodes + r.IntN(edgeClassMaxNodes-edgeClassMinNodes+1)
	ends := sparse(n, r)
	kinds := make([]int32, n)
	for {
		for v := range kinds {
			switch {
			case v < 2*n/5:
				kinds[v] = kindHub
			case v%2 == 0:
				kinds[v] = kindA
			default:
				kinds[v] = kindB
			}
		}
		r.Shuffle(n, func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		toA, toB := 0, 0
		for e := range len(ends) / 2 {
			switch hubEdge(kinds, ends, e) {
			case kindA:
				toA++
			case kindB:
				toB++
			}
		}
		if min(toA, toB) >= edgeClassTold {
			break // otherwise the class could depend on a single edge, or on none
		}
	}
	types := make([]int32, len(ends)/2)
	for e := range types {
		switch hubEdge(kinds, ends, e) {
		case kindA:
			types[e] = typeStrong + class
		case kindB:
			types[e] = typeWeak - class
		default:
			types[e] = typePlain
		}
	}
	return graph.New(graph.Graph{
		NumNodes: n, Ends: ends, Label: class,
		Node:      graph.Features{Code: slices.Clone(kinds), Codes: []int{numKinds}},
		Edge:      graph.Features{Code: slices.Clone(types), Codes: []int{numTypes}},
		NodeLabel: kinds, EdgeLabel: types,
	})
}

// hubEdge returns the kind of the other end of an edge from a hub to an A or B node, and kindHub
// for other edges.
func hubEdge(kinds, ends []int32, e int) int32 {
	a, b := kinds[ends[2*e]], kinds[ends[2*e+1]]
	if a == kindHub {
		return b
	}
	if b == kindHub {
		return a
	}
	return kindHub
}

// sparse returns the edge list of a random tree of bounded degree with additional distinct edges.
func sparse(n int, r *rand.Rand) []int32 {
	type pair struct{ u, v int32 }
	var pairs []pair
	degree := make([]int, n)
	for v := int32(1); int(v) < n; v++ {
		u := r.Int32N(v)
		for degree[u] >= edgeClassDegree { // the newest leaf always has room
			u = r.Int32N(v)
		}
		degree[u]++
		degree[v]++
		pairs = append(pairs, pair{u, v})
	}
	for len(pairs) < n-1+edgeClassExtra {
		u, v := r.Int32N(int32(n)), r.Int32N(int32(n))
		if p := (pair{min(u, v), max(u, v)}); u != v && !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) })
	ends := make([]int32, 0, 2*len(pairs))
	for _, p := range pairs {
		ends = append(ends, p.u, p.v)
	}
	return ends
}
