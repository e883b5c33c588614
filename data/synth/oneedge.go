package synth

import (
	"fmt"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Edge types of OneEdge: the two that determine the class, and the types of other edges.
const (
	oneEdgeTelling = 2
	oneEdgePlain   = 3
)

// OneEdge returns n graphs of two classes, each determined by a single edge. So it is known what an
// explanation has to find, and there is nothing else to find: the unique ground truth that Faber,
// Moghaddam and Wattenhofer ask for ("When Comparing to Ground Truth is Wrong: On Evaluating GNN
// Explanation Methods", KDD 2021).
//
// One edge, drawn at random, has type 0 in class 0 and type 1 in class 1. The type of every other
// edge is drawn from 2, 3 and 4. The ends of that edge are of kinds 1 and 2, all other nodes are of
// kind 0. So a model like HyperDrop, in which edges act by the messages between nodes, can learn
// it. Graphs are as sparse as those of EdgeClass, with 16 to 24 nodes and 19 to 27 edges. The class
// alternates and depends on nothing else. Node features are the one-hot kind, edge features the
// one-hot type. EdgeLabel is 1 for the edge that determines the class and 0 for others. Graph i is
// the same for every n > i. It returns an error if n is negative.
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
