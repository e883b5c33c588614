package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// messageArcs lists the messages of a view, for layers that read both ends or the edge of each
// message.
type messageArcs struct {
	*graph.Arcs
	loops bool // every node has an added loop
}

// arcsOf lists the messages of a graph. a is its Adjacency if loops are added. Otherwise a has the
// graph's own self-loop edges.
func arcsOf(a *graph.Adjacency, loops bool) messageArcs {
	return messageArcs{a.Arcs(loops), loops}
}

type arcIndexKey struct {
	loops, edge bool
	kinds       *kindOfEdge // nil if each edge has its own row
}

// arcIndex lists the source, the target and, if edge is set, the edge row of each arc. If kinds is
// not nil, there is one edge row per kind, followed by the rows of the loops.
func (a messageArcs) arcIndex(v graph.View, edge bool, kinds *edgeKinds) *tensor.ArcIndex {
	key := arcIndexKey{a.loops, edge, nil}
	if kinds != nil {
		key.kinds = kinds.kindOfEdge
	}
	return graph.Derived(v.H, key, func() *tensor.ArcIndex {
		switch {
		case !edge:
			return tensor.NewArcIndex(a.Src, a.Dst, nil)
		case kinds == nil:
			return tensor.NewArcIndex(a.Src, a.Dst, a.Edge)
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
		return tensor.NewArcIndex(a.Src, a.Dst, tensor.MustIndex(ids, slots+a.Edge.Slots()-len(kinds.of)))
	})
}
