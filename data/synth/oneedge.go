package synth

import (
	"fmt"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Edge types of OneEdge: the two that tell the class, and those that tell nothing.
const (
	oneEdgeTelling = 2
	oneEdgePlain   = 3
)

// OneEdge returns n graphs of two classes, each decided by a single edge: what an explanation
// has to find is known, and there is nothing else to find (the unique truth that Faber,
// Moghaddam and Wattenhofer, "When Comparing to Ground Truth is Wrong: On Evaluating GNN
// Explanation Methods", KDD 2021, ask for).
//
// One edge, drawn at random, has type 0 in class 0 and type 1 in class 1; the type of every
// other edge is drawn from 2, 3 and 4. Its ends are of kinds 1 and 2, all other nodes of kind 0,
// so that a model like HyperDrop, in which edges are seen by what they carry between nodes, can
// learn it. Graphs are sparse as those of EdgeClass, 16 to 24 nodes and 19 to 27 edges, and the
// class, which alternates, depends on nothing else. Node features are the one-hot kind, edge
// features the one-hot type. EdgeLabel is 1 for the edge that decides and 0 for others. Graph i is the same for every n > i. It returns an error when n is negative.
func OneEdge(n int, seed uint64) ([]*graph.Graph, error) {
	if n < 0 {
		return nil, fmt.Errorf("synth: %d one-edge graphs", n)
	}
	graphs := make([]*graph.Graph, n)
	for i := range graphs {
		g, err := oneEdge(int32(i%oneEdgeTelling), rng.Stream(seed, "one-edge", i))
		if err != nil {
			return nil, err
		}
		graphs[i] = g
	}
	return graphs, nil
}

func oneEdge(class int32, r *rand.Rand) (*graph.Graph, error) {
	n := edgeClassMinNodes + r.IntN(edgeClassMaxNodes-edgeClassMinNodes+1)
	ends := sparse(n, r)
	types, decides := make([]int32, len(ends)/2), make([]int32, len(ends)/2)
	for e := range types {
		types[e] = oneEdgeTelling + r.Int32N(oneEdgePlain)
	}
	e := r.IntN(len(types))
	types[e], decides[e] = class, 1
	kinds := make([]int32, n)
	kinds[ends[2*e]], kinds[ends[2*e+1]] = 1, 2
	return graph.New(graph.Graph{NumNodes: n, Ends: ends, Label: class, EdgeLabel: decides,
		Node: graph.Features{Code: kinds, Codes: []int{3}}, Edge: graph.Features{Code: types, Codes: []int{oneEdgeTelling + oneEdgePlain}}})
}
