package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Aggregator is the function that combines the rows sent to a vertex.
type Aggregator uint8

// The aggregators. Each gives 0 to a vertex that receives no row.
const (
	AggregateMean Aggregator = iota
	AggregateSum
	AggregateMax // column by column
)

// aggregate is AGG over the rows sent to each vertex. x is [n,d], the result is [n,d]. On a graph
// these rows are the features of the neighbours,
//
//	AGG over arcs u→v along e of w_e·x_u,
//
// including self-loop edges; an undirected self-loop counts once. On a hypergraph, and so on a
// dual, they are the means of the vertex's hyperedges,
//
//	AGG over entries of v in e of w_e·mean(x_u : u in e),
//
// where each entry counts and the mean includes v itself. Loops of the view do not count: layers
// that aggregate add the vertex itself separately. The weights of the view multiply the rows and
// are not part of the count of a mean (as edge weights in DGL). Self, SelfW, Bias and ReLU of c
// apply to the result.
func aggregate(v graph.View, x *tensor.Tensor, how Aggregator, c tensor.SpMMConfig) *tensor.Tensor {
	if a, ok := v.H.AdjacencyWithLoops(); ok {
		return aggregateArcs(a, v, x, how, c)
	}
	return aggregateHyperedges(v, x, how, c)
}

func aggregateArcs(a *graph.Adjacency, v graph.View, x *tensor.Tensor, how Aggregator, c tensor.SpMMConfig) *tensor.Tensor {
	m := a.Messages
	switch how {
	case AggregateMax:
		if v.W == nil {
			return finish(tensor.NeighbourMax(m, x), c)
		}
		// Only this aggregate stores a row per message: a weight may be negative and so changes
		// which row is the largest.
		arcs := a.Arcs(false)
		sent := tensor.Gather(x, arcs.Src).Mul(tensor.Gather(v.W.Reshape(-1, 1), arcs.Edge))
		return finish(tensor.SegmentMax(sent, arcs.Dst), c)
	case AggregateMean:
		m = graph.Derived(v.H, meanMessagesKey{}, func() *tensor.Sparse { return meanOf(a.Messages) })
	}
	c.W = v.W
	return tensor.SpMM(m, x, c)
}

// meanMessagesKey is the key of the messages with weight 1/k, where k is the number of messages to
// a node. They are built once per batch.
type meanMessagesKey struct{}

func aggregateHyperedges(v graph.View, x *tensor.Tensor, how Aggregator, c tensor.SpMMConfig) *tensor.Tensor {
	return fromHyperedges(v, meanOfMembers(v, x, tensor.SpMMConfig{}), how, c)
}

// meanOfMembers is the mean over each hyperedge: x [n,d] gives [m,d]. It is 0 for a hyperedge
// without members.
func meanOfMembers(v graph.View, x *tensor.Tensor, c tensor.SpMMConfig) *tensor.Tensor {
	return tensor.SpMM(v.H.WithLoops(graph.LoopsNone).Hyper().Up, x, c)
}

// fromHyperedges sends h [m,d], a row per hyperedge, to the vertices.
func fromHyperedges(v graph.View, h *tensor.Tensor, how Aggregator, c tensor.SpMMConfig) *tensor.Tensor {
	if v.W != nil {
		h = h.Mul(v.W.Reshape(-1, 1))
	}
	if how == AggregateMean {
		return tensor.SpMM(v.H.WithLoops(graph.LoopsNone).Hyper().Down, h, c)
	}
	down, _ := v.H.Rows()
	if how == AggregateMax {
		return finish(tensor.NeighbourMax(down, h), c)
	}
	return tensor.SpMM(down, h, c)
}

// finish does for other results what SpMM does at its end: it adds Self times SelfW and Bias, and
// applies ReLU.
func finish(x *tensor.Tensor, c tensor.SpMMConfig) *tensor.Tensor {
	if c.Self != nil {
		self := c.Self
		if c.SelfW != nil {
			self = self.Mul(c.SelfW.Reshape(-1, 1))
		}
		x = x.Add(self)
	}
	if c.Bias != nil {
		x = x.Add(c.Bias)
	}
	if c.ReLU {
		x = x.ReLU()
	}
	return x
}
