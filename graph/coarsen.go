package graph

import (
	"slices"

	"github.com/ehgnn/ehgnn/tensor"
)

// Coarsen returns the graph of clusters that a pool makes of the graph v. The rows of of are its
// nodes; of is sorted and gives the sample of each node. ends is its edge list, interleaved as in
// Graph, sample by sample. Directedness and the convention for loops are those of v. Features and
// weights are nil: the pool sets node features with WithX and weights with WithW. Edges between
// clusters have no features.
//
// It panics with *tensor.ShapeError if v is not a graph, if of is not sorted or has other samples
// than v, or if an edge joins nodes of two samples or is out of order.
func (v View) Coarsen(of *tensor.Index, ends []int32) View {
	bad := func(want string) {
		panic(&tensor.ShapeError{Op: "Coarsen", Shapes: [][]int{{of.Len()}, {len(ends)}}, Want: want})
	}
	sample := of.IDs()
	switch {
	case !v.H.isGraph():
		bad("a graph whose edges have two ends")
	case of.Slots() != v.VertexOf.Slots() || !slices.IsSorted(sample):
		bad("sorted nodes of the same samples")
	case len(ends)%2 != 0:
		bad("two ends per edge")
	}
	edgeOf := make([]int32, len(ends)/2)
	for e := range edgeOf {
		a, b := ends[2*e], ends[2*e+1]
		if a < 0 || b < 0 || int(max(a, b)) >= len(sample) || sample[a] != sample[b] {
			bad("edges between nodes of one sample")
		}
		edgeOf[e] = sample[a]
		if e > 0 && edgeOf[e] < edgeOf[e-1] {
			bad("edges sample by sample")
		}
	}
	return View{H: pairIncidence(len(sample), ends, v.H.Directed(), v.H.loops), VertexOf: of,
		EdgeOf: tensor.MustIndex(edgeOf, of.Slots())}
}

// Arcs returns the directed form of the graph v. Edge e becomes two consecutive arcs, from its
// first end to its second and back, both with its features and weight. A self-loop becomes one arc.
// edge is the edge of each arc. A directed view is returned as it is, with edge nil. It panics with
// *tensor.ShapeError if v is not a graph.
func (v View) Arcs() (arcs View, edge []int32) {
	ends := v.H.Ends()
	switch {
	case !v.H.isGraph():
		panic(&tensor.ShapeError{Op: "Arcs", Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}},
			Want: "a graph whose edges have two ends"})
	case v.H.Directed():
		return v, nil
	}
	both := make([]int32, 0, 2*len(ends))
	edge = make([]int32, 0, len(ends))
	of := make([]int32, 0, len(ends))
	for e, sample := range v.EdgeOf.IDs() {
		a, b := ends[2*e], ends[2*e+1]
		both, edge, of = append(both, a, b), append(edge, int32(e)), append(of, sample)
		if a != b {
			both, edge, of = append(both, b, a), append(edge, int32(e)), append(of, sample)
		}
	}
	arcs = v
	arcs.H = pairIncidence(v.H.NumVertices(), both, true, defaultLoops(true))
	arcs.EdgeOf = tensor.MustIndex(of, v.EdgeOf.Slots())
	pick := tensor.MustIndex(edge, v.H.NumEdges())
	arcs.gatherEdges(pick)
	return arcs, edge
}
