package nn

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Aggregator is the function that combines the rows sent to a vertex.
type Aggregator uint8

// The aggregators; each gives 0 to a vertex to which nothing is sent.
const (
	AggregateMean Aggregator = iota
	AggregateSum
	AggregateMax // column by column
)

// aggregate is AGG over the rows sent to each vertex, for x [n,d] giving [n,d]. On a
// graph, these are the features of its neighbours,
//
//	AGG over arcs u→v along e of w_e·x_u,
//
// self-loop edges included, an undirected one once. On a hypergraph, and so on a
// dual, they are the means of its hyperedges,
//
//	AGG over entries of v in e of w_e·mean(x_u : u in e),
//
// entries being counted as often as they occur and the mean including v itself.
// Loops of the view do not count: layers that aggregate add the vertex itself
// separately. The weights of the view multiply the rows sent and do not enter the
// count of a mean (as edge weights in DGL). Of c, Self, SelfW, Bias and ReLU apply to
// the result.
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
		// This aggregate alone keeps a row per message in memory: a weight, which may
		// be negative, changes which row is the largest.
		arcs := a.Arcs(false)
		sent := tensor.Gather(x, arcs.Src).Mul(tensor.Gather(v.W.Reshape(-1, 1), arcs.Edge))
		return finish(tensor.SegmentMax(sent, arcs.Dst), c)
	case AggregateMean:
		m = graph.Derived(v.H, meanMessagesKey{}, func() *tensor.Sparse { return meanOf(a.Messages) })
	}
	c.W = v.W
	return tensor.SpMM(m, x, c)
}

// meanMessagesKey is the key of the messages with weight 1/k on the k of a node, built
// once per batch.
type meanMessagesKey struct{}

func aggregateHyperedges(v graph.View, x *tensor.Tensor, how Aggregator, c tensor.SpMMConfig) *tensor.Tensor {
	return fromHyperedges(v, meanOfMembers(v, x, tensor.SpMMConfig{}), how, c)
}

// meanOfMembers is the mean over each hyperedge: x [n,d] gives [m,d]; 0 for a
// hyperedge without members.
func meanOfMembers(v graph.View, x *tensor.Tensor, c tensor.SpMMConfig) *tensor.Tensor {
	return tensor.SpMM(v.H.WithLoops(graph.LoopsNone).Hyper().Up, x, c)
}

// fromHyperedges sends a row per hyperedge, h [m,d], to its vertices.
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

// finish is the epilogue of SpMM for other results: it adds Self times SelfW and
// Bias, and applies ReLU.
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
