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

// arcSum says which rows every arc adds up: its source's and, where asked, its
// target's and its edge's. They come from matrices that stand one below the
// other in this order; shared says that sources and targets have one matrix.
type arcSum struct{ target, shared, edge bool }

type arcSumKey struct {
	arcSum
	loops bool
}

// sum is the structure of s, [arcs, rows of the matrices]. One SpMM with it
// writes the row of each arc once, where Gather and Add write it once per part
// and once more per sum.
func (a messageArcs) sum(v graph.View, s arcSum) *tensor.Sparse {
	return graph.Derived(v.H, arcSumKey{s, a.loops}, func() *tensor.Sparse {
		parts, base := [][]int32{a.Src.IDs()}, []int{0}
		c := tensor.SparseConfig{Rows: a.Src.Len(), Cols: a.Src.Slots()}
		if s.target {
			if !s.shared {
				base, c.Cols = append(base, c.Cols), c.Cols+a.Dst.Slots()
			} else {
				base = append(base, 0)
			}
			parts = append(parts, a.Dst.IDs())
		}
		if s.edge {
			base, c.Cols = append(base, c.Cols), c.Cols+a.Edge.Slots()
			parts = append(parts, a.Edge.IDs())
		}
		c.Width = len(parts)
		c.Col = make([]int32, c.Rows*c.Width)
		for i, ids := range parts {
			for k, id := range ids {
				c.Col[k*c.Width+i] = int32(base[i]) + id
			}
		}
		return tensor.NewSparse(c)
	})
}

type arcCollectKey struct{ loops, weighted bool }

// collect adds up rows of arcs at their targets, times the weight of their edge
// where asked: [n,arcs].
func (a messageArcs) collect(v graph.View, weighted bool) *tensor.Sparse {
	return graph.Derived(v.H, arcCollectKey{a.loops, weighted}, func() *tensor.Sparse {
		c := tensor.SparseConfig{Rows: a.Dst.Slots(), Cols: a.Dst.Len(), Ptr: a.Sum.Ptr}
		if weighted {
			c.Weight, c.NumWeights = a.Edge.IDs(), a.Edge.Slots()
		}
		return tensor.NewSparse(c)
	})
}
