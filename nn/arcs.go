package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// messageArcs are the messages of a view one by one, for layers that see both
// ends or the edge of each.
type messageArcs struct {
	*graph.Arcs
	loops bool // every node has an added loop
}

// arcsOf lists the messages of a graph; a is its Adjacency where loops are
// added, and with the graph's own self-loop edges otherwise.
func arcsOf(a *graph.Adjacency, loops bool) messageArcs {
	return messageArcs{a.Arcs(loops), loops}
}

type junctionsKey struct {
	loops, edge bool
	kinds       *kindOfEdge // nil where each edge has its row
}

// junctions is what meets on each arc: source, target and, where asked, edge; the
// rows of edges are one per kind if these are given, the loops' rows below them.
func (a messageArcs) junctions(v graph.View, edge bool, kinds *edgeKinds) *tensor.Junctions {
	key := junctionsKey{a.loops, edge, nil}
	if kinds != nil {
		key.kinds = kinds.kindOfEdge
	}
	return graph.Derived(v.H, key, func() *tensor.Junctions {
		switch {
		case !edge:
			return tensor.NewJunctions(a.Src, a.Dst, nil)
		case kinds == nil:
			return tensor.NewJunctions(a.Src, a.Dst, a.Edge)
		}
		slots := kinds.rows.Dim(0)
		ids := make([]int32, a.Edge.Len())
		for k, e := range a.Edge.IDs() {
			if int(e) < len(kinds.of) {
				ids[k] = kinds.of[e]
			} else {
				ids[k] = int32(slots) + e - int32(len(kinds.of))
			}
		}
		return tensor.NewJunctions(a.Src, a.Dst, tensor.MustIndex(ids, slots+a.Edge.Slots()-len(kinds.of)))
	})
}
